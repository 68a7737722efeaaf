package paired

import (
	"cmp"
	"math"
	"slices"
)

// exactUpTo is the greatest count of values whose exact distribution is computed. Its probabilities
// are multiples of 2^-50, and a float64 holds sums of those without an error.
const exactUpTo = 50

// signedRank returns the two-sided p value of Wilcoxon's signed-rank test that values are symmetric
// about zero. Values of equal size share the mean of their ranks. Zeros take the lowest ranks, and
// then drop out with them: the method of Pratt, Remarks on Zeros and Ties in the Wilcoxon Signed
// Rank Procedures, Journal of the American Statistical Association 54 (1959), which unlike
// Wilcoxon's own never finds a difference because values near zero have become zero.
func signedRank(d []float64) float64 {
	ranks, positive := doubledRanks(d)
	total := 0
	for _, r := range ranks {
		total += r
	}
	return min(1, 2*tails(ranks)(min(positive, total-positive)))
}

// doubledRanks returns twice the ranks of the sizes of all values but zeros, and twice the sum of
// those of positive values. Twice a mean of ranks is an integer.
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

// tails returns the function that gives the probability that doubled ranks, each taken with a
// probability of one half, have a sum of at most s: exactly for up to exactUpTo ranks, and beyond
// that by a normal approximation, whose variance accounts for ties and zeros, with a correction for
// continuity.
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

// distribution returns the probability of each sum of ranks that are taken with a probability of
// one half each.
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

// quantile returns the value that a standard normal variable exceeds with a probability of tail.
func quantile(tail float64) float64 { return math.Sqrt2 * math.Erfinv(1-2*tail) }
