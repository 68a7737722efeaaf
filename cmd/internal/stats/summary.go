// Package stats has the statistics of all tools, one of each kind: summaries with the interval of
// the median, the comparison of two sets of runs, the adjustment of p values, and looks at a
// session that may stop early. Pairs of runs are in stats/paired, machines in stats/across.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the confidence level of every interval.
const Confidence = 0.95

// A Summary summarizes the values of one metric.
type Summary struct {
	N                      int
	Median, Lo, Hi         float64 // the median and its confidence interval
	Min, Max, Mean, StdDev float64
	Values                 []float64 // in the order of rounds
}

// Median returns the middle of some values; 0 of none.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Summarize computes a Summary. Without values it is zero.
func Summarize(all []float64) Summary {
	if len(all) == 0 {
		return Summary{}
	}
	sample := benchmath.NewSample(slices.Clone(all), &benchmath.DefaultThresholds)
	center := benchmath.AssumeNothing.Summary(sample, Confidence)
	s := Summary{
		N: len(all), Median: center.Center, Lo: center.Lo, Hi: center.Hi,
		Min: slices.Min(all), Max: slices.Max(all), Values: all,
	}
	for _, v := range all {
		s.Mean += v / float64(len(all))
	}
	for _, v := range all {
		s.StdDev += (v - s.Mean) * (v - s.Mean)
	}
	s.StdDev = math.Sqrt(s.StdDev / float64(max(1, len(all)-1)))
	return s
}

// bimodalGap is the least ratio of two groups: a busy sibling thread changes CPU time by 1.3 to
// 1.8.
const bimodalGap = 1.25

// Bimodal reports whether the values form two groups, each with at least a fifth of them. The
// medians of the groups must differ by a factor of bimodalGap, and the gap between the groups must
// be wider than half of either.
func Bimodal(all []float64) (lower, upper float64, ok bool) {
	sorted := slices.Sorted(slices.Values(all))
	least := max(2, len(sorted)/5)
	cut, widest := 0, 0.0
	for i := least; i+least <= len(sorted); i++ {
		if gap := sorted[i] - sorted[i-1]; gap > widest {
			cut, widest = i, gap
		}
	}
	if cut == 0 {
		return 0, 0, false
	}
	low, high := sorted[:cut], sorted[cut:]
	lower, upper = low[len(low)/2], high[len(high)/2]
	within := max(low[len(low)-1]-low[0], high[len(high)-1]-high[0])
	return lower, upper, upper >= bimodalGap*lower && widest > within/2
}
