package measure_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// reporting measures two sides that report the metric hits/op with the values from value. The
// head's CPU time is 50 % longer.
func reporting(t *testing.T, rounds int, better metric.Direction, value func(side, run int) (float64, bool)) *measure.Data {
	t.Helper()
	runs := [2]int{}
	d, err := measure.Measure(t.Context(), measure.Plan{
		Sides: 2, Looks: []stats.Look{{N: rounds, Alpha: 0.05}}, MinEffect: 0.05, Seed: 1,
		Better: func(name string) metric.Direction {
			if name != metric.OfUnit("hits/op") {
				t.Errorf("asked for %s", name)
			}
			return better
		},
		Subjects: []measure.Subject{{Name: "x", Run: func(_ context.Context, side int) (map[string]float64, error) {
			figures := map[string]float64{"cpu": (1 + 0.01*float64(runs[side]%3)) * (1 + 0.5*float64(side))}
			if v, ok := value(side, runs[side]); ok {
				figures[metric.OfUnit("hits/op")] = v
			}
			runs[side]++
			return figures, nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hits returns the reported metric, if there is one.
func hits(d *measure.Data) (measure.Metric, bool) {
	all := d.Metrics("x", 1)
	i := slices.IndexFunc(all, func(m measure.Metric) bool { return measure.Reported(m.Name) })
	if i < 0 {
		return measure.Metric{}, false
	}
	return all[i], true
}

// A reported value that is the same in every run is compared exactly. It is judged only if it is
// known whether higher or lower is better.
func TestReportedExactly(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		better        metric.Direction
		want          measure.Outcome
		ratio         float64
	}{
		{0.333, 0.25, metric.Higher, measure.Worse, 0.25 / 0.333},
		{0.333, 0.25, metric.Lower, measure.Better, 0.25 / 0.333},
		{0.333, 0.25, metric.Unknown, measure.Open, 0.25 / 0.333},
		{0.25, 0.333, metric.Higher, measure.Better, 0.333 / 0.25},
		{0.25, 0.25, metric.Unknown, measure.Equal, 1},
		{0.25, 0.250001, metric.Higher, measure.Equal, 0.250001 / 0.25},
		{0.25, 0, metric.Higher, measure.Worse, 0},
		{0, 0.25, metric.Higher, measure.Better, 0},
		{0, 0, metric.Higher, measure.Equal, 0},
		{-4, -2, metric.Higher, measure.Better, 0},
		{-4, -2, metric.Lower, measure.Worse, 0},
	} {
		m, ok := hits(reporting(t, 6, c.better, func(side, _ int) (float64, bool) { return []float64{c.before, c.after}[side], true }))
		if !ok || !m.Exact || m.Outcome != c.want || m.Ratio != c.ratio || m.P != 0 || m.Tested() {
			t.Errorf("%+v: %+v", c, m)
		}
	}
}

// A reported value that varies is tested as times are, if its direction is known. Otherwise it is
// only shown, and its p value must not affect the correction for multiple tests.
func TestReportedTested(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	rate := func(factor float64) func(side, run int) (float64, bool) {
		return func(side, _ int) (float64, bool) {
			v := 100 + 4*random.Float64()
			if side == 1 {
				v *= factor
			}
			return v, true
		}
	}
	for _, c := range []struct {
		factor float64
		better metric.Direction
		want   measure.Outcome
	}{
		{1.5, metric.Higher, measure.Better}, {1.5, metric.Lower, measure.Worse}, {1.5, metric.Unknown, measure.Open},
		{0.5, metric.Higher, measure.Worse}, {0.5, metric.Lower, measure.Better}, {0.5, metric.Unknown, measure.Open},
	} {
		d := reporting(t, 12, c.better, rate(c.factor))
		m, ok := hits(d)
		if !ok || m.Exact || m.Outcome != c.want || math.Abs(m.Ratio-c.factor) > 0.05*c.factor || m.Lo == 0 {
			t.Errorf("%+v: %+v", c, m)
		}
		if judged := c.better != metric.Unknown; judged != (m.Holm > 0) || judged != m.Tested() {
			t.Errorf("%+v: Holm %v", c, m.Holm)
		}
		cpu := d.Metrics("x", 1)[0]
		if family := c.better != metric.Unknown; cpu.Name != "cpu" || (cpu.Holm > cpu.P) != family {
			t.Errorf("%+v: p %v of the CPU time became %v", c, cpu.P, cpu.Holm)
		}
	}
}

// A loss in a metric that should be high must be confirmed, like any other loss.
func TestReportedLossIsConfirmed(t *testing.T) {
	for _, c := range []struct {
		later float64 // factor in the confirming rounds
		want  measure.Outcome
	}{{0.5, measure.Worse}, {1.01, measure.Open}, {2, measure.Open}} {
		random, runs := rand.New(rand.NewPCG(3, 3)), [2]int{}
		d, err := measure.Measure(t.Context(), measure.Plan{
			Sides: 2, Looks: []stats.Look{{N: 12, Alpha: 0.05}}, MinEffect: 0.05, Seed: 1,
			Better:  func(string) metric.Direction { return metric.Higher },
			Confirm: func([]measure.Metric) []string { return []string{metric.OfUnit("B/s")} },
			Subjects: []measure.Subject{{Name: "x", Run: func(_ context.Context, side int) (map[string]float64, error) {
				v := 100 + 4*random.Float64()
				if side == 1 && runs[side] < 12 {
					v *= 0.5
				} else if side == 1 {
					v *= c.later
				}
				runs[side]++
				return map[string]float64{metric.OfUnit("B/s"): v}, nil
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		m, ok := hits(d)
		if !ok || m.Again == nil || m.Again.Confirmed != (c.want == measure.Worse) || m.Outcome != c.want {
			t.Errorf("%v: %+v", c.later, m)
		}
	}
}

// A metric that only one side reports, or that is missing in some runs, is not compared.
// NotCompared must name it.
func TestReportedByOneSide(t *testing.T) {
	for what, value := range map[string]func(side, run int) (float64, bool){
		"base": func(side, _ int) (float64, bool) { return 1, side == 0 },
		"head": func(side, _ int) (float64, bool) { return 1, side == 1 },
		"some": func(side, run int) (float64, bool) { return 1, side == 0 || run != 2 },
	} {
		d := reporting(t, 6, metric.Higher, value)
		if m, ok := hits(d); ok {
			t.Errorf("%s: %+v", what, m)
		}
		if got := fmt.Sprint(d.NotCompared("x", 1)); got != "[hits/op]" {
			t.Errorf("%s: not compared are %s", what, got)
		}
	}
	d := reporting(t, 6, metric.Higher, func(int, int) (float64, bool) { return 1, true })
	if got := d.NotCompared("x", 1); len(got) > 0 {
		t.Errorf("not compared are %v", got)
	}
}

// Gain and Loss use the same scale for both directions: a ratio of 0.8 where lower is better equals
// a ratio of 1.25 where higher is better.
func TestGainAndLoss(t *testing.T) {
	for _, c := range []struct {
		better     metric.Direction
		ratio      float64
		gain, loss float64
	}{
		{metric.Unknown, 0.8, 0.25, -0.2}, {metric.Lower, 0.8, 0.25, -0.2}, {metric.Higher, 1.25, 0.25, -0.2}, {metric.Higher, 0.8, -0.2, 0.25},
		{metric.Higher, 0, math.Inf(1), math.Inf(1)}, {metric.Lower, 0, math.Inf(1), math.Inf(1)},
	} {
		m := measure.Metric{Better: c.better, Ratio: c.ratio}
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-12 }
		if !near(m.Gain(), c.gain) || !near(m.Loss(), c.loss) {
			t.Errorf("%+v: gain %v, loss %v", c, m.Gain(), m.Loss())
		}
	}
}
