package paired

import (
	"cmp"
	"math"
	"slices"
)

// exactUpTo is the largest number of values whose exact distribution is computed. Its probabilities
// are multiples of 2^-50, and a float64 holds sums of such multiples without rounding.
const exactUpTo = 50

// signedRank returns the two-sided p value of Wilcoxon's signed-rank test that the values are
// symmetric about zero. Values of equal magnitude share the mean of their ranks. Zeros take the
// lowest ranks and are then dropped with them (Pratt, Remarks on Zeros and Ties in the Wilcoxon
// Signed Rank Procedures, Journal of the American Statistical Association 54, 1959).
//
// Wilcoxon's own method drops zeros before ranking. Then a small difference that becomes zero can
// turn an insignificant result into a significant one.
func signedRank(d []float64) float64 {
	ranks, positive := doubledRanks(d)
	total := 0
	for _, r := range ranks {
		total += r
	}
	return min(1, 2*tails(ranks)(min(positive, total-positive)))
}

// doubledRanks returns twice the magnitude rank of each value except zeros, and twice the rank sum
// of the positive values. A mean of two ranks may end in .5; doubled, all ranks are integers, which
// the function distribution needs as indices.
func doubledRanks(d []float64) (ranks []int, positive int) {
	sorted := slices.SortedFunc(slices.Values(d), func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && math.Abs(sorted[to]) == math.Abs(sorted[from]) {
			to++
		}
		for _, v := range sorted[from:to] {
			if v == 0 {
				continue
			}
			ranks = append(ranks, from+1+to)
			if v > 0 {
				positive += from + 1 + to
			}
		}
		from = to
	}
	return ranks, positive
}

// tails returns a function that returns the probability that the sum of the doubled ranks is at
// most s, if each rank is included with a probability of one half. The function is exact for up to
// exactUpTo ranks. Beyond that it is a normal approximation with a continuity correction, whose
// variance accounts for ties and zeros.
func tails(ranks []int) func(s int) float64 {
	if len(ranks) > exactUpTo {
		mean, variance := 0.0, 0.0
		for _, r := range ranks {
			mean += float64(r) / 2
			variance += float64(r) * float64(r) / 4
		}
		return func(s int) float64 { return normalTail((float64(s) + 1 - mean) / math.Sqrt(variance)) }
	}
	p := distribution(ranks)
	for s := 1; s < len(p); s++ {
		p[s] += p[s-1]
	}
	return func(s int) float64 { return p[s] }
}

// distribution returns the probability of each sum of the ranks, if each rank is included with a
// probability of one half. It works with the actual ranks, so ties need no correction. It takes
// time proportional to the number of ranks times their sum.
func distribution(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	p := make([]float64, total+1)
	p[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			p[s] /= 2
			if s >= r {
				p[s] += p[s-r] / 2
			}
		}
	}
	return p
}

// normalTail returns the probability that a standard normal variable is at most z.
func normalTail(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// quantile returns the value that a standard normal variable exceeds with the probability tail.
func quantile(tail float64) float64 { return math.Sqrt2 * math.Erfinv(1-2*tail) }
