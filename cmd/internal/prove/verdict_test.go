package prove

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// figures describes the metrics that a verdict is based on: the outcome and the ratio of each. Each
// interval extends by 0.005 in either direction.
type figures map[string]struct {
	outcome measure.Outcome
	ratio   float64
}

func (f figures) metrics() (all []measure.Metric) {
	for _, name := range []string{"cpu", "wall", "rss", "allocs", "bytes"} {
		if m, ok := f[name]; ok {
			all = append(all, measure.Metric{Name: name, Outcome: m.outcome, Ratio: m.ratio, Lo: m.ratio - 0.005, Hi: m.ratio + 0.005, Before: 1000, After: 1000 * m.ratio, Exact: !measure.Timed(name)})
		}
	}
	return all
}

func TestVerdictOfABenchmark(t *testing.T) {
	for name, test := range map[string]struct {
		figures figures
		options Options
		want    Verdict
		reason  string
	}{
		"faster":                     {figures{"cpu": {measure.Better, 0.8}}, Options{}, Keep, "CPU/op -20.0 %"},
		"faster, not by enough":      {figures{"cpu": {measure.Better, 0.98}}, Options{}, Same, "CPU/op -2.0 % is proven, but smaller than 5 %"},
		"fewer objects, too few":     {figures{"cpu": {measure.Open, 1}, "allocs": {measure.Better, 0.98}}, Options{Goal: "allocs"}, Same, "allocs/op -2.0 % is proven, but smaller than 5 %"},
		"a little, within -least":    {figures{"cpu": {measure.Equal, 0.98}}, Options{}, Same, "the difference in CPU/op is smaller than 5 %"},
		"slower":                     {figures{"cpu": {measure.Worse, 1.01}}, Options{}, Revert, "CPU/op +1.0 %"},
		"the same":                   {figures{"cpu": {measure.Equal, 1}}, Options{}, Same, "the difference in CPU/op is smaller than 5 %"},
		"nothing known":              {figures{"cpu": {measure.Open, 0.7}}, Options{}, Undecided, ""},
		"nothing measured":           {figures{}, Options{}, Undecided, "no CPU/op was measured"},
		"fewer objects":              {figures{"cpu": {measure.Open, 1}, "allocs": {measure.Better, 0.1}}, Options{}, Undecided, ""},
		"fewer objects are the goal": {figures{"cpu": {measure.Open, 1}, "allocs": {measure.Better, 0.1}}, Options{Goal: "allocs"}, Keep, "allocs/op -90.0 %"},
		"fewer objects, more bytes":  {figures{"cpu": {measure.Better, 0.9}, "allocs": {measure.Better, 0.1}, "bytes": {measure.Worse, 1.06}}, Options{}, Revert, "B/op +6.0 %, over the limit of 5 %"},
		"bytes within the budget":    {figures{"cpu": {measure.Better, 0.9}, "bytes": {measure.Worse, 1.04}}, Options{}, Keep, "CPU/op -10.0 %"},
		"more objects":               {figures{"cpu": {measure.Better, 0.9}, "allocs": {measure.Worse, 2}}, Options{}, Keep, "CPU/op -10.0 %"},
		"more objects, the goal":     {figures{"cpu": {measure.Better, 0.9}, "allocs": {measure.Worse, 1.01}}, Options{Goal: "allocs"}, Revert, "allocs/op +1.0 %"},
		"more memory":                {figures{"cpu": {measure.Better, 0.9}, "rss": {measure.Worse, 1.06}}, Options{}, Revert, "peak RSS +6.0 %, over the limit of 5 %"},
		"memory within the budget":   {figures{"cpu": {measure.Better, 0.9}, "rss": {measure.Worse, 1.04}}, Options{}, Keep, "CPU/op -10.0 %"},
		"memory is the goal":         {figures{"cpu": {measure.Open, 1}, "rss": {measure.Better, 0.5}}, Options{Goal: "rss"}, Keep, "peak RSS -50.0 %"},
		"memory for time":            {figures{"cpu": {measure.Worse, 1.1}, "rss": {measure.Better, 0.5}}, Options{Goal: "rss"}, Revert, "CPU/op +10.0 %"},
		"wall alone is slower":       {figures{"cpu": {measure.Better, 0.9}, "wall": {measure.Worse, 1.1}}, Options{}, Keep, "CPU/op -10.0 %"},
		"wall is the goal":           {figures{"cpu": {measure.Open, 1}, "wall": {measure.Worse, 1.1}}, Options{Goal: "wall"}, Revert, "wall/op +10.0 %"},
		"too few bytes":              {figures{"cpu": {measure.Better, 0.1}, "bytes": {measure.Better, 0.1}}, Options{LeastBytes: 101}, Revert, "100 B per operation is below the 101 of -least-bytes"},
		"enough bytes":               {figures{"cpu": {measure.Better, 0.1}, "bytes": {measure.Better, 0.1}}, Options{LeastBytes: 100}, Keep, "CPU/op -90.0 %"},
	} {
		o := test.options
		o.MinEffect = 0.05
		if o.Goal == "" {
			o.Goal = "cpu"
		}
		s := Subject{Metrics: test.figures.metrics()}
		s.judge(&o)
		if s.Verdict != test.want || len(s.Reasons) == 0 || test.reason != "" && s.Reasons[0] != test.reason {
			t.Errorf("%s: %s, %q; want %s, %q", name, s.Verdict, s.Reasons, test.want, test.reason)
		}
		if test.want == Revert && o.Goal == "cpu" && test.figures["cpu"].outcome == measure.Better && s.Reasons[1] != "beside a gain: "+change(s.Metrics[0]) {
			t.Errorf("%s: %q do not name the gain", name, s.Reasons)
		}
		if settled := test.want != Undecided; o.decided(s.Metrics) != settled {
			t.Errorf("%s: decided is %v", name, !settled)
		}
	}
}

