//go:build browser

// Compiling the driver of the browser is slow; `make browser` runs this test.

package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
)

// The page works in a real browser: there are no errors on the console and no requests except for
// the file, nothing is wider than a phone, and text has contrast in light and dark mode.
// COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, sample()); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	for _, screen := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1000}, {"dark", "dark", 1000}, {"phone", "light", 390}} {
		tab.Show(screen.scheme, screen.width)
		svgs := browser.Ask[int](tab, `[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().height > 50).length`)
		claims := browser.Ask[int](tab, `document.querySelectorAll("#claims tbody tr").length`)
		if svgs != 6 || claims != 6 {
			t.Errorf("%s: %d pictures, %d claims", screen.name, svgs, claims)
		}
		text := browser.Ask[string](tab, `getComputedStyle(document.querySelector("svg text")).fill`)
		background := browser.Ask[string](tab, `getComputedStyle(document.body).backgroundColor`)
		body := browser.Ask[string](tab, `getComputedStyle(document.body).color`)
		if dark := strings.HasPrefix(background, "rgb(18,"); dark != (screen.scheme == "dark") || text != body {
			t.Errorf("%s: pictures have text %s, the page has %s on %s", screen.name, text, body, background)
		}
		tab.Screenshot(screen.name)
	}
}
