// Package steps finds where a series of figures changes its level, as the figures of a benchmark do
// over commits, with a rate of false alarms that is chosen.
//
// The statistic is the rank sum of the figures before a place, standardized, and the largest of all
// places counts: Pettitt's test (A Non-Parametric Approach to the Change-Point Problem, Applied
// Statistics 28, 1979), standardized such that steps near the ends are seen as well. Its p value
// comes from random permutations. In a series without a step all orders are equally likely, so the
// p value holds for any distribution and with ties. Permutations end early where the series is
// clearly without a step (Besag and Clifford, Sequential Monte Carlo p-Values, Biometrika 78,
// 1991). What lies before and after a step is tested in the same way, until nothing more is found.
//
// The tests need figures that are independent and of one kind: those of one machine's processor
// against one base. A figure that drifts is not a series without a step, and steps will be found.
//
// Why not a library: github.com/gonum and golang.org/x/perf have no change points. E-divisive,
// which MongoDB and Apache Otava use, takes the means of distances, so one outlier weighs as much
// as it is far; ranks do not.
package steps

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// Least is how many figures a series needs on each side of a step, and Series how many in all.
const (
	Least  = 3
	Series = 8
)

// A Step is a place where the level changes.
type Step struct {
	At       int     // the first figure of the new level
	From, To int     // At lies between them, both included, with a confidence of 95 %
	P        float64 // of the permutation test
	Before   int     // how many figures the level before has
	After    int     // and the new one
	Shift    float64 // the Hodges-Lehmann estimate of new less old level
}

// Find returns the steps of a series, in order. In a series without a step it returns any with a
// probability of at most level; where there are k steps, further ones that are false appear with a
// probability of at most (k+1)*level. The same series gives the same answer: the permutations are
// drawn with a fixed seed. A series of fewer than Series figures has no steps.
//
// It takes time in proportion to len(values) for each permutation, of which there are 20/level at
// most, and 40 or so in a series without a step.
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

// A place is a step that was found.
type place struct {
	at int
	p  float64
}

// split finds the steps of a part of the series that begins at an offset.
func split(values []float64, offset int, level float64, places *[]place) {
	at, p := test(values, level)
	if p > level {
		return
	}
	*places = append(*places, place{offset + at, p})
	split(values[:at], offset, level, places)
	split(values[at:], offset+at, level, places)
}

// confidence is one less the probability that a step lies outside of From and To. Each half has to
// keep to half of what is left.
const confidence = 0.95

// describe estimates a step of a series that has no other. Places are in the interval if neither
// half of the series has a step then.
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

// shift is the median of all differences between two lists.
func shift(before, after []float64) float64 {
	all := make([]float64, 0, len(before)*len(after))
	for _, a := range after {
		for _, b := range before {
			all = append(all, a-b)
		}
	}
	return stats.Median(all)
}

// Bounds of the permutations.
const (
	enough       = 20      // as many that are as extreme as the series end the test
	mostPermuted = 200_000 // so a p value below 5e-6 is not told from it
)

// test returns the likeliest place of a step, and the p value that there is none. A series that is
// too short has a p of 1.
func test(values []float64, level float64) (at int, p float64) {
	n := len(values)
	if n < Series {
		return 0, 1
	}
	ranks := centred(values)
	observed, at := largest(ranks)
	if observed <= 0 {
		return 0, 1 // all figures are equal
	}
	random := rand.New(rand.NewPCG(uint64(n), 0x57e9)) // fixed: the same series has the same answer
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

// centred returns the ranks of values less their mean. Equal values share a rank.
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

// largest returns the largest square of the standardized rank sum, but for a factor that all orders
// share, and its place.
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
