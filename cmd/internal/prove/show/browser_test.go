//go:build browser

// Compiling the browser driver is slow, so only `make browser` runs this test.

package show_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// TestPageInBrowser verifies that the page works in a real browser: there are no errors and no
// requests, nothing is out of reach on a phone, and axe reports no problem. COPPICE_SCREENSHOTS
// names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := show.HTML(&page, proof()); err != nil {
		t.Fatal(err)
	}
	inBrowser(t, "prove", page.Bytes(), 4)
}

// TestHistoryPageInBrowser verifies the same for the page of a history.
func TestHistoryPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := show.HistoryHTML(&page, story()); err != nil {
		t.Fatal(err)
	}
	inBrowser(t, "prove-history", page.Bytes(), 6)
}

// inBrowser checks a page with the given number of pictures in all colour schemes and widths.
func inBrowser(t *testing.T, what string, page []byte, pictures int) {
	t.Helper()
	tab := browser.Open(t, page)
	for _, scheme := range []string{"light", "dark", "print"} {
		for _, width := range []int64{360, 768, 1280} {
			if scheme == "print" {
				width = 720 // the width of paper
			}
			name := fmt.Sprintf("%s-%s-%d", what, scheme, width)
			tab.Show(scheme, width)
			tab.Screenshot(name)
			if folded := browser.Ask[int](tab, `document.querySelectorAll("details").forEach(d => d.open = true); document.querySelectorAll("svg.chart").length`); folded != pictures {
				t.Errorf("%s: %d pictures", name, folded)
			}
			tab.Reachable(name)
			tab.Accessible(name)
		}
	}
}
