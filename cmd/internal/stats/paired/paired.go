// Package paired has the statistics of paired comparisons: two programs run in the same rounds, and
// each round gives a pair of figures, base and head. A drift of the machine affects both figures of
// a pair alike, so only the ratio within each pair counts.
//
// The test is Wilcoxon's signed-rank test of the log ratios, with its exact distribution. The
// estimate is that of Hodges and Lehmann, and the interval has all ratios that the test does not
// reject (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, chapter 3). Where base
// and head are the same program, the two figures of a pair may be exchanged, and the rate of false
// alarms is at most alpha, half of it in each direction, whatever the distribution. That the
// estimate and the interval mean the typical ratio needs log ratios that are roughly symmetric.
//
// Fewer than six pairs prove nothing at the level of 5 %: five pairs of one direction occur once in
// sixteen times by chance.
//
// Why not a library: golang.org/x/perf/benchmath and github.com/aclements/go-moremath/stats have
// the U test of two independent samples, and gonum.org/v1/gonum/stat has neither test. A
// translation of R's in go.skia.org/infra approximates where values tie or are zero, and always has
// the level of 5 %.
package paired

import (
	"fmt"
	"math"
)

// An Effect is what pairs say about the ratio head/base.
type Effect struct {
	N      int     // pairs
	Ratio  float64 // the Hodges-Lehmann estimate of head/base
	Lo, Hi float64 // its interval at level 1-alpha; 0 and +Inf where the pairs are too few for one
	P      float64 // of the two-sided signed-rank test that the ratio is 1
}

// Compare compares pairs, base[i] with head[i]. Where the interval excludes 1, P is at most alpha.
// The reverse holds too, unless ratios of pairs are equal or 1: then the interval, whose ends
// belong to it, is the more careful of the two.
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

// logRatios returns the logarithms of head/base. Ratios that are equal or reciprocal as fractions
// have logarithms of exactly equal size, so that they tie.
func logRatios(base, head []float64) ([]float64, error) {
	if len(base) != len(head) {
		return nil, fmt.Errorf("%d values of base and %d of head do not pair; give one of each for every round", len(base), len(head))
	}
	if len(base) == 0 {
		return nil, fmt.Errorf("no pairs; give values of at least one round")
	}
	d := make([]float64, len(base))
	for i, b := range base {
		h := head[i]
		size := max(b, h) / min(b, h)
		if !(b > 0 && h > 0) || math.IsInf(size, 0) || math.IsNaN(size) {
			return nil, fmt.Errorf("pair %d, %v and %v, has no ratio; values must be finite and above zero", i+1, b, h)
		}
		d[i] = math.Log(size)
		if h < b {
			d[i] = -d[i]
		}
	}
	return d, nil
}

// A Verdict is what an Effect means where less is better.
type Verdict int

// The verdicts.
const (
	Open   Verdict = iota // the pairs do not tell
	Faster                // head takes provably less
	Slower                // head takes provably more
	Same                  // not proven, and no difference of the size that matters is left in the interval
)

// String returns the verdict as a word.
func (v Verdict) String() string { return [...]string{"open", "faster", "slower", "same"}[v] }

// Verdict judges an effect; differences below least (0.05 is 5 %) do not matter. A proven
// difference is Faster or Slower, however small.
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
