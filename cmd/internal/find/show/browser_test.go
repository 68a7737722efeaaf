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

// contrast is the least contrast of text and its background on the page, as WCAG 2 defines it.
const contrast = `(() => {
	const luminance = c => {
		const v = c.match(/[\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
		return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
	};
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (c != "rgba(0, 0, 0, 0)") return c;
		}
	};
	let least = 21;
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		const a = luminance(getComputedStyle(e).color), b = luminance(ground(e));
		least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
	}
	return least;
})()`

// The page works in a real browser without script and requests. Nothing is wider than a phone, all links lead somewhere, and text has contrast in light and
// dark mode. COPPICE_SCREENSHOTS names a folder for screenshots.
func TestPageInBrowser(t *testing.T) {
	r := rich()
	r.Sites[1].Line = 333
	var page bytes.Buffer
	if err := show.HTML(&page, r, show.Options{}, listing); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	for _, screen := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1000}, {"dark", "dark", 1000}, {"phone", "light", 390}} {
		tab.Show(screen.scheme, screen.width)
		if least := browser.Ask[float64](tab, contrast); least < 4.5 {
			t.Errorf("%s: text has a contrast of %.1f", screen.name, least)
		}
		dead := browser.Ask[int](tab, `[...document.querySelectorAll("a[href^='#']")].filter(a => !document.getElementById(a.hash.slice(1))).length`)
		rows := browser.Ask[int](tab, `document.querySelectorAll("#table tbody tr").length`)
		hits := browser.Ask[int](tab, `document.querySelectorAll("tr.hit").length`)
		if dead != 0 || rows != 5 || hits != 4 {
			t.Errorf("%s: %d links lead nowhere, %d rows, %d lines with sites", screen.name, dead, rows, hits)
		}
		tab.Screenshot("find-" + screen.name)
	}
}

// listing is a source that looks like one.
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
