// Package page defines the look of all HTML pages that coppice writes: for the lab, for find and
// for prove. They share one style for light and dark screens and for paper, tables that keep every
// column on a phone, the charts of package chart, and one script. The script sorts and filters
// tables, and shows the figures of marks. Without the script a page has the same contents. A page
// is one file without external resources.
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

// Script returns the JavaScript that sorts and filters the tables of a page.
func Script() template.JS { return template.JS("\n" + script) }

// Parts returns a new template with the given name, in which the templates table and plot are
// defined. Templates can call the functions style, script, prose, breaks and cell, and the
// functions in more.
func Parts(name string, more template.FuncMap) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{"style": Style, "script": Script, "prose": Prose, "breaks": Breaks, "cell": cell}).Funcs(more).Parse(parts))
}

// A Plot is a chart on a page, with its title and caption.
type Plot struct {
	Title, Caption string
	Where          string // the ranking, shown after the title if there are several pictures; "" if there is one
	SVG            template.HTML
	Phone          template.HTML // a form for narrow screens; "" if the picture has none
}

// Drawn returns a Plot that shows p.
func Drawn(title, caption string, p chart.Rows) Plot {
	return Plot{Title: title, Caption: caption, SVG: template.HTML(p.SVG(chart.Page)), Phone: template.HTML(p.SVG(chart.Phone))}
}

// Breaks returns a column heading as HTML in which a line can break after a slash. Otherwise a
// column with the heading allocated/request would have to be as wide as the whole heading. A line
// does not break before a unit of one or two letters.
func Breaks(text string) template.HTML {
	return template.HTML(slash.ReplaceAllString(html.EscapeString(text), "/<wbr>$1"))
}

// cell returns the text of a table cell, changed so that a line cannot break before a percent sign
// or after a plus-minus sign.
func cell(text string) string {
	return strings.NewReplacer(" %", "\u00a0%", "± ", "±\u00a0").Replace(text)
}

var slash = regexp.MustCompile(`/(\w{3})`)

var quoted = regexp.MustCompile("`([^`]*)`")

// Prose returns text as HTML. Names in backquotes become code elements.
func Prose(text string) template.HTML {
	return template.HTML(quoted.ReplaceAllString(html.EscapeString(text), "<code>$1</code>"))
}
