package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func sampleAround(random *rand.Rand, center float64, n int) Summary {
	values := make([]float64, n)
	for i := range values {
		values[i] = center * (1 + 0.02*random.NormFloat64())
	}
	return Summarize(values)
}

// TestCompareOfSetsThatDoNotOverlap verifies that two sets of eight runs that do not overlap have
// the smallest possible p value: 2 of the 12870 ways to divide 16 runs into two sets of eight are
// as extreme.
func TestCompareOfSetsThatDoNotOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	u := Compare(sampleAround(random, 1, 8), sampleAround(random, 1.5, 8))
	if want := 2.0 / 12870; math.Abs(u.P-want) > 1e-9 || math.Abs(u.LeastP()-want) > 1e-9 {
		t.Errorf("p %g, least %g, want both %g", u.P, u.LeastP(), want)
	}
	if d := u.Difference(); d < 0.4 || d > 0.6 {
		t.Errorf("difference %g, want about 0.5", d)
	}
}

// TestCompareOfEqualDistributions verifies that two samples of the same distribution differ about
// as often as the level permits.
func TestCompareOfEqualDistributions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	differences := 0
	for range 1000 {
		if Compare(sampleAround(random, 1, 10), sampleAround(random, 1, 10)).P <= 0.05 {
			differences++
		}
	}
	if differences < 20 || differences > 75 {
		t.Errorf("%d of 1000 sessions differ, want about 45", differences)
	}
}

// TestCompareOfEqualValues verifies that samples with tied values have p values above 0.05 and at
// most 1.
func TestCompareOfEqualValues(t *testing.T) {
	one := Summarize([]float64{1, 1, 1, 1, 1, 1})
	for _, other := range []Summary{one, Summarize([]float64{1, 1, 1, 2, 1, 0}), Summarize([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2})} {
		if p := Compare(one, other).P; p <= 0.05 || p > 1 {
			t.Errorf("p %g", p)
		}
	}
}

func TestAdjusted(t *testing.T) {
	got := Adjusted([]Unpaired{{P: 0.01}, {P: 0.04}, {P: 0.03}})
	for i, want := range []float64{0.03, 0.06, 0.06} {
		if math.Abs(got[i].P-want) > 1e-12 {
			t.Errorf("p %d is %g, want %g", i, got[i].P, want)
		}
	}
}
