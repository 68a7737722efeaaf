//go:build browser

// Compiling the driver of the browser is slow; `make browser` runs this test.

package report

import (
	"bytes"
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

// The page works in a real browser: there are no errors on the console and no requests except for
// the file, nothing is wider than a phone, and text has contrast in light and dark mode.
// COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"} {
		if _, err := os.Stat(name); err == nil {
			browser = name
		}
	}
	if browser == "" {
		t.Fatal("needs Chromium; make deps installs it")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	var page bytes.Buffer
	if err := HTML(&page, sample()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}

	var seen events
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(browser),
		chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true))
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithListener(seen.add))
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()

	for _, screen := range []screen{{"light", "light", 1000}, {"dark", "dark", 1000}, {"phone", "light", 390}} {
		screen.look(ctx, t, "file://"+file)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, r := range seen.requests {
		if !strings.HasPrefix(r, "file://"+file) && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asked for %s", r)
		}
	}
	if len(seen.requests) == 0 {
		t.Error("not even the page was requested: the test sees nothing")
	}
	if len(seen.errors) > 0 {
		t.Errorf("the console says %q", seen.errors)
	}
}

// events has the requests and the errors of the browser.
type events struct {
	mu               sync.Mutex
	requests, errors []string
}

func (s *events) add(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, e.Request.URL)
	case *log.EventEntryAdded:
		s.errors = append(s.errors, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		s.errors = append(s.errors, e.ExceptionDetails.Text)
	}
}

// screen is a screen size and a colour scheme.
type screen struct {
	name, scheme string
	width        int64
}

func (s screen) look(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	err := chromedp.Do(ctx,
		command(network.Enable, network.EnableParams{}),
		command(log.Enable, cdp.Empty{}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}},
		}),
		chromedp.EmulateViewport(s.width, 2600),
		chromedp.Navigate(url),
	)
	if err != nil {
		t.Fatal(err)
	}
	width := ask[int](ctx, t, `document.documentElement.scrollWidth`)
	svgs := ask[int](ctx, t, `[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().height > 50).length`)
	claims := ask[int](ctx, t, `document.querySelectorAll("#claims tbody tr").length`)
	if int64(width) > s.width || svgs != 6 || claims != 6 {
		t.Errorf("%s: %d pixels wide, %d pictures, %d claims", s.name, width, svgs, claims)
	}
	text := ask[string](ctx, t, `getComputedStyle(document.querySelector("svg text")).fill`)
	background := ask[string](ctx, t, `getComputedStyle(document.body).backgroundColor`)
	body := ask[string](ctx, t, `getComputedStyle(document.body).color`)
	if dark := strings.HasPrefix(background, "rgb(18,"); dark != (s.scheme == "dark") || text != body {
		t.Errorf("%s: pictures have text %s, the page has %s on %s", s.name, text, body, background)
	}
	if dir := os.Getenv("COPPICE_SCREENSHOTS"); dir != "" {
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, s.name+".png"), picture, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// command is a step that sends one command to the page.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, c, params)
		return chromedp.Void{}, err
	}
}

// ask evaluates an expression in the page.
func ask[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
