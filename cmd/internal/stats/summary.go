// Package stats contains the statistics of all tools: summaries with a confidence interval of the
// median, the comparison of two sets of runs, the adjustment of p values, and the plan of a
// measurement that may stop early. Package paired compares pairs of runs, package across combines
// machines, and package steps finds changes over commits. There is one implementation of each
// method, so that two commands never disagree about the same runs.
//
// Within one machine all methods are nonparametric: medians, ranks and exact distributions. Times
// of programs have a lower bound and a long upper tail (a neighbour, a timer, a page fault), so a
// mean follows the outliers and a standard deviation says little.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the minimum confidence level of every interval.
const Confidence = 0.95

// A Summary describes the values of one metric.
type Summary struct {
	N                      int
	Median, Lo, Hi         float64 // the median and its confidence interval
	Level                  float64 // the confidence level of the interval, at least Confidence
	Min, Max, Mean, StdDev float64
	Values                 []float64 // in the order of the rounds
}

// Median returns the median of the values, or 0 if there are none.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Summarize computes a Summary, which is the zero value if there are no values. The interval of the
// median comes from order statistics (benchmath.AssumeNothing). It holds for any distribution of
// values that are independent of each other. Its level is the lowest one of at least 95 % that the
// number of values allows: eight values allow 96.1 %, from the lowest value to the second highest.
// With fewer than six values no such interval has a level of 95 %, so it is unbounded.
func Summarize(all []float64) Summary {
	if len(all) == 0 {
		return Summary{}
	}
	sample := benchmath.NewSample(slices.Clone(all), &benchmath.DefaultThresholds)
	center := benchmath.AssumeNothing.Summary(sample, Confidence)
	s := Summary{
		N: len(all), Median: center.Center, Lo: center.Lo, Hi: center.Hi, Level: center.Confidence,
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

// bimodalGap is the smallest ratio of the medians of two groups. A busy sibling hardware thread
// raises CPU time by a factor of 1.3 to 1.8.
const bimodalGap = 1.25

// Bimodal reports whether the values form two groups, each with at least a fifth of them. The
// medians of the groups must differ by a factor of bimodalGap, and the gap between the groups must
// be wider than half the range of either group.
//
// The result leads to a warning, never to a verdict. Two groups usually mean that other processes
// ran for part of the time, and then the median depends on how many runs fell into which group. If
// fewer than a fifth of the values lie apart, they are outliers, which ranks tolerate.
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
