package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// decided reports whether a difference in CPU time has been decided.
func decided(of []measure.Metric) bool {
	i := slices.IndexFunc(of, func(m measure.Metric) bool { return m.Name == "cpu" })
	return i >= 0 && of[i].Outcome != measure.Open
}

// A machine simulates a virtual machine, with the noise that was measured on real ones: its speed
// varies by 10 % from round to round and by as much from run to run. So half of the variance is
// common to the runs of a round.
type machine struct {
	random *rand.Rand
	runs   int
	round  float64
	second float64 // factor for the second run of a round
}

func (m *machine) run(cpu float64, sides int) map[string]float64 {
	place := m.runs % sides
	if place == 0 {
		m.round = 1 + 0.09*m.random.NormFloat64()
	}
	m.runs++
	t := cpu * max(m.round, 0.5) * max(1+0.09*m.random.NormFloat64(), 0.5)
	if place == 1 {
		t *= m.second
	}
	return map[string]float64{"cpu": t, "wall": t * (1 + 0.05*m.random.Float64()), "rss": 1e7 * (1 + 0.02*m.random.Float64()), "allocs": 100, "bytes": 6400, "operations": 1000}
}

// session compares a base with a head that takes factor times its CPU time. It returns the CPU
// metric and the number of rounds.
func session(t *testing.T, seed uint64, factor, second float64, looks []stats.Look) (measure.Metric, int) {
	t.Helper()
	m := &machine{random: rand.New(rand.NewPCG(seed, 7)), second: second}
	d, err := measure.Measure(t.Context(), measure.Plan{
		Sides: 2, Looks: looks, Decided: decided, MinEffect: 0.05, Seed: seed,
		Subjects: []measure.Subject{{Name: "x", Run: func(_ context.Context, side int) (map[string]float64, error) {
			if side == 1 {
				return m.run(factor, 2), nil
			}
			return m.run(1, 2), nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range d.Metrics("x", 1) {
		if metric.Name == "cpu" {
			return metric, d.Rounds("x")
		}
	}
	t.Fatal("no CPU time")
	return measure.Metric{}, 0
}

// TestSameProgramTwice compares a program with itself: at most 5 % of the sessions may claim a
// difference. At a rate of 5 %, 18 of 200 occur once in 200 times.
func TestSameProgramTwice(t *testing.T) {
	claims := 0
	for seed := range uint64(200) {
		if m, _ := session(t, seed, 1, 1, stats.Looks(0.05, 0)); m.Outcome == measure.Better || m.Outcome == measure.Worse {
			claims++
		}
	}
	t.Logf("%d of 200 sessions claimed a difference", claims)
	if claims > 18 {
		t.Errorf("%d of 200 sessions claimed a difference", claims)
	}
}

// The second run of each round is 5 % slower, whichever side it is. The random order of the sides
// must cancel this.
func TestOrderDoesNotMatter(t *testing.T) {
	claims := 0
	for seed := range uint64(200) {
		if m, _ := session(t, seed, 1, 1.05, []stats.Look{{N: 40, Alpha: 0.05}}); m.Outcome == measure.Better || m.Outcome == measure.Worse {
			claims++
		}
	}
	if claims > 18 {
		t.Errorf("%d of 200 sessions took the order for a difference", claims)
	}
}

// A load alternates in step with the rounds: it is on for two runs and off for two. If every second
// round reversed the order of the one before it, the second run of a round and the first run of the
// next would be of the same side and equally loaded, and the load would look like a difference.
func TestLoadInStep(t *testing.T) {
	claims := 0
	for seed := range uint64(200) {
		runs := 0
		d, err := measure.Measure(t.Context(), measure.Plan{
			Sides: 2, Looks: stats.Looks(0.05, 0), Decided: decided, MinEffect: 0.05, Seed: seed,
			Subjects: []measure.Subject{{Name: "x", Run: func(context.Context, int) (map[string]float64, error) {
				loaded := (runs+1)/2%2 == 1
				runs++
				if loaded {
					return map[string]float64{"cpu": 1.5 + 0.001*float64(runs%7)}, nil
				}
				return map[string]float64{"cpu": 1 + 0.001*float64(runs%7)}, nil
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if m := d.Metrics("x", 1)[0]; m.Outcome == measure.Better || m.Outcome == measure.Worse {
			claims++
		}
	}
	t.Logf("%d of 200 sessions took the load for a difference", claims)
	if claims > 18 {
		t.Errorf("%d of 200 sessions took the load for a difference", claims)
	}
}

// worse returns the names of the metrics that got worse.
func worse(of []measure.Metric) (names []string) {
	for _, m := range of {
		if m.Outcome == measure.Worse {
			names = append(names, m.Name)
		}
	}
	return names
}

// confirming compares a base with a head that takes factor times its CPU time, and later times from
// the round from on. A loss must be confirmed in a second measurement.
func confirming(t *testing.T, seed uint64, factor float64, from int, later float64, done []measure.Run) (measure.Metric, []measure.Run) {
	t.Helper()
	m := &machine{random: rand.New(rand.NewPCG(seed, 7)), second: 1}
	var saved []measure.Run
	d, err := measure.Measure(t.Context(), measure.Plan{
		Sides: 2, Looks: []stats.Look{{N: 10, Alpha: 0.05}}, Decided: decided, Confirm: worse, MinEffect: 0.05, Seed: seed, Done: done,
		Save: func(r measure.Run) error { saved = append(saved, r); return nil },
		Subjects: []measure.Subject{{Name: "x", Run: func(_ context.Context, side int) (map[string]float64, error) {
			f := factor
			if m.runs/2 >= from {
				f = later
			}
			if side == 0 {
				f = 1
			}
			figures := m.run(f, 2)
			delete(figures, "wall")
			return figures, nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d.Metrics("x", 1)[0], saved
}

// A loss is final only if a second measurement of as many rounds confirms it. The rounds that first
// showed it must not affect the confirmation.
func TestLossIsSeenTwice(t *testing.T) {
	m, runs := confirming(t, 1, 2, 10, 2, nil)
	if m.Outcome != measure.Worse || m.Again == nil || !m.Again.Confirmed || m.Again.P > 0.05 || len(m.Base) != 10 || len(m.Again.Base) != 10 || len(runs) != 40 {
		t.Errorf("a loss that stays: %+v, %d runs", m, len(runs))
	}
	m, runs = confirming(t, 1, 2, 10, 1, nil)
	if m.Outcome != measure.Open || m.Again == nil || m.Again.Confirmed || m.Again.Ratio > 1.3 || m.Ratio < 1.7 || len(runs) != 40 {
		t.Errorf("a loss that goes: %+v, %d runs", m, len(runs))
	}
	m, _ = confirming(t, 1, 2, 10, 0.5, nil)
	if m.Outcome != measure.Open || m.Again == nil || m.Again.P < 0.9 {
		t.Errorf("a loss that turns into a gain: %+v", m)
	}
	m, runs = confirming(t, 1, 0.5, 10, 0.5, nil)
	if m.Outcome != measure.Better || m.Again != nil || len(runs) != 20 {
		t.Errorf("a gain: %+v, %d runs", m, len(runs))
	}
}

// A measurement that was interrupted during the confirmation of a loss must resume there.
func TestConfirmationResumes(t *testing.T) {
	whole, runs := confirming(t, 1, 2, 10, 2, nil)
	resumed, rest := confirming(t, 2, 2, 0, 2, runs[:30])
	if len(rest) != 10 || resumed.Outcome != measure.Worse || !resumed.Again.Confirmed || !slices.Equal(resumed.Base, whole.Base) {
		t.Errorf("%d more runs, %+v", len(rest), resumed)
	}
}

// TestFalseLossesAreRare compares a program with itself. At most 2.5 % of the sessions claim a
// loss, and at most 5 % of these confirm it, which makes 1 in 800. At that rate, 6 of 1000 occur
// once in 800 times. A real loss of 20 % must be confirmed in most sessions.
func TestFalseLossesAreRare(t *testing.T) {
	alarms, found := 0, 0
	for seed := range uint64(1000) {
		if m, _ := confirming(t, seed, 1, 0, 1, nil); m.Outcome == measure.Worse {
			alarms++
		}
	}
	for seed := range uint64(200) {
		if m, _ := confirming(t, seed, 1.2, 0, 1.2, nil); m.Outcome == measure.Worse {
			found++
		}
	}
	t.Logf("%d of 1000 sessions of equals end with a loss; a loss of 20 %% is confirmed in %d of 200", alarms, found)
	if alarms > 6 || found < 150 {
		t.Errorf("%d of 1000 sessions of equals end with a loss; a loss of 20 %% is confirmed in %d of 200", alarms, found)
	}
}

// A loss of 20 % must be found at the first look in most sessions, and never be taken for a gain.
func TestTwentyPercentAreFound(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		m, rounds := session(t, seed, 1.2, 1, stats.Looks(0.05, 0))
		if m.Outcome == measure.Worse && rounds == 10 {
			found++
		}
		if m.Outcome == measure.Better {
			t.Errorf("seed %d: 20 %% more was taken for less", seed)
		}
	}
	t.Logf("found within 10 rounds in %d of 200 sessions", found)
	if found < 120 {
		t.Errorf("found within 10 rounds in %d of 200 sessions only", found)
	}
}

func TestCountsAreExact(t *testing.T) {
	for name, test := range map[string]struct {
		base, head []float64
		want       measure.Outcome
		exact      bool
	}{
		"fewer":                {[]float64{100, 100, 100}, []float64{99, 99, 99}, measure.Better, true},
		"the runtime's":        {[]float64{100, 100, 100}, []float64{100.005, 100, 100}, measure.Equal, true},
		"more":                 {[]float64{100, 100.001, 100}, []float64{101, 101, 101}, measure.Worse, true},
		"from nothing":         {[]float64{0, 0, 0}, []float64{1, 1, 1}, measure.Worse, true},
		"from nothing, nearly": {[]float64{0.001, 0, 0.001}, []float64{1, 1.009, 1}, measure.Worse, true},
		"too much noise":       {[]float64{100, 110, 90}, []float64{50, 55, 45}, measure.Open, false},
	} {
		next := [2]int{}
		d, err := measure.Measure(t.Context(), measure.Plan{
			Sides: 2, Looks: []stats.Look{{N: 3, Alpha: 0.05}}, Decided: decided, MinEffect: 0.05,
			Subjects: []measure.Subject{{Name: "x", Run: func(_ context.Context, side int) (map[string]float64, error) {
				v := [2][]float64{test.base, test.head}[side][next[side]]
				next[side]++
				return map[string]float64{"allocs": v, "operations": 1000}, nil
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if m := d.Metrics("x", 1); len(m) != 1 || m[0].Outcome != test.want || m[0].Exact != test.exact {
			t.Errorf("%s: %+v, want %s", name, m, test.want)
		} else if (m[0].Before == 0) != (test.base[0] < 0.01) || (m[0].Ratio == 0) != (m[0].Before == 0) {
			t.Errorf("%s: %v to %v is a ratio of %v", name, m[0].Before, m[0].After, m[0].Ratio)
		}
	}
}

// A measurement that was interrupted must resume where it stopped, with the same pairs.
func TestMeasurementResumes(t *testing.T) {
	var saved []measure.Run
	stop := errors.New("enough")
	plan := measure.Plan{
		Sides: 2, Looks: []stats.Look{{N: 12, Alpha: 0.05}}, Decided: decided, MinEffect: 0.05,
		Save: func(r measure.Run) error { saved = append(saved, r); return nil },
	}
	run := func(limit int) func(context.Context, int) (map[string]float64, error) {
		return func(_ context.Context, side int) (map[string]float64, error) {
			if limit--; limit < 0 {
				return nil, stop
			}
			return map[string]float64{"cpu": float64(side + 1)}, nil
		}
	}
	plan.Subjects = []measure.Subject{{Name: "x", Run: run(9)}}
	d, err := measure.Measure(t.Context(), plan)
	if !errors.Is(err, stop) || d.Rounds("x") != 4 || len(saved) != 9 {
		t.Fatalf("%v after %d rounds, %d runs", err, d.Rounds("x"), len(saved))
	}
	plan.Done, plan.Seed = slices.Clone(saved), 99
	plan.Subjects = []measure.Subject{{Name: "x", Run: run(15)}}
	d, err = measure.Measure(t.Context(), plan)
	if err != nil || d.Rounds("x") != 12 || len(saved) != 24 {
		t.Fatalf("%v after %d rounds, %d runs", err, d.Rounds("x"), len(saved))
	}
	if m := d.Metrics("x", 1); m[0].Ratio < 1.99 || m[0].Ratio > 2.01 || m[0].Outcome != measure.Worse {
		t.Errorf("%+v", m)
	}
}
