package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Unpaired compares the runs of two sessions that have no rounds in common, by the test of Mann and
// Whitney. A drift of the machine between the two counts as a difference.
type Unpaired struct {
	Base, Head Summary
	P          float64 // of the test; for several comparisons see Adjusted
}

// Compare compares two sets of values, none of them empty.
func Compare(base, head Summary) Unpaired {
	sample := func(s Summary) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(s.Values), &benchmath.DefaultThresholds)
	}
	p := benchmath.AssumeNothing.Compare(sample(base), sample(head)).P
	return Unpaired{base, head, min(1, p)} // with ties it can exceed 1
}

// Difference returns the change of the median, relative to the base.
func (u Unpaired) Difference() float64 { return u.Head.Median/u.Base.Median - 1 }

// LeastP returns the least p that the numbers of runs allow: that of sets that do not overlap.
func (u Unpaired) LeastP() float64 {
	n, m := float64(u.Base.N), float64(u.Head.N)
	all, _ := math.Lgamma(n + m + 1)
	base, _ := math.Lgamma(n + 1)
	head, _ := math.Lgamma(m + 1)
	return min(1, 2*math.Exp(base+head-all))
}

// Adjusted returns the comparisons with p adjusted to their number by Holm, such that one false
// difference among all of them is as rare as in one.
func Adjusted(all []Unpaired) []Unpaired {
	p := make([]float64, len(all))
	for i, u := range all {
		p[i] = u.P
	}
	adjusted := slices.Clone(all)
	for i, p := range Holm(p) {
		adjusted[i].P = p
	}
	return adjusted
}
