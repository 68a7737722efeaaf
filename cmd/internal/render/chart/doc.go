// Package chart draws charts as SVG. A chart is described by a list of marks. Every variant is
// drawn from this list: the variants for a page and for a phone, and the file for a README. The
// colours are in chart.css, for light and dark screens and for paper. Marks also differ in shape,
// so that readers need not distinguish the colours. docs/decisions/0035 explains why the package
// uses no library.
package chart

import _ "embed"

// Style is the CSS of all charts. A page with inline charts must include it once. A chart in a
// separate file contains it.
//
//go:embed chart.css
var Style string

// A Kind selects how a mark is highlighted.
type Kind int

const (
	Other    Kind = iota // a rival
	Ours                 // the subject of the picture
	Baseline             // what ratios refer to
	Several              // a summary of several others
)

// A Mark is one row of a Rows chart or one point of a Scatter chart.
type Mark struct {
	Name     string
	Rank     string // before the name; "" for none
	Language string // gives the colour and the shape; "" for none
	Kind     Kind
	Value    float64   // along the axis, or from left to right
	Lo, Hi   float64   // the interval of Value; none if one of them is infinite, or both are zero
	Up       float64   // from bottom to top; Scatter only
	Runs     []float64 // single values, drawn instead of Value if there are any
	Text     string    // Value in words
	Tip      string    // what a pointer that rests on the mark shows
	Data     [][2]string
}

// bounded reports whether the mark has an interval to draw.
func (m Mark) bounded() bool {
	return !(m.Lo == 0 && m.Hi == 0) && finite(m.Lo) && finite(m.Hi) && m.Hi >= m.Lo
}
