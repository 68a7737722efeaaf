// Package paired contains the statistics of paired comparisons: two programs run in the same
// rounds, and each round results in a pair of values, base and head. A drift of the machine affects
// both values of a pair alike, so only the ratio within each pair is used.
//
// The test is Wilcoxon's signed-rank test of the log ratios, with its exact distribution. The
// estimate is the Hodges-Lehmann estimate, and the interval contains all ratios that the test does
// not reject (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, chapter 3). If base
// and head are the same program, the two values of a pair are exchangeable. Then the rate of false
// alarms is at most alpha, half of it in each direction, for any distribution of the values. The
// estimate and the interval describe the typical ratio only if the log ratios are roughly
// symmetric.
//
// A t test is unsuitable because one run beside a busy neighbour shifts the mean and widens the
// interval. A sign test ignores the sizes of the differences and needs more pairs. The test uses
// logarithms because 2 and 1/2 are then equally far from 1, so it does not matter which of the two
// programs is the base.
//
// Fewer than six pairs prove nothing at the level of 5 %: if the programs are equal, five pairs all
// differ in the same direction in one of sixteen cases.
//
// We found no suitable library. golang.org/x/perf/benchmath and
// github.com/aclements/go-moremath/stats have the U test of two independent samples, and
// gonum.org/v1/gonum/stat has neither test. go.skia.org/infra has a translation of R's test; it
// approximates where values tie or are zero, and its level is fixed at 5 %.
package paired

import (
	"fmt"
	"math"
)

// An Effect is the estimate of the ratio head/base from pairs.
type Effect struct {
	N      int     // number of pairs
	Ratio  float64 // the Hodges-Lehmann estimate of head/base
	Lo, Hi float64 // confidence interval at level 1-alpha; 0 and +Inf if there are too few pairs
	P      float64 // p value of the two-sided signed-rank test that the ratio is 1
}

// Compare estimates the ratio head/base from the pairs of base[i] and head[i]. If the interval
// excludes 1, P is at most alpha. The reverse holds too, unless ratios of pairs are equal or 1:
// then the interval, which includes its ends, is the more conservative of the two.
//
// If the test does not reject, the interval is widened to include 1. With ties the two could
// disagree, and a report would show an interval below 1 beside "not proven".
func Compare(base, head []float64, alpha float64) (Effect, error) {
	d, err := logRatios(base, head)
	if err != nil {
		return Effect{}, err
	}
	e := Effect{N: len(d), P: signedRank(d)}
	middle, lo, hi := interval(walsh(d), len(d), alpha)
	e.Ratio, e.Lo, e.Hi = math.Exp(middle), math.Exp(lo), math.Exp(hi)
	if e.P > alpha {
		e.Lo, e.Hi = min(e.Lo, 1), max(e.Hi, 1)
	}
	return e, nil
}

// logRatios returns the logarithms of head/base. It always divides the larger value by the smaller
// one. Ratios that are equal or reciprocal then have logarithms of exactly the same magnitude, and
// tie. Otherwise log(2/3) and log(3/2) might differ in the last bit and get different ranks, and p
// would depend on rounding.
func logRatios(base, head []float64) ([]float64, error) {
	if len(base) != len(head) {
		return nil, fmt.Errorf("cannot pair %d base values with %d head values; give one of each for every round", len(base), len(head))
	}
	if len(base) == 0 {
		return nil, fmt.Errorf("no pairs; give values of at least one round")
	}
	d := make([]float64, len(base))
	for i, b := range base {
		h := head[i]
		size := max(b, h) / min(b, h)
		if !(b > 0 && h > 0) || math.IsInf(size, 0) || math.IsNaN(size) {
			return nil, fmt.Errorf("pair %d (base %v, head %v) has no ratio; values must be finite and above zero", i+1, b, h)
		}
		d[i] = math.Log(size)
		if h < b {
			d[i] = -d[i]
		}
	}
	return d, nil
}

// A Verdict states what an Effect means for a metric for which lower is better.
type Verdict int

// These are the verdicts.
const (
	Open   Verdict = iota // not enough evidence
	Faster                // head is proven to take less
	Slower                // head is proven to take more
	Same                  // not proven to differ; the interval excludes any difference that matters
)

// String returns the verdict as a word.
func (v Verdict) String() string { return [...]string{"open", "faster", "slower", "same"}[v] }

// Verdict judges an effect. Differences below least (0.05 is 5 %) do not matter. A proven
// difference is Faster or Slower, however small. Same means that equivalence is proven. If neither
// is proven, the verdict is Open, because few noisy pairs prove neither a difference nor
// equivalence.
func (e Effect) Verdict(least float64) Verdict {
	switch {
	case e.Hi < 1:
		return Faster
	case e.Lo > 1:
		return Slower
	case e.Lo > 1/(1+least) && e.Hi < 1+least:
		return Same
	default:
		return Open
	}
}
