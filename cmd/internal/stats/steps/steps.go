// Package steps finds where a series of values changes its level, as the results of a benchmark do
// over commits. The caller chooses the rate of false alarms.
//
// The statistic is the rank sum of the values before a position, standardized; the test uses the
// largest over all positions. This is Pettitt's test (A Non-Parametric Approach to the Change-Point
// Problem, Applied Statistics 28, 1979), standardized so that it also sees steps near the ends. Its
// p value comes from random permutations. In a series without a step all orders are equally likely,
// so the p value holds for any distribution and with ties. The permutations end early if the series
// clearly has no step (Besag and Clifford, Sequential Monte Carlo p-Values, Biometrika 78, 1991).
// The parts before and after a step are tested in the same way, until no further step is found.
//
// The test needs values that are independent and comparable: from one kind of machine, against one
// base. A series that drifts has no single level, and steps will be found in it.
//
// We do not use a library: gonum and golang.org/x/perf have no change-point detection. E-divisive,
// which MongoDB and Apache Otava use, compares mean distances, so the weight of an outlier grows
// with its distance. Ranks bound that weight.
package steps

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// Least is the minimum number of values on each side of a step, and Series the minimum number
// in total.
const (
	Least  = 3
	Series = 8
)

// A Step is a position at which the level of a series changes.
type Step struct {
	At       int     // the index of the first value of the new level
	From, To int     // the 95 % interval of At, both ends included
	P        float64 // p value of the permutation test
	Before   int     // number of values at the old level
	After    int     // number of values at the new level
	Shift    float64 // the Hodges-Lehmann estimate of the new level minus the old
}

// Find returns the steps of a series, in order. In a series without a step, it finds a false step
// with a probability of at most level. If there are k steps, additional false steps appear with a
// probability of at most (k+1)*level. The permutations have a fixed seed, so the same series always
// has the same result. A series of fewer than Series values has no steps.
//
// Find takes time proportional to len(values) for each permutation. There are at most 20/level
// permutations, and about 40 in a series without a step.
func Find(values []float64, level float64) []Step {
	var places []place
	split(values, 0, level, &places)
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	all := make([]Step, len(places))
	for i, p := range places {
		begin, end := 0, len(values)
		if i > 0 {
			begin = places[i-1].at
		}
		if i+1 < len(places) {
			end = places[i+1].at
		}
		all[i] = describe(values[begin:end], p.at-begin, begin, p.p)
	}
	return all
}

// A place is a step that was found, by its index in the whole series.
type place struct {
	at int
	p  float64
}

// split finds the steps in the part of the series that begins at offset. Each part is tested at the
// full level, which is why the bound of Find grows with the number of steps.
func split(values []float64, offset int, level float64, places *[]place) {
	at, p := test(values, level)
	if p > level {
		return
	}
	*places = append(*places, place{offset + at, p})
	split(values[:at], offset, level, places)
	split(values[at:], offset+at, level, places)
}

// confidence is the confidence level of From and To. The parts before and after a position are each
// tested at half of 1-confidence.
const confidence = 0.95

// describe estimates the step of a series that has exactly one step. The interval inverts the test:
// it contains each position for which neither the part before it nor the part after it has a step
// of its own.
func describe(values []float64, at, offset int, p float64) Step {
	s := Step{At: offset + at, From: offset + at, To: offset + at, P: p, Before: at, After: len(values) - at, Shift: shift(values[:at], values[at:])}
	const half = (1 - confidence) / 2
	fits := func(k int) bool {
		_, before := test(values[:k], half)
		if before <= half {
			return false
		}
		_, after := test(values[k:], half)
		return after > half
	}
	for k := 1; k < at; k++ {
		if fits(k) {
			s.From = offset + k
			break
		}
	}
	for k := len(values) - 1; k > at; k-- {
		if fits(k) {
			s.To = offset + k
			break
		}
	}
	return s
}

// shift returns the median of all differences between the values of two lists, which is the
// Hodges-Lehmann estimate of their shift.
func shift(before, after []float64) float64 {
	all := make([]float64, 0, len(before)*len(after))
	for _, a := range after {
		for _, b := range before {
			all = append(all, a-b)
		}
	}
	return stats.Median(all)
}

// These constants limit the number of permutations.
const (
	enough       = 20      // the test ends after this many permutations at least as extreme as the series
	mostPermuted = 200_000 // p values below 5e-6 cannot be distinguished
)

// LeastP is the smallest p value that a test can have. At a level below it, no step is found.
const LeastP = 1. / (mostPermuted + 1)

// test returns the most likely position of a step, and the p value of the hypothesis that there is
// none. A series that is too short has a p of 1.
//
// If all permutations are drawn, the observed order is counted as one more (the +1). Then p is
// never zero, and the test keeps its level. Sums of float64 in a different order differ in the last
// bits. The factor 1-1e-12 ensures that a permutation that ties with the series is not considered
// less extreme.
func test(values []float64, level float64) (at int, p float64) {
	n := len(values)
	if n < Series {
		return 0, 1
	}
	ranks := centred(values)
	observed, at := largest(ranks)
	if observed <= 0 {
		return 0, 1 // all values are equal
	}
	random := rand.New(rand.NewPCG(uint64(n), 0x57e9)) // fixed seed: equal series get equal results
	most := int(math.Min(mostPermuted, max(999, math.Ceil(enough/level))))
	extreme := 0
	for drawn := 1; drawn <= most; drawn++ {
		random.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		if s, _ := largest(ranks); s >= observed*(1-1e-12) {
			if extreme++; extreme == enough {
				return at, float64(extreme) / float64(drawn)
			}
		}
	}
	return at, float64(extreme+1) / float64(most+1)
}

// centred returns the ranks of the values minus the mean rank. Equal values share a rank.
func centred(values []float64) []float64 {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, n)
	for i := 0; i < n; {
		j := i + 1
		for j < n && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			ranks[order[k]] = float64(i+j-1)/2 - float64(n-1)/2
		}
		i = j
	}
	return ranks
}

// largest returns the largest squared standardized rank sum, and its position. It omits a factor
// that is the same for all permutations.
func largest(ranks []float64) (most float64, at int) {
	n, sum := len(ranks), 0.
	for k := 1; k <= n-Least; k++ {
		sum += ranks[k-1]
		if k < Least {
			continue
		}
		if s := sum * sum / (float64(k) * float64(n-k)); s > most {
			most, at = s, k
		}
	}
	return most, at
}
