package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// Computed by hand: in ascending order 0.005, 0.011, 0.02, 0.04, 0.13 times 5, 4, 3, 2, 1 is 0.025,
// 0.044, 0.06, 0.08, 0.13, which already ascends; in the second, 0.9 times 1 is below 0.5 times 2.
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

// Adjusted values are at least the values and at most those of Bonferroni, and keep their order.
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
