package paired

import (
	"math"
	"slices"
)

// walsh returns the means of all pairs of values, each with itself included, in ascending order.
func walsh(d []float64) []float64 {
	means := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i, a := range d {
		for _, b := range d[:i+1] {
			means = append(means, (a+b)/2)
		}
	}
	slices.Sort(means)
	return means
}

// interval returns the median of the Walsh means of n values, which is the Hodges-Lehmann estimate
// of their centre, and its interval at level 1-alpha. The signed-rank statistic for a centre is the
// count of Walsh means above it, so the k-th mean from below and from above bound the centres that
// the test does not reject, where k-1 is the greatest statistic that it rejects. Ties make the
// closed interval wider than it needs to be, never narrower. Without such a k the interval is
// infinite.
func interval(means []float64, n int, alpha float64) (middle, lo, hi float64) {
	last := len(means) - 1
	middle = (means[last/2] + means[last-last/2]) / 2
	if k, _ := rejected(n, alpha); k > 0 {
		return middle, means[k-1], means[last-(k-1)]
	}
	return middle, math.Inf(-1), math.Inf(1)
}

// rejected returns how many values of the signed-rank statistic of n values without ties, counted
// from zero, are rejected on either side at level alpha, and the level that is attained.
func rejected(n int, alpha float64) (count int, attained float64) {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	tail := tails(ranks)
	for p := tail(0); 2*p <= alpha; p = tail(2 * count) {
		count, attained = count+1, 2*p
	}
	return count, attained
}
