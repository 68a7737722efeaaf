package paired

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// needed determines by simulation how many pairs prove an effect with a probability of 80 %.
func needed(t *testing.T, effect, cv float64, draw func() float64) int {
	sessions := simulated(400)
	power := func(n int) float64 {
		found := 0
		for range sessions {
			base, head := rounds(n, 1+effect, cv, 0.5, draw)
			if compare(t, base, head, 0.05).Lo > 1 {
				found++
			}
		}
		return float64(found) / float64(sessions)
	}
	low, high := 5, 10 // the result is above low; high grows until it is enough
	for power(high) < 0.8 {
		low, high = high, 2*high
	}
	for high-low > 1+high/20 {
		if middle := (low + high) / 2; power(middle) < 0.8 {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// TestForecastAgainstSimulation verifies that the median forecast from 10 or 40 pairs is within a
// factor of 1.5 of the simulated number. It also limits the share of forecasts that are off by a
// factor of 2, which is documented at Forecast.
func TestForecastAgainstSimulation(t *testing.T) {
	testsize.OnlyInFull(t, "it simulates many sessions")
	for name, from := range distributions {
		draw := from(rand.New(rand.NewPCG(5, 1)))
		for _, effect := range []float64{0.2, 0.1, 0.05} {
			want := needed(t, effect, 0.13, draw)
			for _, n := range []int{10, 40} {
				sessions := simulated(200)
				all := make([]int, sessions)
				far := 0
				for i := range all {
					base, head := rounds(n, 0.9, 0.13, 0.5, draw)
					f := Forecast(base, head, effect, 0.05, 0.8)
					all[i] = f
					if 2*f < want || f > 2*want {
						far++
					}
				}
				slices.Sort(all)
				median := float64(all[len(all)/2])
				t.Logf("%s, %v: %d pairs are needed; forecasts from %d pairs: median %v, %d of %d off by 2", name, effect, want, n, median, far, sessions)
				if ratio := median / float64(want); ratio > 1.5 || ratio < 1/1.5 {
					t.Errorf("%s, %v: %d pairs are needed, and %v forecast from %d", name, effect, want, median, n)
				}
				if limit := map[int]float64{10: 0.40, 40: 0.125}[n]; float64(far) > limit*float64(sessions) {
					t.Errorf("%s, %v: %d of %d forecasts from %d pairs are off by a factor of 2", name, effect, far, sessions, n)
				}
			}
		}
	}
}

// TestDetectableInvertsForecast verifies that Forecast returns n, up to rounding, for the effect
// that Detectable returns for n pairs.
func TestDetectableInvertsForecast(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	base, head := rounds(20, 1, 0.13, 0.5, random.NormFloat64)
	for _, n := range []int{8, 20, 50, 300} {
		effect := Detectable(base, head, n, 0.05, 0.8)
		if f := Forecast(base, head, effect, 0.05, 0.8); f != n && f != n+1 {
			t.Errorf("%d pairs see %v, for which the forecast is %d", n, effect, f)
		}
	}
}

func TestForecastAtItsLimits(t *testing.T) {
	same := []float64{1, 1, 1, 1}
	if f := Forecast(same, same, 0.05, 0.05, 0.8); f != 6 {
		t.Errorf("without any spread %d pairs are needed, want the fewest that prove anything, 6", f)
	}
	for name, f := range map[string]int{
		"two pairs":     Forecast(same[:2], same[:2], 0.05, 0.05, 0.8),
		"no effect":     Forecast(same, same, 0, 0.05, 0.8),
		"no pairs":      Forecast(nil, nil, 0.05, 0.05, 0.8),
		"a figure of 0": Forecast(same, []float64{1, 1, 0, 1}, 0.05, 0.05, 0.8),
	} {
		if f != 0 {
			t.Errorf("%s: %d pairs forecast", name, f)
		}
	}
	for name, effect := range map[string]float64{
		"five pairs": Detectable(same, same, 5, 0.05, 0.8), "no pairs": Detectable(nil, nil, 100, 0.05, 0.8),
	} {
		if !math.IsInf(effect, 1) {
			t.Errorf("%s: %v is detectable", name, effect)
		}
	}
}

// TestFewestPairs verifies that Fewest returns the smallest sufficient number: this number of
// pairs, all in the same direction, proves a difference, and one pair fewer does not.
func TestFewestPairs(t *testing.T) {
	for _, alpha := range []float64{0.2, 0.05, 0.0125, 0.001} {
		n := Fewest(alpha)
		for pairs, proven := range map[int]bool{n: true, n - 1: false} {
			base, head := rounds(pairs, 2, 0, 0, func() float64 { return 0 })
			if e := compare(t, base, head, alpha); (e.P <= alpha) != proven {
				t.Errorf("at level %v %d pairs of one direction have p = %v, and %d are the fewest", alpha, pairs, e.P, n)
			}
		}
	}
}

// TestDeviation verifies that the median deviation of normal log ratios is the standard error of
// their mean: the standard deviation divided by the square root of the number of pairs. The
// deviation is proportional to the log ratios, and two pairs have none.
func TestDeviation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	const n, spread = 30, 0.1
	all := make([]float64, simulated(400))
	for i := range all {
		base, head, wider := make([]float64, n), make([]float64, n), make([]float64, n)
		for k := range n {
			log := spread * r.NormFloat64()
			base[k], head[k], wider[k] = 1, math.Exp(log), math.Exp(2*log)
		}
		narrow, ok := Deviation(base, head)
		wide, _ := Deviation(base, wider)
		if !ok || math.Abs(wide-2*narrow) > 1e-9 {
			t.Fatalf("the deviation is %v (%v), and %v of ratios that deviate twice as much", narrow, ok, wide)
		}
		all[i] = narrow
	}
	slices.Sort(all)
	if median, want := all[len(all)/2], spread/math.Sqrt(n); math.Abs(median/want-1) > 0.15 {
		t.Errorf("the median of the deviations is %v, want %v", median, want)
	}
	if d, ok := Deviation([]float64{1, 1}, []float64{2, 3}); ok {
		t.Errorf("two pairs have the deviation %v", d)
	}
}
