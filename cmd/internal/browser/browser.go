//go:build browser

package browser

import (
	"context"
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

// A Tab of a browser shows a page.
type Tab struct {
	t   testing.TB
	ctx context.Context
	url string

	mu               sync.Mutex
	requests, errors []string
}

// Open starts a browser for a page. When the test ends it fails if the page asked for anything else, or if the console has errors.
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
	b.ctx, cancel = context.WithTimeout(ctx, time.Minute)
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
			b.t.Errorf("the page asked for %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.t.Error("not even the page was requested: the test sees nothing")
	}
	if len(b.errors) > 0 {
		b.t.Errorf("the console says %q", b.errors)
	}
}

// Show loads the page in a window of that many pixels, in the colour scheme light or dark. It fails if the page is wider.
func (b *Tab) Show(scheme string, width int64) {
	b.t.Helper()
	err := chromedp.Do(b.ctx,
		command(network.Enable, network.EnableParams{}),
		command(log.Enable, cdp.Empty{}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}),
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

// Screenshot writes a picture of the whole page to the folder that COPPICE_SCREENSHOTS names, if it does.
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

// command is a step that sends one command to the page.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, c, params)
		return chromedp.Void{}, err
	}
}

// Ask evaluates an expression in the page.
func Ask[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}
