package across

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// equalRatiosP tests whether all machines have the same ratio, and returns the p value. The test is
// Brown and Forsythe's (The Small Sample Behavior of Some Statistics Which Test the Equality of
// Several Means, Technometrics 16, 1974), with the degrees of freedom of Mehrotra (1997).
//
// This test compares sums of variances. Cochran's and Welch's tests divide by the variance of each
// machine. If many machines have few rounds, some of these variances are far too small by chance,
// and those tests find differences that do not exist.
func equalRatiosP(blocks []Block) float64 {
	total, all := 0.0, 0.0
	for _, b := range blocks {
		n := float64(len(b.rounds))
		total += n
		all += n * stat.Mean(b.rounds, nil)
	}
	if len(blocks) < 2 {
		return 1
	}
	between, inside, shared, squares, lower := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, b := range blocks {
		n := float64(len(b.rounds))
		center, variance := stat.MeanVariance(b.rounds, nil)
		part := n / total
		between += n * (center - all/total) * (center - all/total)
		inside += (1 - part) * variance
		shared += part * variance
		squares += variance * variance * (1 - 2*part)
		lower += (1 - part) * (1 - part) * variance * variance / (n - 1)
	}
	switch {
	case inside <= leastVariance && between <= leastVariance*total:
		return 1
	case inside <= leastVariance:
		return 0
	}
	d1, d2 := inside*inside/(shared*shared+squares), inside*inside/lower
	f := distuv.F{D1: d1, D2: d2}
	p := f.Survival(between / inside)
	if math.IsNaN(p) {
		return 1
	}
	return p
}
