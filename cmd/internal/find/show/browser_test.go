//go:build browser

// This test has a build tag of its own, because the browser driver takes long to compile. It is run
// by `make browser`.

package show_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
)

// TestPageInBrowser verifies that the page works in a real browser without scripts and requests.
// All content is accessible on a phone, all links have targets, and axe reports no violation in
// light mode, in dark mode and on paper. If COPPICE_SCREENSHOTS is set, screenshots are written to
// that folder.
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
				width = 720 // the width of paper
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

// listing returns a source file that resembles real code.
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
