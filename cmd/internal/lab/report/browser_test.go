//go:build browser

// Compiling the browser driver is slow, so only `make browser` runs this test.

package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/browser"
)

// screens lists the colour schemes and widths in which pages are checked.
var screens = []struct {
	name, scheme string
	width        int64
}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"tablet", "light", 768}, {"phone", "light", 360}, {"phone-dark", "dark", 360}, {"print", "print", 720}}

// openAll is a script that opens every collapsed element.
const openAll = `document.querySelectorAll("details").forEach(d => d.open = true); document.querySelectorAll("details").length`

// TestPageInBrowser verifies that the page works in a real browser: there are no errors on the
// console, no requests for other files, nothing is wider than a phone or out of reach, axe reports
// no problem, and text has contrast in light and dark mode. COPPICE_SCREENSHOTS names a folder for
// screenshots.
func TestPageInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, sample()); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	for _, screen := range screens {
		tab.Show(screen.scheme, screen.width)
		browser.Ask[int](tab, openAll)
		svgs := browser.Ask[int](tab, `[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().height > 50).length`)
		claims := browser.Ask[int](tab, `document.querySelectorAll("#claims tbody tr").length`)
		if svgs != 6 || claims != 6 {
			t.Errorf("%s: %d pictures, %d claims", screen.name, svgs, claims)
		}
		text := browser.Ask[string](tab, `getComputedStyle(document.querySelector("svg text.name")).fill`)
		background := browser.Ask[string](tab, `getComputedStyle(document.body).backgroundColor`)
		body := browser.Ask[string](tab, `getComputedStyle(document.body).color`)
		if dark := strings.HasPrefix(background, "rgb(18,"); dark != (screen.scheme == "dark") || text != body {
			t.Errorf("%s: pictures have text %s, the page has %s on %s", screen.name, text, body, background)
		}
		if strings.HasPrefix(screen.name, "phone") {
			for _, column := range []string{"here", "holds"} {
				if right := browser.Ask[float64](tab, `[...document.querySelectorAll("#claims thead th")].find(h => h.textContent.trim() === "`+column+`").getBoundingClientRect().right`); right > float64(screen.width) {
					t.Errorf("%s: the column %s of the claims ends at %v", screen.name, column, right)
				}
			}
		}
		tab.Reachable(screen.name)
		tab.Accessible(screen.name)
		tab.Screenshot(screen.name)
	}
}

// visible is a script that returns the visible rows of the tables. drawn returns the rows of the
// first picture, from top to bottom.
const (
	visible = `[...document.querySelectorAll("section tbody tr")].filter(r => r.offsetParent !== null).map(r => r.querySelector("th").textContent).join("; ")`
	drawn   = `[...document.querySelector("svg g.rows").querySelectorAll("g.row")].filter(g => g.style.display !== "none").sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y).map(g => g.dataset.name).join("; ")`
)

// press clicks on a column heading of the ranking table and returns the sort order.
func press(tab *browser.Tab, column string) string {
	return browser.Ask[string](tab, `{ const b = [...document.querySelectorAll("section th button")].find(b => b.textContent.startsWith("`+column+`")); b.focus(); b.click(); b.parentElement.getAttribute("aria-sort") }`)
}

// TestSortAndFilterInBrowser verifies that a click on a heading sorts both the table and the
// picture, and that filters hide rows in both without leaving gaps.
func TestSortAndFilterInBrowser(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, sample()); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, page.Bytes())
	tab.Show("light", 1280)
	best := browser.Ask[string](tab, drawn)
	if !strings.HasPrefix(best, "go slab; ") || !strings.HasSuffix(best, "go naive; go twin") {
		t.Fatalf("the picture has %s", best)
	}
	if state := press(tab, "peak memory"); state != "ascending" {
		t.Errorf("the heading says %s", state)
	}
	byMemory := browser.Ask[string](tab, drawn)
	if !strings.HasPrefix(byMemory, "go naive; go twin; ") || !strings.HasSuffix(byMemory, "; go slab") || byMemory != browser.Ask[string](tab, `[...document.querySelectorAll("section tbody")][0].querySelectorAll("th") && [...[...document.querySelectorAll("section tbody")][0].querySelectorAll("th")].map(h => h.textContent).join("; ")`) {
		t.Errorf("by memory the picture has %s", byMemory)
	}
	if state := press(tab, "peak memory"); state != "descending" {
		t.Errorf("the heading says %s", state)
	}
	if press(tab, "CPU time"); browser.Ask[string](tab, drawn) != best {
		t.Errorf("by time the picture has %s, had %s", browser.Ask[string](tab, drawn), best)
	}
	choose := func(name, value string) {
		browser.Ask[bool](tab, `{ const s = document.querySelector("select[name=`+name+`]"); s.value = "`+value+`"; s.dispatchEvent(new Event("change", {bubbles: true})) }`)
	}
	high := browser.Ask[float64](tab, `document.querySelector("svg.chart").getBoundingClientRect().height`)
	choose("ours", "yes")
	if rows, picture := browser.Ask[string](tab, visible), browser.Ask[string](tab, drawn); rows != "go slab; go unrolled" || picture != "go slab" {
		t.Errorf("of ours the table has %s, the picture %s", rows, picture)
	}
	if low := browser.Ask[float64](tab, `document.querySelector("svg.chart").getBoundingClientRect().height`); low > high-60 {
		t.Errorf("the picture keeps its gaps: %v pixels of %v", low, high)
	}
	if said := browser.Ask[string](tab, `document.querySelector("output").textContent`); said != "2 of 7 rows" {
		t.Errorf("the filter says %q", said)
	}
	choose("ours", "")
	if picture := browser.Ask[string](tab, drawn); picture != best {
		t.Errorf("without a filter the picture has %s", picture)
	}
	if folded := browser.Ask[int](tab, `dispatchEvent(new Event("beforeprint")), document.querySelectorAll("details:not([open])").length`); folded > 0 {
		t.Errorf("paper cannot be clicked, and %d parts are folded", folded)
	}
	tip := browser.Ask[string](tab, `{ const g = document.querySelector("svg g.row[data-name='go slab']"); g.dispatchEvent(new PointerEvent("pointermove", {clientX: 50, clientY: 50, bubbles: true})); document.querySelector(".tip").textContent }`)
	if !strings.HasPrefix(tip, "go slab: CPU time 1 s ") || !strings.Contains(tip, "10.0 times faster against go naive") {
		t.Errorf("the pointer is told %q", tip)
	}
	if found := browser.Ask[string](tab, `{ document.querySelector("svg g.row[data-name='go twin']").dispatchEvent(new MouseEvent("click", {bubbles: true})); document.querySelector("tr.found th").textContent }`); found != "go twin" {
		t.Errorf("a click leads to %q", found)
	}
}

// The committed reports must work too. This tests the largest reports, those with the most columns,
// and the index of all reports.
func TestCommittedPagesInBrowser(t *testing.T) {
	for _, name := range []string{"index.html", "binary-trees/report.html", "foreign/report.html", "goast/report.html", "json/report.html"} {
		page, err := os.ReadFile(filepath.Join("../../../../docs/results", name))
		if err != nil {
			t.Fatal(err)
		}
		tab := browser.Open(t, page)
		for _, screen := range screens {
			tab.Show(screen.scheme, screen.width)
			prefix := strings.NewReplacer("/", "-", ".html", "").Replace(name) + "-" + screen.name
			tab.Screenshot(prefix)
			tab.Reachable(prefix)
			if screen.name == "dark" || screen.name == "phone" {
				tab.Accessible(prefix)
			}
		}
	}
}
