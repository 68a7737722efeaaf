package paired

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// Computed by hand: in ascending order 0.005, 0.011, 0.02, 0.04, 0.13 times 5, 4, 3, 2, 1 is 0.025, 0.044,
// 0.06, 0.08, 0.13, which already ascends; in the second, 0.9 times 1 is below 0.5 times 2.
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

func TestLooks(t *testing.T) {
	for most, want := range map[int][]Look{
		0:  {{10, 0.0125}, {20, 0.0125}, {40, 0.0125}, {80, 0.0125}},
		80: {{10, 0.0125}, {20, 0.0125}, {40, 0.0125}, {80, 0.0125}},
		40: {{10, 0.05 / 3}, {20, 0.05 / 3}, {40, 0.05 / 3}},
		19: {{10, 0.05}},
		1:  {{10, 0.05}},
	} {
		got := Looks(0.05, most)
		if len(got) != len(want) {
			t.Fatalf("at most %d: %v, want %v", most, got, want)
		}
		for i, l := range got {
			if l.N != want[i].N || math.Abs(l.Alpha-want[i].Alpha) > 1e-15 {
				t.Errorf("at most %d: look %d is %+v, want %+v", most, i, l, want[i])
			}
		}
	}
}

// A session that stops at the first look that proves something finds a difference between equals in at
// most 5 % of cases, on both sides alike.
func TestFalseAlarmsOfThePlan(t *testing.T) {
	testsize.OnlyInFull(t, "it simulates many sessions")
	sessions := simulated(2000)
	random := rand.New(rand.NewPCG(4, 1))
	count := map[Verdict]int{}
	for range sessions {
		base, head := rounds(80, 1, 0.13, 0.5, heavy(random))
		for _, look := range Looks(0.05, 0) {
			if v := compare(t, base[:look.N], head[:look.N], look.Alpha).Verdict(0.05); v == Faster || v == Slower {
				count[v]++
				break
			}
		}
	}
	t.Logf("%d faster and %d slower of %d", count[Faster], count[Slower], sessions)
	side, all := 0.025*float64(sessions), 0.05*float64(sessions)
	if count[Faster]+count[Slower] > int(all+3*math.Sqrt(all)) || count[Faster] > int(side+3*math.Sqrt(side)) || count[Slower] > int(side+3*math.Sqrt(side)) {
		t.Errorf("of %d sessions of equals, %d are faster and %d slower", sessions, count[Faster], count[Slower])
	}
	if least := sessions / 200; count[Faster] < least || count[Slower] < least {
		t.Errorf("of %d sessions of equals, %d are faster and %d slower: the plan spends less than it may", sessions, count[Faster], count[Slower])
	}
}
