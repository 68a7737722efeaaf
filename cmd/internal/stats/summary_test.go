package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noise returns a source of values that resemble CPU times: they vary around a mean and have a
// longer tail above it.
func noise(random *rand.Rand, mean float64) func() float64 {
	return func() float64 { return mean * (1 + 0.02*random.NormFloat64() + 0.02*random.ExpFloat64()) }
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{5, 1, 4, 2, 3, 9, 7})
	if s.N != 7 || s.Median != 4 || s.Min != 1 || s.Max != 9 || math.Abs(s.Mean-31.0/7) > 1e-12 || math.Abs(s.StdDev-2.8202) > 1e-3 {
		t.Errorf("%+v", s)
	}
	if s.Lo > 2 || s.Hi < 7 {
		t.Errorf("an interval of %v to %v is too narrow for seven values", s.Lo, s.Hi)
	}
	if got := Summarize(nil); got.N != 0 {
		t.Errorf("no values: %+v", got)
	}
}

// TestLevelsOfMedians verifies the levels of the intervals between two order statistics, which are
// listed in docs/LAB.md. The levels are sums of binomial probabilities. For example, the median of
// the distribution is between the lowest and the second highest of eight values in 246 of 256
// cases.
func TestLevelsOfMedians(t *testing.T) {
	for n, want := range map[int]struct{ lo, hi, level float64 }{
		6: {1, 6, 62. / 64}, 7: {1, 7, 126. / 128}, 8: {1, 7, 246. / 256}, 9: {2, 8, 492. / 512}, 10: {2, 9, 1002. / 1024},
		12: {3, 10, 3938. / 4096}, 20: {6, 15, 1005176. / 1048576},
	} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		if s := Summarize(values); s.Lo != want.lo || s.Hi != want.hi || math.Abs(s.Level-want.level) > 1e-6 {
			t.Errorf("%d values: from %v to %v at %.4f, want %+v", n, s.Lo, s.Hi, s.Level, want)
		}
	}
	if s := Summarize([]float64{1, 2, 3, 4, 5}); !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) {
		t.Errorf("five values have an interval: %+v", s)
	}
}

func TestBimodalFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	wrong := 0
	for range 500 {
		values := make([]float64, 0, 20)
		draw := noise(random, 1)
		for range 20 {
			values = append(values, draw())
		}
		if _, _, ok := Bimodal(values); ok {
			wrong++
		}
	}
	if wrong > 5 {
		t.Errorf("%d of 500 samples of one group look like two", wrong)
	}
}

func TestOutlierIsNotAGroup(t *testing.T) {
	if _, _, ok := Bimodal([]float64{1, 1.01, 1.02, 1.01, 1, 1.02, 1.01, 3}); ok {
		t.Error("one value of eight is a group")
	}
}
