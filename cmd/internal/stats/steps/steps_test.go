package steps

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// noises contains typical distributions of benchmark results: normal, with outliers on one side,
// with two groups, and with ties.
var noises = map[string]func(*rand.Rand) float64{
	"normal": func(r *rand.Rand) float64 { return 0.03 * r.NormFloat64() },
	"outliers": func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 0.03*r.NormFloat64() + 0.5*r.ExpFloat64()
		}
		return 0.03 * r.NormFloat64()
	},
	"two groups": func(r *rand.Rand) float64 { return 0.02*r.NormFloat64() + 0.1*float64(r.IntN(2)) },
	"ties":       func(r *rand.Rand) float64 { return float64(r.IntN(3)) / 50 },
}

func series(r *rand.Rand, n int, noise func(*rand.Rand) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = noise(r)
	}
	return all
}

// TestFalseAlarms verifies that, at a level of 5 %, a step is found in at most 5 % of series
// without a step, for every distribution.
func TestFalseAlarms(t *testing.T) {
	sessions := 100
	if testsize.Full() {
		sessions = 2000
	}
	for name, noise := range noises {
		for _, n := range []int{8, 20, 100} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			alarms := 0
			for range sessions {
				if len(Find(series(r, n, noise), 0.05)) > 0 {
					alarms++
				}
			}
			rate := float64(alarms) / float64(sessions)
			t.Logf("%s, %d figures: %.1f %%", name, n, 100*rate)
			// The limit is four standard deviations above the expected rate. The seeds are fixed,
			// so the result is always the same.
			if limit := 0.05 + 4*math.Sqrt(0.05*0.95/float64(sessions)); rate > limit {
				t.Errorf("%s, %d figures: %.1f %% false alarms, want at most 5 %%", name, n, 100*rate)
			}
		}
	}
}

// TestPower verifies that a step of 12 % is found in a series of 40 values with noise of about 3 %.
// It also verifies that the interval contains the true position as often as promised, and that the
// estimated size is close to the true one.
func TestPower(t *testing.T) {
	sessions := 20
	if testsize.Full() {
		sessions = 200
	}
	for name, noise := range noises {
		if name == "ties" {
			continue
		}
		for _, at := range []int{5, 20, 34} {
			r := rand.New(rand.NewPCG(2, uint64(at)))
			found, within, near := 0, 0, 0
			for range sessions {
				values := series(r, 40, noise)
				for i := at; i < len(values); i++ {
					values[i] += 0.06 * 2
				}
				all := Find(values, 0.01)
				if len(all) == 0 {
					continue
				}
				found++
				s := all[0]
				if s.From <= at && at <= s.To {
					within++
				}
				if s.From > s.At || s.At > s.To {
					t.Fatalf("%+v", s)
				}
				if math.Abs(s.Shift-0.12) < 0.05 {
					near++
				}
			}
			t.Logf("%s, step at %d of 40: found %d %%, place within its interval %d of %d, size near %d", name, at, 100*found/sessions, within, found, near)
			least := sessions * 9 / 10
			if at != 20 {
				least = sessions / 2 // only five or six values on one side
			}
			if found < least {
				t.Errorf("%s, step at %d: found in %d of %d", name, at, found, sessions)
			}
			if within < found*9/10 {
				t.Errorf("%s, step at %d: place in the interval in %d of %d", name, at, within, found)
			}
			if near < found*8/10 {
				t.Errorf("%s, step at %d: size near the true one in %d of %d", name, at, near, found)
			}
		}
	}
}

// TestTwoSteps verifies that Find finds both steps of a series that rises and falls back to its
// first level.
func TestTwoSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	values := series(r, 60, noises["normal"])
	for i := 20; i < 40; i++ {
		values[i] += 0.2
	}
	all := Find(values, 0.01)
	if len(all) != 2 || all[0].From > 20 || all[0].To < 20 || all[1].From > 40 || all[1].To < 40 || all[0].Shift < 0.1 || all[1].Shift > -0.1 {
		t.Errorf("%+v", all)
	}
}

// TestNoSeries verifies that a series that is too short or constant has no step, and that Find is
// deterministic.
func TestNoSeries(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {1, 1, 1, 2, 2, 2, 2}, make([]float64, 50)} {
		if all := Find(values, 0.05); len(all) > 0 {
			t.Errorf("%v: %+v", values, all)
		}
	}
	step := []float64{1, 2, 3, 4, 5, 11, 12, 13, 14, 15}
	first, second := Find(step, 0.05), Find(step, 0.05)
	if len(first) != 1 || first[0] != second[0] || first[0].At != 5 || first[0].Shift != 10 {
		t.Errorf("%+v, %+v", first, second)
	}
}

// TestLookingAfterEachCommit limits the rate of false alarms when a history is tested after each
// commit. This rate is higher than the rate of a single test. docs/PROVE.md states it.
func TestLookingAfterEachCommit(t *testing.T) {
	if !testsize.Full() {
		t.Skip("it looks many times")
	}
	const sessions = 400
	r := rand.New(rand.NewPCG(4, 4))
	alarms := 0
	for range sessions {
		values := series(r, 100, noises["normal"])
		for n := Series; n <= len(values); n++ {
			if _, p := test(values[:n], 0.003); p <= 0.003 {
				alarms++
				break
			}
		}
	}
	t.Logf("of %d histories without a step %.1f %% show one at 0.3 %% after one of 100 commits", sessions, 100*float64(alarms)/sessions)
	if alarms > sessions*8/100 {
		t.Errorf("%d of %d", alarms, sessions)
	}
}
