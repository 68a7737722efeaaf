package paired

import (
	"math"
	"slices"
)

// walsh returns the Walsh averages in ascending order: the means of all pairs of values, including
// each value with itself.
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

// interval returns the median of the Walsh averages of n values, which is the Hodges-Lehmann
// estimate of their centre, and its interval at level 1-alpha.
//
// The signed-rank statistic for a centre is the number of Walsh averages above it. So the k-th
// average from below and the k-th from above bound the centres that the test does not reject, where
// k-1 is the largest statistic that it rejects. Ties make the closed interval wider than it has to
// be, never narrower. If the test rejects no statistic, the interval is infinite.
func interval(means []float64, n int, alpha float64) (middle, lo, hi float64) {
	last := len(means) - 1
	middle = (means[last/2] + means[last-last/2]) / 2
	if k, _ := rejected(n, alpha); k > 0 {
		return middle, means[k-1], means[last-(k-1)]
	}
	return middle, math.Inf(-1), math.Inf(1)
}

// rejected returns the number of values of the signed-rank statistic, from zero up, that the test
// rejects on either side at level alpha, for n values without ties. The result attained is the
// level of this test. It is at most alpha, and less for few values.
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
