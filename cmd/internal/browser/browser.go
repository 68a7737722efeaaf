//go:build browser

package browser

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Tab is a browser tab that shows a page.
type Tab struct {
	t   testing.TB
	ctx context.Context
	url string

	mu               sync.Mutex
	requests, errors []string
}

// Open starts a browser for a page. When the test ends, it fails if the page has requested any
// other resource, or has logged errors to the console.
func Open(t testing.TB, page []byte) *Tab {
	t.Helper()
	program := ""
	for _, name := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"} {
		if _, err := os.Stat(name); err == nil {
			program = name
		}
	}
	if program == "" {
		t.Fatal("needs Chromium; make deps installs it")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o666); err != nil {
		t.Fatal(err)
	}
	b := &Tab{t: t, url: "file://" + file}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(program),
		chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(b.add))
	t.Cleanup(cancel)
	b.ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	t.Cleanup(b.check)
	return b
}

func (b *Tab) add(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.errors = append(b.errors, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Text)
	}
}

func (b *Tab) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if !strings.HasPrefix(r, b.url) && !strings.HasPrefix(r, "data:") {
			b.t.Errorf("the page requested %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.t.Error("the page was not requested, so the test checks nothing")
	}
	if len(b.errors) > 0 {
		b.t.Errorf("console errors: %q", b.errors)
	}
}

// Show loads the page in a window of the given width in pixels. scheme is a color scheme, light or
// dark, or print to select the print styles. The test fails if the page is wider than the window.
func (b *Tab) Show(scheme string, width int64) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if scheme == "print" {
		media = emulation.SetEmulatedMediaParams{Media: "print"}
	}
	err := chromedp.Do(b.ctx,
		command(network.Enable, network.EnableParams{}),
		command(log.Enable, cdp.Empty{}),
		command(emulation.SetEmulatedMedia, media),
		chromedp.EmulateViewport(width, 2600),
		chromedp.Navigate(b.url),
	)
	if err != nil {
		b.t.Fatal(err)
	}
	if wide := Ask[int](b, `document.documentElement.scrollWidth`); int64(wide) > width {
		b.t.Errorf("%s: the page is %d pixels wide on a screen of %d", scheme, wide, width)
	}
}

// Screenshot saves a screenshot of the whole page in the folder that the environment variable
// COPPICE_SCREENSHOTS names. If the variable is not set, it does nothing.
func (b *Tab) Screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("COPPICE_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// command returns an action that sends a DevTools command to the page.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, c, params)
		return chromedp.Void{}, err
	}
}

// Ask evaluates a JavaScript expression in the page and returns its value.
func Ask[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Reachable fails the test if table cells, text or charts extend beyond the right edge of the
// window, unless they are in an element that scrolls.
func (b *Tab) Reachable(name string) {
	b.t.Helper()
	cut := Ask[[]string](b, `[...document.querySelectorAll("td, th, svg.chart, p, li, select")].filter(e => e.offsetParent !== null || e instanceof SVGElement && e.getBoundingClientRect().width > 0)
		.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !(e.closest(".wide, .picture") && ["auto", "scroll"].includes(getComputedStyle(e.closest(".wide, .picture")).overflowX)))
		.map(e => e.textContent.slice(0, 40))`)
	if len(cut) > 0 {
		b.t.Errorf("%s: out of reach: %q", name, cut)
	}
}

//go:embed axe/axe.min.js
var axe string

// Accessible checks the current state of the page with axe, and reports an error for each
// accessibility rule that the page breaks.
func (b *Tab) Accessible(name string) {
	b.t.Helper()
	Ask[bool](b, axe+`;window.found = null; axe.run(document, {resultTypes: ["violations"]}).then(
		r => window.found = r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.length + " places, first " + v.nodes[0].html.slice(0, 200)),
		e => window.found = ["axe: " + e]); true`)
	for deadline := time.Now().Add(time.Minute); !Ask[bool](b, `window.found !== null`); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s: axe did not finish", name)
		}
	}
	for _, v := range Ask[[]string](b, `window.found`) {
		b.t.Errorf("%s: %s", name, v)
	}
}
