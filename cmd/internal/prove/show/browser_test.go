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

// The page works in a real browser: no error, no request, nothing out of reach on a phone, and axe has no complaint.
// COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := show.HTML(&page, proof()); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	for _, scheme := range []string{"light", "dark", "print"} {
		for _, width := range []int64{360, 768, 1280} {
			if scheme == "print" {
				width = 720 // of paper
			}
			name := fmt.Sprintf("prove-%s-%d", scheme, width)
			tab.Show(scheme, width)
			tab.Screenshot(name)
			if folded := browser.Ask[int](tab, `document.querySelectorAll("details").forEach(d => d.open = true); document.querySelectorAll("svg.chart").length`); folded != 4 {
				t.Errorf("%s: %d pictures", name, folded)
			}
			tab.Reachable(name)
			tab.Accessible(name)
		}
	}
}
