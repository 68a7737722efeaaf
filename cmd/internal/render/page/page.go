// Package page defines the look of all pages that coppice writes, for the lab, find and prove: one
// style for light, dark and paper, tables that keep every column on a phone, pictures of package
// chart, and one script. The script sorts and filters tables, and shows the figures of marks.
// Without the script a page has the same contents. A page is one file without external resources.
//
// Files, from top to bottom: page.go, sheet.go.
package page

import (
	_ "embed"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/render/chart"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed parts.html
var parts string

// Style returns the CSS of a page.
func Style() template.CSS { return template.CSS("\n" + style + chart.Style) }

// Script returns the JavaScript with which a page sorts and filters.
func Script() template.JS { return template.JS("\n" + script) }

// Parts defines the templates table and plot, and the functions style, script, prose, breaks and
// cell.
func Parts(name string, more template.FuncMap) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{"style": Style, "script": Script, "prose": Prose, "breaks": Breaks, "cell": cell}).Funcs(more).Parse(parts))
}

// A Plot is a picture of a page with its caption.
type Plot struct {
	Title, Caption string
	Where          string // the ranking, shown after the title if there are several pictures; "" if there is one
	SVG            template.HTML
	Phone          template.HTML // a form for narrow screens; "" if the picture has none
}

// Drawn returns a picture of rows.
func Drawn(title, caption string, p chart.Rows) Plot {
	return Plot{Title: title, Caption: caption, SVG: template.HTML(p.SVG(chart.Page)), Phone: template.HTML(p.SVG(chart.Phone))}
}

// Breaks writes a heading that may be broken after a slash. Otherwise the column of
// allocated/request would be as wide as the whole heading. A unit of one or two letters is not
// split off.
func Breaks(text string) template.HTML {
	return template.HTML(slash.ReplaceAllString(html.EscapeString(text), "/<wbr>$1"))
}

// cell returns the text of a cell, in which a line cannot break before a percent sign.
func cell(text string) string {
	return strings.NewReplacer(" %", "\u00a0%", "± ", "±\u00a0").Replace(text)
}

var slash = regexp.MustCompile(`/(\w{3})`)

var quoted = regexp.MustCompile("`([^`]*)`")

// Prose writes a text whose names are in backquotes.
func Prose(text string) template.HTML {
	return template.HTML(quoted.ReplaceAllString(html.EscapeString(text), "<code>$1</code>"))
}