// If the estimate of a loss is over the limit but part of its interval is not, the loss is reported
// and more rounds are recommended. The verdict does not change.
func TestLossNearItsLimit(t *testing.T) {
	gain := measure.Metric{Name: "cpu", Outcome: measure.Better, Ratio: 0.8, Lo: 0.7, Hi: 0.9}
	equal := measure.Metric{Name: "cpu", Outcome: measure.Equal, Ratio: 1, Lo: 0.99, Hi: 1.01}
	rss := func(lo, ratio, hi float64) measure.Metric {
		return measure.Metric{Name: "rss", Outcome: measure.Worse, Ratio: ratio, Lo: lo, Hi: hi}
	}
	again := func(ratio float64) measure.Metric {
		m := rss(1.051, 1.06, 1.09)
		m.Again = &measure.Again{Base: make([]float64, 10), Ratio: ratio, Confirmed: true}
		return m
	}
	rate := func(lo, ratio, hi float64) measure.Metric {
		return measure.Metric{Name: metric.OfUnit("B/s"), Better: metric.Higher, Outcome: measure.Worse, Ratio: ratio, Lo: lo, Hi: hi}
	}
	const beside = "beside a gain: CPU/op -20.0 %"
	for name, test := range map[string]struct {
		metrics []measure.Metric
		want    Verdict
		reasons []string
		near    bool
	}{
		"the near end within": {[]measure.Metric{gain, rss(1.001, 1.06, 1.09)}, Keep, []string{"CPU/op -20.0 %", "peak RSS +6.0 % may be over the limit of 5 %"}, true},
		"the estimate within": {[]measure.Metric{gain, rss(1.001, 1.04, 1.09)}, Keep, []string{"CPU/op -20.0 %"}, false},
		"all of it over":      {[]measure.Metric{gain, rss(1.051, 1.06, 1.09)}, Revert, []string{"peak RSS +6.0 %, over the limit of 5 %", beside}, false},
		"beside no gain":      {[]measure.Metric{equal, rss(1.001, 1.06, 1.09)}, Same, []string{"the difference in CPU/op is smaller than 5 %", "peak RSS +6.0 % may be over the limit of 5 %"}, true},
		"over twice":          {[]measure.Metric{gain, again(1.07)}, Revert, []string{"peak RSS +6.0 %, over the limit of 5 %, and +7.0 % in 10 rounds more", beside}, false},
		"over once":           {[]measure.Metric{gain, again(1.03)}, Keep, []string{"CPU/op -20.0 %", "peak RSS +6.0 % may be over the limit of 5 %, and +3.0 % in 10 rounds more"}, true},
		"a rate within":       {[]measure.Metric{gain, rate(0.8, 0.9, 0.97)}, Keep, []string{"CPU/op -20.0 %", "B/s -10.0 % may be over the limit of 5 %"}, true},
		"a rate over":         {[]measure.Metric{gain, rate(0.8, 0.9, 0.94)}, Revert, []string{"B/s -10.0 %, over the limit of 5 %", beside}, false},
		"no interval":         {[]measure.Metric{gain, rss(0, 1.2, 0)}, Revert, []string{"peak RSS +20.0 %, over the limit of 5 %", beside}, false},
	} {
		o := &Options{Goal: "cpu", MinEffect: 0.05}
		s := Subject{Name: "A", Metrics: test.metrics}
		if s.judge(o); s.Verdict != test.want || !slices.Equal(s.Reasons, test.reasons) {
			t.Errorf("%s: %s, %q; want %s, %q", name, s.Verdict, s.Reasons, test.want, test.reasons)
		}
		if o.decided(test.metrics) == test.near || (len(o.claims(test.metrics)) > 0) != (test.want == Revert) {
			t.Errorf("%s: decided is %v, claims %q", name, test.near, o.claims(test.metrics))
		}
		r := Result{Comparisons: []Comparison{{Equality: Equality{Level: Results}, Subjects: []Subject{s, {Name: "B", Metrics: []measure.Metric{gain}}}}}}
		r.judge(o)
		reason := r.Comparisons[0].Reasons[0]
		if near := strings.HasSuffix(reason, ", and no loss that is proven to be over its limit; one in A may be"); near != test.near {
			t.Errorf("%s: %q", name, reason)
		}
	}
}

