//go:build browser

// Compiling the driver of the browser is slow; `make browser` runs this test.

package show_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
)

// The page works in a real browser without script and requests. Nothing is out of reach on a phone,
// all links lead somewhere, and axe has no complaint in light, in dark and on paper.
// COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	r := rich()
	r.Sites[1].Line = 333
	var page bytes.Buffer
	if err := show.HTML(&page, r, show.Options{}, listing); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	for _, scheme := range []string{"light", "dark", "print"} {
		for _, width := range []int64{360, 768, 1280} {
			if scheme == "print" {
				width = 720 // of paper
			}
			name := fmt.Sprintf("find-%s-%d", scheme, width)
			tab.Show(scheme, width)
			dead := browser.Ask[int](tab, `[...document.querySelectorAll("a[href^='#']")].filter(a => !document.getElementById(a.hash.slice(1))).length`)
			rows := browser.Ask[int](tab, `document.querySelectorAll("#table tbody tr").length`)
			hits := browser.Ask[int](tab, `document.querySelectorAll("tr.hit").length`)
			if dead != 0 || rows != 5 || hits != 4 {
				t.Errorf("%s: %d links lead nowhere, %d rows, %d lines with sites", name, dead, rows, hits)
			}
			tab.Reachable(name)
			tab.Accessible(name)
			tab.Screenshot(name)
		}
	}
}

// listing returns a source that looks like one.
func listing(file string) ([]byte, error) {
	if _, err := source(file); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for i := range 1300 {
		if i%8 == 4 {
			fmt.Fprint(&text, "\tp.addChild(&Node{\n")
			continue
		}
		fmt.Fprintf(&text, "\t\tType: ElementNode, // line %d\n", i+1)
	}
	return text.Bytes(), nil
}
