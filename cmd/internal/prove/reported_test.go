package prove

import (
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// A metric that a benchmark reports affects the verdict if it is known whether higher or lower is
// better.
func TestVerdictOfReportedMetrics(t *testing.T) {
	hits := metric.OfUnit("hits/op")
	for name, test := range map[string]struct {
		better  metric.Direction
		outcome measure.Outcome
		after   float64 // was 100 before
		goal    string
		cpu     measure.Outcome
		want    Verdict
		reason  string
	}{
		"fewer hits":                 {metric.Higher, measure.Worse, 75, "cpu", measure.Better, Revert, "hits/op -25.0 %, over the limit of 5 %"},
		"no hits":                    {metric.Higher, measure.Worse, 0, "cpu", measure.Better, Revert, "hits/op 0, was 100"},
		"hits within the budget":     {metric.Higher, measure.Worse, 96, "cpu", measure.Better, Keep, "CPU/op -20.0 %"},
		"any hit is the goal":        {metric.Higher, measure.Worse, 99, hits, measure.Better, Revert, "hits/op -1.0 %"},
		"more hits are no goal":      {metric.Higher, measure.Better, 150, "cpu", measure.Open, Undecided, ""},
		"more hits are the goal":     {metric.Higher, measure.Better, 150, hits, measure.Open, Keep, "hits/op +50.0 %"},
		"too few more":               {metric.Higher, measure.Better, 104, hits, measure.Open, Same, ""},
		"more misses":                {metric.Lower, measure.Worse, 110, "cpu", measure.Better, Revert, "hits/op +10.0 %, over the limit of 5 %"},
		"fewer misses are the goal":  {metric.Lower, measure.Better, 50, hits, measure.Open, Keep, "hits/op -50.0 %"},
		"unknown direction":          {metric.Unknown, measure.Open, 10, "cpu", measure.Better, Keep, "CPU/op -20.0 %"},
		"equal hits are of no worth": {metric.Higher, measure.Equal, 100, hits, measure.Better, Same, ""},
	} {
		s := Subject{Metrics: []measure.Metric{
			{Name: "cpu", Outcome: test.cpu, Ratio: 0.8, Before: 10, After: 8},
			{Name: hits, Exact: true, Better: test.better, Outcome: test.outcome, Ratio: test.after / 100, Before: 100, After: test.after},
		}}
		s.judge(&Options{Goal: test.goal, MinEffect: 0.05})
		if s.Verdict != test.want || len(s.Reasons) == 0 || test.reason != "" && s.Reasons[0] != test.reason {
			t.Errorf("%s: %s, %q; want %s, %q", name, s.Verdict, s.Reasons, test.want, test.reason)
		}
	}
}

// A loss found by a statistical test is measured again. An exact loss is not.
func TestClaimsOfReportedMetrics(t *testing.T) {
	o := &Options{Goal: "cpu", MinEffect: 0.05}
	rate := measure.Metric{Name: metric.OfUnit("B/s"), Better: metric.Higher, Outcome: measure.Worse, Ratio: 0.5, Lo: 0.4, Hi: 0.6}
	exact := measure.Metric{Name: metric.OfUnit("hits/op"), Better: metric.Higher, Outcome: measure.Worse, Ratio: 0.5, Exact: true}
	small := measure.Metric{Name: metric.OfUnit("x/s"), Better: metric.Higher, Outcome: measure.Worse, Ratio: 0.97, Lo: 0.96, Hi: 0.98}
	if got := o.claims([]measure.Metric{rate, exact, small}); !slices.Equal(got, []string{rate.Name}) {
		t.Errorf("%v", got)
	}
}

// TestDirectionPrecedence verifies the sources of a metric's direction, in order of precedence: the
// user's flags, the output of the base's benchmarks, the output of a head's benchmarks, and the
// convention for the unit.
func TestDirectionPrecedence(t *testing.T) {
	p := &proof{
		Options: &Options{Higher: []string{"MB/key", "both"}, Lower: []string{"drops/s"}},
		sides: []*gobench.Tree{
			{Better: map[string]metric.Direction{"said": metric.Lower, "both": metric.Lower}},
			{Better: map[string]metric.Direction{"said": metric.Higher, "new": metric.Higher}},
		},
	}
	for unit, want := range map[string]metric.Direction{
		"B/key": metric.Higher, "both": metric.Higher, "drops/s": metric.Lower, "said": metric.Lower, "new": metric.Higher,
		"B/s": metric.Higher, "requests/s": metric.Higher, "hits/op": metric.Unknown,
	} {
		if got := p.better(metric.OfUnit(unit)); got != want {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
	for goal, ok := range map[string]bool{"cpu": true, metric.OfUnit("said"): true, metric.OfUnit("hits/op"): false} {
		p.Goal = goal
		if err := p.checkGoal(); (err == nil) != ok {
			t.Errorf("-goal %s: %v", goal, err)
		}
	}
}

// If a metric is exact on every machine, the merge takes the worst result of all. If it varies, the
// merge combines the measurements.
func TestMergedReports(t *testing.T) {
	with := func(machine int, after float64, better metric.Direction) *Result {
		r := proofOf(machine, "A", 1, measure.Equal)
		m := measure.Metric{Name: metric.OfUnit("hits/op"), Exact: true, Better: better, Before: 100, After: after, Ratio: after / 100, Outcome: measure.Equal}
		if after < 100 {
			m.Outcome = measure.Worse
		}
		s := &r.Comparisons[0].Subjects[0]
		s.Metrics = append(s.Metrics, m)
		return r
	}
	merged := Merge([]*Result{with(1, 100, metric.Higher), with(2, 80, metric.Higher), with(3, 60, metric.Higher)}, options)
	if got := merged[0]; got.Verdict != Revert || got.All.Subjects[0].Reasons[0] != "hits/op -40.0 %, over the limit of 5 %" {
		t.Errorf("%s, %q", got.Verdict, got.All.Subjects[0].Reasons)
	}
	gains := []*Result{with(1, 200, metric.Higher), with(2, 150, metric.Higher)}
	for _, r := range gains {
		metrics := r.Comparisons[0].Subjects[0].Metrics
		metrics[len(metrics)-1].Outcome = measure.Better
	}
	metrics := Merge(gains, options)[0].All.Subjects[0].Metrics
	if m := metrics[len(metrics)-1]; m.Outcome != measure.Better || m.Ratio != 1.5 || m.After != 150 {
		t.Errorf("the smaller of two gains counts: %+v", m)
	}
	merged = Merge([]*Result{with(1, 100, metric.Unknown), with(2, 80, metric.Unknown)}, options)
	if got := merged[0]; got.Verdict == Revert || len(got.All.Subjects[0].Metrics) != 2 {
		t.Errorf("%s, %+v", got.Verdict, got.All.Subjects[0].Metrics)
	}

	varied := func(machine int, factor float64) *Result {
		r := proofOf(machine, "A", 1, measure.Equal)
		s := &r.Comparisons[0].Subjects[0]
		m := measure.Metric{Name: metric.OfUnit("B/s"), Better: metric.Higher, Base: s.Metrics[0].Base}
		for _, v := range s.Metrics[0].Head {
			m.Head = append(m.Head, factor*v)
		}
		s.Metrics = append(s.Metrics, m)
		return r
	}
	for factor, want := range map[float64]measure.Outcome{0.5: measure.Worse, 2: measure.Better} {
		merged := Merge([]*Result{varied(1, factor), varied(2, factor), varied(3, factor)}, options)
		all := merged[0].All.Subjects[0].Metrics
		if m := all[len(all)-1]; m.Name != metric.OfUnit("B/s") || m.Outcome != want {
			t.Errorf("%v times: %+v", factor, m)
		}
	}
}