// If the base uses no bytes at all, any number of bytes is over the limit.
func TestBytesFromZero(t *testing.T) {
	s := Subject{Metrics: []measure.Metric{{Name: "cpu", Outcome: measure.Better, Ratio: 0.9}, {Name: "bytes", Outcome: measure.Worse, After: 16, Exact: true}}}
	if s.judge(&Options{Goal: "cpu", MinEffect: 0.05}); s.Verdict != Revert || s.Reasons[0] != "B/op 16, was 0" {
		t.Errorf("%+v", s)
	}
}

func TestForecast(t *testing.T) {
	base, head := make([]float64, 0, 10), make([]float64, 0, 10)
	for i := range 10 {
		base, head = append(base, 100+float64(i*7%10)), append(head, 100+float64(i*3%10))
	}
	for name, test := range map[string]struct {
		least float64
		want  string
	}{
		"many more": {0.001, "-rounds "},
		"few more":  {0.2, "run more rounds (-rounds 20)"},
	} {
		s := Subject{Metrics: []measure.Metric{{Name: "cpu", Outcome: measure.Open, Base: base, Head: head}}}
		if got := s.forecast(&Options{Goal: "cpu", MinEffect: test.least}); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestVerdictOfAComparison(t *testing.T) {
	of := func(all ...Verdict) (subjects []Subject) {
		for _, v := range all {
			cpu := map[Verdict]figures{
				Keep: {"cpu": {measure.Better, 0.8}}, Revert: {"cpu": {measure.Worse, 1.2}},
				Same: {"cpu": {measure.Equal, 1}}, Undecided: {"cpu": {measure.Open, 1}},
			}[v]
			subjects = append(subjects, Subject{Name: string(v), Metrics: cpu.metrics()})
		}
		return subjects
	}
	for name, test := range map[string]struct {
		comparison Comparison
		want       Verdict
		reason     string
	}{
		"unequal":         {Comparison{Equality: Equality{Level: Results, Unequal: []string{"x"}}}, Revert, "the programs are not equal"},
		"unequal results": {Comparison{Equality: Equality{Level: Tests, Unequal: []string{"x"}, differ: 1}}, Revert, "the programs are not equal; if a result or its type differs on purpose, compare the tests alone: -equal tests"},
		"unequal tests":   {Comparison{Equality: Equality{Level: Tests, Unequal: []string{"x", "y"}, differ: 1}}, Revert, "the programs are not equal"},
		"unequal, fast":   {Comparison{Equality: Equality{Level: Tests, Unequal: []string{"x"}}, Subjects: of(Keep)}, Revert, "the programs are not equal"},
		"fast":            {Comparison{Equality: Equality{Level: Results}, Subjects: of(Keep, Same)}, Keep, "a proven gain in keep, and no loss"},
		"fast, tests":     {Comparison{Equality: Equality{Level: Tests}, Subjects: of(Undecided, Keep)}, Keep, "a proven gain in keep, and no loss"},
		"fast, unproven":  {Comparison{Equality: Equality{Level: Unproven}, Subjects: of(Keep)}, Undecided, "faster, but not shown to be equal"},
		"slow, unproven":  {Comparison{Equality: Equality{Level: Unproven}, Subjects: of(Revert)}, Revert, "a proven loss in revert"},
		"one is slow":     {Comparison{Equality: Equality{Level: Results}, Subjects: of(Keep, Revert)}, Revert, "a proven loss in revert"},
		"same":            {Comparison{Equality: Equality{Level: Results}, Subjects: of(Same, Same)}, Same, "every estimated difference in CPU/op is smaller than 5 %"},
		"one is open":     {Comparison{Equality: Equality{Level: Results}, Subjects: of(Same, Undecided)}, Undecided, "neither a gain nor a loss is proven"},
	} {
		r := Result{Comparisons: []Comparison{{Equality: Equality{Level: Results}, Subjects: of(Keep)}, test.comparison}}
		r.judge(&Options{Goal: "cpu", MinEffect: 0.05})
		c := r.Comparisons[1]
		got := strings.Join(c.Reasons, "; ")
		if c.Verdict != test.want || !strings.HasPrefix(got, test.reason) || strings.Contains(got, "-equal") != strings.Contains(test.reason, "-equal") {
			t.Errorf("%s: %s, %q; want %s, %q", name, c.Verdict, got, test.want, test.reason)
		}
		if r.Verdict != test.want {
			t.Errorf("%s: all is %s, want %s", name, r.Verdict, test.want)
		}
	}
}

// A warning about the machine must appear in the result.
func TestWarningOfTheMachine(t *testing.T) {
	r := Result{Environment: map[string]string{"warning": "busy"}}
	if r.judge(&Options{}); len(r.Warnings) != 1 || r.Warnings[0] != "busy" {
		t.Errorf("%q", r.Warnings)
	}
}
