package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Unpaired is the comparison of two sets of runs that have no rounds in common, by the Mann-Whitney
// U test. It cannot separate the programs from the machine: a drift between the two sets appears as
// a difference. If the two programs ran in the same rounds, use package paired.
type Unpaired struct {
	Base, Head Summary
	P          float64 // p value of the test; for several comparisons, see Adjusted
}

// Compare compares the values of base and head. Neither may be empty.
func Compare(base, head Summary) Unpaired {
	sample := func(s Summary) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(s.Values), &benchmath.DefaultThresholds)
	}
	p := benchmath.AssumeNothing.Compare(sample(base), sample(head)).P
	return Unpaired{base, head, min(1, p)} // p can exceed 1 if there are ties
}

// Difference returns the change of the median as a fraction of the base median.
func (u Unpaired) Difference() float64 { return u.Head.Median/u.Base.Median - 1 }

// LeastP returns the smallest p value that the numbers of runs allow. It is 2/C(n+m, n), the p
// value of sets that do not overlap. If it exceeds alpha, no result can be significant, and a
// caller should report that instead of "no difference".
func (u Unpaired) LeastP() float64 {
	n, m := float64(u.Base.N), float64(u.Head.N)
	all, _ := math.Lgamma(n + m + 1)
	base, _ := math.Lgamma(n + 1)
	head, _ := math.Lgamma(m + 1)
	return min(1, 2*math.Exp(base+head-all))
}

// Adjusted returns the comparisons with their p values adjusted by Holm, so that the rate of false
// alarms holds for all of them together.
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
