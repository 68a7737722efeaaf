package show

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(page.Parts("find", template.FuncMap{
	"answer":   answer,
	"sentence": func(text string) string { return sentence(termtext.Plain(text)) },
	"plain":    termtext.Plain,
	"part":     figure.Part,
	"counted":  counted,
	"saved":    func(s find.Setting) string { return saved(&s.CPU) },
	"interval": func(s find.Setting) string { return savedInterval(&s.CPU) },
	"grown":    grown,
	"estimate": estimate,
	"taken":    describeFix,
	"bar":      bar,
	"keys":     func() []string { return []string{"temporary", "result", "retained"} },
}).Parse(pageText))

// A pageData contains the data for the page template.
type pageData struct {
	*view
	Files  []*file
	anchor map[*site.Site]string
}

// HTML writes the result as one self-contained page: the content of the screen, and the source code
// around each site. The function source returns the contents of a file, given its name in the
// sites.
func HTML(w io.Writer, r *find.Result, o Options, source func(file string) ([]byte, error)) error {
	v := viewOf(r, o)
	data := &pageData{view: v, Files: v.files(source), anchor: map[*site.Site]string{}}
	for i, s := range v.Sites {
		data.anchor[s] = fmt.Sprintf("site-%d", i+1)
	}
	return pageTemplate.Execute(w, data)
}

// The following methods are called by the page template.

func (d *pageData) Anchor(s *site.Site) string { return d.anchor[s] }
func (d *pageData) Row(s *site.Site) row       { return d.row(s) }
func (d *pageData) Operation() []string        { return operation(d.Result) }
func (d *pageData) Shares() []share            { return d.shares() }
func (d *pageData) CeilingText() string        { return d.ceiling() }
func (d *pageData) LeftText() string           { return d.notShown() }
func (d *pageData) LeftOutText() string        { return d.leftOut() }
func (d *pageData) Mixture() bool              { return d.mixture() }
func (d *pageData) Manual() string             { return manual }

// Members returns the sites of a proposal that are shown.
func (d *pageData) Members(p proposal) []*site.Site {
	return slices.DeleteFunc(slices.Clone(d.Sites), func(s *site.Site) bool { return s.Proposal != p.ID })
}

// Facts returns the names and values in the environment, sorted by name.
func (d *pageData) Facts() (all [][2]string) {
	for _, key := range slices.Sorted(maps.Keys(d.Environment)) {
		all = append(all, [2]string{termtext.Plain(key), termtext.Plain(d.Environment[key])})
	}
	return all
}

// A segment is a section of a bar. Its position and width are in percent of the bar's length.
type segment struct {
	Class       string
	From, Width float64
}

// bar returns the segments of the bar that shows a lifetime, or nil if the lifetime is unknown.
func bar(f site.Fate) (all []segment) {
	if f.Method == site.Unknown {
		return nil
	}
	from := 0.0
	for _, s := range []segment{{"temporary", 0, f.Temporary}, {"result", 0, f.Result}, {"retained", 0, f.Retained}} {
		if !figure.Finite(s.Width) || s.Width <= 0 {
			continue
		}
		s.From, s.Width = from, min(100*s.Width, 100-from)
		from += s.Width
		all = append(all, s)
	}
	return all
}
