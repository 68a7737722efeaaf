package probe

import (
	"slices"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// TestKeepTimed verifies that only samples of the last timed part and of the runtime's own
// goroutines are kept.
func TestKeepTimed(t *testing.T) {
	sample := func(label, function string) *profile.Sample {
		s := &profile.Sample{Location: []*profile.Location{{Line: []profile.Line{{Function: &profile.Function{Name: function}}}}}, Value: []int64{1, 10}}
		if label != "" {
			s.Label = map[string][]string{meter.Label: {label}}
		}
		return s
	}
	p := &profile.Profile{Sample: []*profile.Sample{
		sample("1", "m.first"), sample("12", "m.last"), sample("", "m.setup"), sample("", "runtime.gcBgMarkWorker"), sample("9", "m.before"), sample("12", "m.more"),
	}}
	keepTimed(p)
	var left []string
	left = slices.Grow(left, len(p.Sample))
	for _, s := range p.Sample {
		left = append(left, s.Location[0].Line[0].Function.Name)
		if s.Label != nil {
			t.Errorf("%v has labels", s.Label)
		}
	}
	if want := []string{"m.last", "runtime.gcBgMarkWorker", "m.more"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	untimed := &profile.Profile{Sample: []*profile.Sample{sample("", "m.setup")}}
	if keepTimed(untimed); len(untimed.Sample) != 0 {
		t.Error("what no timer saw is left")
	}
}

// TestSettings verifies that a run without a collector cannot exhaust the machine's memory. The
// setting that a user can deploy has a limit of twice the program's peak.
func TestSettings(t *testing.T) {
	all := settings(100<<20, 8<<30)
	for i, want := range []map[string]string{nil, {"GOGC": "off", "GOMEMLIMIT": "4096MiB"}, {"GOGC": "400"}, {"GOGC": "off", "GOMEMLIMIT": "200MiB"}} {
		for name, value := range want {
			if got := all[i].env[name]; got != value {
				t.Errorf("%s: %s is %q, want %q", all[i].name, name, got, value)
			}
		}
		if len(all[i].env) != len(want) {
			t.Errorf("%s: %v", all[i].name, all[i].env)
		}
	}
	if all := settings(0, 8<<30); len(all) != 3 {
		t.Errorf("without a peak there are %d settings", len(all))
	}
}
