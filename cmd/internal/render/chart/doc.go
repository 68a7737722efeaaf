// Package chart draws pictures as SVG. A picture is a list of marks, and all its forms are written
// from the same list: for a page, for a phone, and as a file for a README. The colours are in
// chart.css, for light, dark and paper; a mark also has a shape, so that readers need not see the
// colour. docs/decisions/0035 explains why no library is used.
package chart

import _ "embed"

// Style is the CSS of all pictures. A page that shows them inline has to include it once; a picture
// in a separate file contains it.
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

// A Mark is a row of a Rows picture, or a point of a Scatter.
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

// bounded reports whether there is an interval to draw.
func (m Mark) bounded() bool {
	return !(m.Lo == 0 && m.Hi == 0) && finite(m.Lo) && finite(m.Hi) && m.Hi >= m.Lo
}
