package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// The expected values were computed by hand. In the first case, the sorted values 0.005, 0.011,
// 0.02, 0.04 and 0.13 times 5, 4, 3, 2 and 1 are 0.025, 0.044, 0.06, 0.08 and 0.13, which already
// ascend. In the second case, 0.9 times 1 is less than 0.5 times 2, so both values become 1.
func TestHolm(t *testing.T) {
	for _, c := range [][2][]float64{
		{{0.02, 0.005, 0.13, 0.011, 0.04}, {0.06, 0.025, 0.13, 0.044, 0.08}},
		{{0.9, 0.5, 0.01}, {1, 1, 0.03}},
		{{0.03, 0.03, 0.04}, {0.09, 0.09, 0.09}},
		{{0.04}, {0.04}},
		{nil, {}},
	} {
		got := Holm(c[0])
		if !slices.EqualFunc(got, c[1], func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("Holm(%v) is %v, want %v", c[0], got, c[1])
		}
	}
}

// TestHolmKeepsOrder verifies that adjusted values are at least the original values, at most the
// values adjusted by Bonferroni's method, and in the same order.
func TestHolmKeepsOrder(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > min(1, float64(len(p))*p[i]) {
				t.Fatalf("%v became %v of %d", p[i], adjusted[i], len(p))
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Fatalf("%v and %v became %v and %v", p[i], p[j], adjusted[i], adjusted[j])
				}
			}
		}
	})
}
