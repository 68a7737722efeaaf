package prove

import (
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// The verdict Same rests on the goal alone. Its reason must name the goal, and the losses that may
// be over their limits, both in a proof and in a merge.
func TestReasonForSame(t *testing.T) {
	equal := func(name string) measure.Metric {
		return measure.Metric{Name: name, Outcome: measure.Equal, Ratio: 1, Lo: 0.99, Hi: 1.01}
	}
	rate := equal(metric.OfUnit("B/s"))
	rate.Better = metric.Higher
	small := measure.Metric{Name: "cpu", Outcome: measure.Better, Ratio: 0.98, Lo: 0.94, Hi: 0.99}
	near := measure.Metric{Name: "rss", Outcome: measure.Worse, Ratio: 1.06, Lo: 1.001, Hi: 1.09}
	for what, test := range map[string]struct {
		goal    string
		metrics []measure.Metric
		want    string
	}{
		"CPU time":              {"cpu", []measure.Metric{equal("cpu")}, "every estimated difference in CPU/op is smaller than 5 %"},
		"wall time":             {"wall", []measure.Metric{equal("wall")}, "every estimated difference in wall/op is smaller than 5 %"},
		"a unit":                {rate.Name, []measure.Metric{rate}, "every estimated difference in B/s is smaller than 5 %"},
		"a small gain":          {"cpu", []measure.Metric{small}, "every estimated difference in CPU/op is smaller than 5 %"},
		"a loss near its limit": {"cpu", []measure.Metric{equal("cpu"), near}, "every estimated difference in CPU/op is smaller than 5 %, and no loss is proven to be over its limit; one in BenchmarkX may be"},
	} {
		r := proofOf(1, "A", 1, measure.Equal)
		r.Comparisons[0].Subjects[0].Metrics = test.metrics
		o := &Options{Goal: test.goal, MinEffect: 0.05}
		r.judge(o)
		merged := Merge([]*Result{r}, o)[0]
		if r.Verdict != Same || merged.Verdict != Same {
			t.Errorf("%s: the proof is %s and the merge %s", what, r.Verdict, merged.Verdict)
		}
		want := []string{test.want}
		if got := r.Comparisons[0].Reasons; !slices.Equal(got, want) {
			t.Errorf("%s: the proof says %q, want %q", what, got, want)
		}
		if !slices.Equal(merged.Reasons, want) {
			t.Errorf("%s: the merge says %q, want %q", what, merged.Reasons, want)
		}
	}
}

// A tally lists the benchmarks by verdict, and those that may have a loss over its limit, whatever
// their verdict is.
func TestTally(t *testing.T) {
	gain := measure.Metric{Name: "cpu", Outcome: measure.Better, Ratio: 0.8, Lo: 0.7, Hi: 0.9}
	near := measure.Metric{Name: "rss", Outcome: measure.Worse, Ratio: 1.06, Lo: 1.001, Hi: 1.09}
	o := &Options{Goal: "cpu", MinEffect: 0.05}
	var empty, all tally
	all.add(o, "A", Keep, []measure.Metric{gain, near})
	all.add(o, "B", Revert, nil)
	all.add(o, "C", Undecided, []measure.Metric{near})
	if empty.has(Keep) || !all.has(Keep) || !all.has(Revert) || !all.has(Undecided) || all.has(Same) {
		t.Errorf("%+v, %+v", empty, all)
	}
	if got := all.loss(); got != "a proven loss in B" {
		t.Error(got)
	}
	want := "a proven gain in A, and no loss that is proven to be over its limit; one in " + joinFirst([]string{"A", "C"}) + " may be"
	if got := all.gain(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	within := measure.Metric{Name: "rss", Outcome: measure.Worse, Ratio: 1.02, Lo: 1.01, Hi: 1.03}
	for want, metrics := range map[string][]measure.Metric{
		"a proven gain in A, and no loss":                {gain},
		"a proven gain in A, and no loss over its limit": {gain, within},
	} {
		var one tally
		one.add(o, "A", Keep, metrics)
		if got := one.gain(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
