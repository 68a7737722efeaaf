package report

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

// Style is how all pages of the lab look.
func Style() template.CSS { return template.CSS("\n" + style) }

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":         Style,
	"columns":       columns,
	"cells":         cells,
	"spread":        spread,
	"spreadColumns": func() []string { return spreadColumns },
	"machine":       machineOf,
	"unfair":        unfair,
	"name":          Name,
}).Parse(page))

// HTML writes the report as a single self-contained file.
func HTML(w io.Writer, r Report) error {
	pictures, err := plots(r)
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, struct {
		Report
		Plots []Plot
	}{r, pictures})
}
