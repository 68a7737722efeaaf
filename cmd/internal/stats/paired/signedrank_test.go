package paired

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// critical maps the number of values n to the critical values of the smaller rank sum: the greatest
// sums that are significant in a two-sided test at the levels 0.10, 0.05 and 0.01, or -1 if there
// is none. Source: McCornack, Extended Tables of the Wilcoxon Matched Pair Signed Rank Statistic,
// Journal of the American Statistical Association 60 (1965). Tables that round the probability have
// 26 for 14 values, 30 for 16 or 66 for 22.
var critical = map[int][3]int{
	5: {0, -1, -1}, 6: {2, 0, -1}, 7: {3, 2, -1}, 8: {5, 3, 0}, 9: {8, 5, 1},
	10: {10, 8, 3}, 11: {13, 10, 5}, 12: {17, 13, 7}, 13: {21, 17, 9}, 14: {25, 21, 12},
	15: {30, 25, 15}, 16: {35, 29, 19}, 17: {41, 34, 23}, 18: {47, 40, 27}, 19: {53, 46, 32},
	20: {60, 52, 37}, 21: {67, 58, 42}, 22: {75, 65, 48}, 23: {83, 73, 54}, 24: {91, 81, 61},
	25: {100, 89, 68}, 26: {110, 98, 75}, 27: {119, 107, 83}, 28: {130, 116, 91}, 29: {140, 126, 100},
	30: {151, 137, 109},
}

func TestPublishedCriticalValues(t *testing.T) {
	for n, want := range critical {
		for i, alpha := range []float64{0.10, 0.05, 0.01} {
			if count, _ := rejected(n, alpha); count-1 != want[i] {
				t.Errorf("n %d, level %v: critical value %d, want %d", n, alpha, count-1, want[i])
			}
		}
	}
}

// TestPublishedExamples compares p values with published ones.
func TestPublishedExamples(t *testing.T) {
	for name, c := range map[string]struct {
		d []float64
		p float64
	}{
		"Cureton, The Normal Approximation to the Signed-Rank Sampling Distribution When Zero Differences Are Present, 1967": {
			[]float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}, 0.041259765625},
		"Hollander and Wolfe, depression scores, example 3.1": {
			[]float64{-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01}, 0.0390625},
	} {
		if p := signedRank(c.d); math.Abs(p-c.p) > 1e-12 {
			t.Errorf("%s: p %v, want %v", name, p, c.p)
		}
	}
}

// TestPublishedInterval verifies that the depression scores give the published estimate and
// interval.
func TestPublishedInterval(t *testing.T) {
	d := []float64{-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01}
	middle, lo, hi := interval(walsh(d), len(d), 0.05)
	for what, pair := range map[string][2]float64{"estimate": {middle, -0.46}, "lower end": {lo, -0.786}, "upper end": {hi, -0.010}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s %v, want %v", what, pair[0], pair[1])
		}
	}
}

// enumerated computes the p value by enumerating all assignments of signs. It finds the ranks by
// counting.
func enumerated(d []float64) float64 {
	var ranks []float64
	observed, total := 0.0, 0.0
	for _, v := range d {
		below, equal := 0, 0
		for _, other := range d {
			switch {
			case math.Abs(other) < math.Abs(v):
				below++
			case math.Abs(other) == math.Abs(v):
				equal++
			}
		}
		if v == 0 {
			continue
		}
		rank := float64(below) + float64(equal+1)/2
		ranks, total = append(ranks, rank), total+rank
		if v > 0 {
			observed += rank
		}
	}
	extreme, all := 0, 1<<len(ranks)
	for signs := range all {
		sum := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				sum += r
			}
		}
		if math.Abs(sum-total/2) >= math.Abs(observed-total/2) {
			extreme++
		}
	}
	return float64(extreme) / float64(all)
}

// TestAgainstEnumeration compares signedRank with enumerated. The values are small integers, so
// that many are tied or zero.
func TestAgainstEnumeration(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		widest := rapid.IntRange(0, 40).Draw(t, "widest")
		ints := rapid.SliceOfN(rapid.IntRange(-widest, widest), 1, 12).Draw(t, "values")
		d := make([]float64, 0, len(ints))
		for _, v := range ints {
			d = append(d, float64(v))
		}
		if p, want := signedRank(d), enumerated(d); math.Abs(p-want) > 1e-12 {
			t.Fatalf("p %v of %v, want %v", p, d, want)
		}
	})
}

// TestNormalApproximation verifies that the approximation agrees with the exact distribution for
// about exactUpTo ranks, where the code switches from one to the other, with ties and with zeros.
func TestNormalApproximation(t *testing.T) {
	ranks := func(n, tied, zeros int) (all []int) {
		for i := range n {
			from := zeros + i - i%tied
			all = append(all, 2*from+1+tied)
		}
		return all
	}
	for _, c := range [][3]int{{50, 1, 0}, {50, 5, 0}, {40, 2, 10}} {
		short := ranks(c[0], c[1], c[2])
		total := 0
		for _, r := range short {
			total += r
		}
		exact := tails(short)
		// Zero ranks change neither the sum nor its variance, but make the list long enough for the
		// approximation.
		approximate := tails(append(make([]int, exactUpTo), short...))
		// The probability of half a rank is 0.002 in the middle, so the tolerance detects a missing
		// continuity correction.
		for share, within := range map[float64]float64{0.3: 0.0015, 0.35: 0.0015, 0.4: 0.0015, 0.5: 0.001} {
			s := int(share*float64(total)) &^ 1 // doubled rank sums are even without ties
			if a, e := approximate(s), exact(s); math.Abs(a-e) > within {
				t.Errorf("%v: the probability of a sum up to %d is %v, approximately %v", c, s, e, a)
			}
		}
	}
}

// TestDistributionIsExact verifies that the probabilities of an exact distribution sum to exactly
// 1, without rounding errors.
func TestDistributionIsExact(t *testing.T) {
	for n := 1; n <= exactUpTo; n++ {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = 2 * (i + 1)
		}
		sum := 0.0
		for _, p := range distribution(ranks) {
			sum += p
		}
		if sum != 1 {
			t.Errorf("the probabilities for %d ranks sum to 1 and %v", n, sum-1)
		}
	}
}
