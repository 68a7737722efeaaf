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
	Other    Kind = iota // a mark to compare Ours with
	Ours                 // the mark that the picture presents
	Baseline             // the mark to which ratios refer
	Several              // a summary of several other marks
)

// A Mark is one row of a Rows chart or one point of a Scatter chart.
type Mark struct {
	Name     string
	Rank     string // before the name; "" for none
	Language string // gives the colour and the shape; "" for none
	Kind     Kind
	Value    float64   // value on the axis of Rows, or on the horizontal axis of Scatter
	Lo, Hi   float64   // bounds of Value's interval; none if one is infinite, or both are zero
	Up       float64   // value on the vertical axis of Scatter
	Runs     []float64 // values of single runs, drawn instead of Value if there are any
	Text     string    // Value as it is written in the chart
	Tip      string    // tooltip of the mark
	Data     [][2]string
}

// bounded reports whether the mark has an interval to draw.
func (m Mark) bounded() bool {
	return !(m.Lo == 0 && m.Hi == 0) && finite(m.Lo) && finite(m.Hi) && m.Hi >= m.Lo
}
