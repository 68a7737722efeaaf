//go:build browser

// Compiling the driver of the browser is slow; `make browser` runs this test.

package show_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// The page works in a real browser: no error, no request, nothing out of reach on a phone, and axe
// has no complaint. COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := show.HTML(&page, proof()); err != nil {
		t.Fatal(err)
	}
	inBrowser(t, "prove", page.Bytes(), 4)
}

// So does the page of a history.
func TestHistoryPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := show.HistoryHTML(&page, story()); err != nil {
		t.Fatal(err)
	}
	inBrowser(t, "prove-history", page.Bytes(), 6)
}

// inBrowser shows a page that has so many pictures in all of its forms.
func inBrowser(t *testing.T, what string, page []byte, pictures int) {
	t.Helper()
	tab := browser.Open(t, page)
	for _, scheme := range []string{"light", "dark", "print"} {
		for _, width := range []int64{360, 768, 1280} {
			if scheme == "print" {
				width = 720 // of paper
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
