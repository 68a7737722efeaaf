package show_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
)

// source returns the contents of a file in the module. Its lines contain text that would break a
// page that does not escape it. Other files do not exist.
func source(file string) ([]byte, error) {
	if !strings.HasPrefix(file, dir) {
		return nil, fmt.Errorf("open %s: %w", file, fs.ErrNotExist)
	}
	var text bytes.Buffer
	for i := range 1300 {
		fmt.Fprintf(&text, "\tn := &Node{Data: `</pre><script>alert(%d)</script>`, \u202eFirst: \"<!--\"} // \xff {{.}} &amp;\n", i+1)
	}
	return text.Bytes(), nil
}

func page(w io.Writer, r *find.Result, o show.Options) error { return show.HTML(w, r, o, source) }

// An element is a start tag of a page.
type element struct {
	name       string
	attributes map[string]string
}

// elements parses a page, and returns its elements. It fails the test if tags do not match.
func elements(t *testing.T, text string) (all []element) {
	t.Helper()
	text = strings.TrimPrefix(text, "<!DOCTYPE html>")
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict, decoder.AutoClose, decoder.Entity = true, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			e := element{start.Name.Local, map[string]string{}}
			for _, a := range start.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all = append(all, e)
		}
	}
}

// strict closes elements that have no end tag, so that an XML parser accepts the page.
func strict(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "<meta ") || strings.HasPrefix(line, "<link ") {
			lines[i] = strings.TrimSuffix(line, ">") + "/>"
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "<br>", "<br/>")
}

func TestPage(t *testing.T) {
	for name, r := range results() {
		r.Target.Package += `"><script>x</script>`
		r.Warnings = append(r.Warnings, `<img src=x onerror=alert(1)>`)
		for _, s := range r.Sites {
			s.Facts.Type += "</code><script>"
		}
		var out bytes.Buffer
		if err := page(&out, r, show.Options{All: true}); err != nil {
			t.Fatal(err)
		}
		ids, labels := map[string]bool{}, map[string]bool{}
		all := elements(t, strict(out.String()))
		for _, e := range all {
			for key, value := range e.attributes {
				switch {
				case strings.HasPrefix(key, "on"), key == "src", e.name == "script", e.name == "link" && value == "stylesheet":
					t.Errorf("%s: %v", name, e)
				case key == "id":
					if ids[value] {
						t.Errorf("%s: two elements are %s", name, value)
					}
					ids[value] = true
				case key == "aria-labelledby":
					labels[value] = true
				}
			}
			if e.name == "script" || e.name == "img" {
				t.Errorf("%s: there is a %s", name, e.name)
			}
			if href := e.attributes["href"]; e.name == "a" && strings.HasPrefix(href, "#") {
				labels[href[1:]] = true
			}
		}
		for label := range labels {
			if !ids[label] {
				t.Errorf("%s: nothing is %q", name, label)
			}
		}
		if strings.Contains(out.String(), "\u202e") {
			t.Errorf("%s: there are characters that turn the text around", name)
		}
	}
}

func TestSourceOnPage(t *testing.T) {
	r := rich()
	r.Sites[1].Line = 330  // near the first site, in the same excerpt
	r.Sites[3].Line = 1302 // past the end
	r.Sites[4].Line = 2
	var out bytes.Buffer
	if err := page(&out, r, show.Options{}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, test := range []struct {
		n    int
		want string
	}{
		{1, "<th scope=\"row\">320</th>"},
		{0, "<th scope=\"row\">319</th>"},
		{1, "<th scope=\"row\">327</th>"},
		{1, "<th scope=\"row\">335</th>"},
		{0, "<th scope=\"row\">336</th>"},
		{1, `<tr class="hit" id="site-1"><th scope="row">325</th><td class="figure">26.9 %`},
		{1, "&amp;Node{...} escapes to heap"},
		{1, "the file has 1,301 lines, fewer than in the profile"},
		{1, "58,746 an operation"},
		{1, "No lines: open /src/net/internal/sql/sql.y: file does not exist"},
		{27, "&lt;U&#43;202E&gt;"},
	} {
		if got := strings.Count(text, test.want); got != test.n {
			t.Errorf("%d times %q, want %d", got, test.want, test.n)
		}
	}
}

// TestAdjacentExcerpts verifies that the excerpts of two sites are merged if no line lies between
// them.
func TestAdjacentExcerpts(t *testing.T) {
	for distance, want := range map[int]int{11: 3, 12: 4} {
		r := rich()
		r.Sites[1].Line = r.Sites[0].Line + distance
		var out bytes.Buffer
		if err := page(&out, r, show.Options{Top: 4}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), `<table class="source">`); n != want {
			t.Errorf("%d lines apart: %d excerpts, want %d", distance, n, want)
		}
	}
}

// TestPictureOnPage verifies that the chart contains each proposal and each measured setting, and
// omits those without a value.
func TestPictureOnPage(t *testing.T) {
	r := rich()
	var out bytes.Buffer
	if err := page(&out, r, show.Options{}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for want, n := range map[string]int{
		">1 slab in parser for Node</text>":     1,
		">1 slab in p…er for Node</text>":       1, // in the variant for phones
		"saves 11.6 % of CPU</text>":            2,
		"GOGC=400</text>":                       2,
		"saves 14.2 % of CPU</text>":            2,
		"no difference proven</text>":           2,
		"no collector at all</text>":            2,
		"3 scratch and slab for []Attribute</t": 0, // its estimate is void
		"a proposal, as estimated</text>":       2,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%d times %q, want %d", got, want, n)
		}
	}
	r.Proposals, r.Settings, r.Ceiling = nil, nil, nil
	out.Reset()
	if err := page(&out, r, show.Options{}); err != nil || strings.Contains(out.String(), `class="chart"`) {
		t.Errorf("a result without figures has a picture; %v", err)
	}
}
