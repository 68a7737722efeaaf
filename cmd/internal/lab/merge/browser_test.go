//go:build browser

// Compiling the browser driver is slow, so only `make browser` runs this test.

package merge

import (
	"bytes"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
)

// TestMergedPageInBrowser verifies that the page works in a real browser: there are no errors on
// the console, nothing is wider than a phone, axe reports no problem, and each contender has its
// picture, in the colours of the page. COPPICE_SCREENSHOTS names a folder for screenshots.
func TestMergedPageInBrowser(t *testing.T) {
	r, _ := merged(t, saveAll(t, fakes(9, 12, 0.5, 0.6))...)
	var page bytes.Buffer
	check(t, r.HTML(&page))
	tab := browser.Open(t, page.Bytes())
	for _, screen := range []struct {
		name, scheme string
		width        int64
	}{{"merged-light", "light", 1000}, {"merged-dark", "dark", 1000}, {"merged-phone", "light", 360}} {
		tab.Show(screen.scheme, screen.width)
		if svgs := browser.Ask[int](tab, `[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().height > 50).length`); svgs != 2 {
			t.Errorf("%s: %d pictures", screen.name, svgs)
		}
		text := browser.Ask[string](tab, `getComputedStyle(document.querySelector("svg text.name")).fill`)
		if body := browser.Ask[string](tab, `getComputedStyle(document.body).color`); text != body {
			t.Errorf("%s: pictures have text %s, the page %s", screen.name, text, body)
		}
		tab.Accessible(screen.name)
		tab.Screenshot(screen.name)
	}
}
