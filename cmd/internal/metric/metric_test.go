package metric

import (
	"slices"
	"testing"
)

// Every metric in the table has a unique name, a unit for benchstat, and a title wherever one is
// displayed.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All {
		if m.Name == "" || seen[m.Name] || m.Bench == "" {
			t.Errorf("%+v has no name of its own, or no unit", m)
		}
		seen[m.Name] = true
		if (m.Of == Process || m.Of == Runtime) && m.Title == "" {
			t.Errorf("%s has no title for the lab", m.Name)
		}
		if m.Kind != None && m.Op == "" {
			t.Errorf("%s has no title for proofs", m.Name)
		}
		if m.Goal && m.Kind != Timed && m.Kind != Counted {
			t.Errorf("%s may be a goal, and is never judged", m.Name)
		}
		if got := Named(m.Name); got != m {
			t.Errorf("%s is %+v", m.Name, got)
		}
	}
}

// The title and the unit of a metric that is not in the table are derived from its name.
func TestUnitFromName(t *testing.T) {
	for name, want := range map[string]Metric{
		"work_cpu_s":  {Title: "work cpu s", Unit: Seconds, Bench: "work-cpu-s"},
		"held_bytes":  {Title: "held bytes", Unit: Bytes, Bench: "held-bytes"},
		"slowest":     {Title: "slowest", Bench: "slowest"},
		"bytes_freed": {Title: "bytes freed", Bench: "bytes-freed"},
	} {
		want.Name, want.Of = name, Runtime
		if got := Named(name); got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
}

// Each metric is in the selections of its kind and of its source, in the order of the table. The
// test does not list all names, so that a new row of the table does not require a change here.
func TestSelections(t *testing.T) {
	selections := []struct {
		what       string
		got, known []string // all names of the selection, and some that it must contain
		has        func(Metric) bool
	}{
		{"timed", OfKind(Timed), []string{"cpu", "wall", "rss"}, func(m Metric) bool { return m.Kind == Timed }},
		{"report only", OfKind(ReportOnly), []string{"gc"}, func(m Metric) bool { return m.Kind == ReportOnly }},
		{"counted", OfKind(Counted), []string{"allocs", "bytes"}, func(m Metric) bool { return m.Kind == Counted }},
		{"of processes", From(Process), []string{"cpu", "wall", "user", "system", "rss", "minor_faults", "major_faults"}, func(m Metric) bool { return m.Of == Process }},
		{"of Go's runtime", From(Runtime), []string{"allocs", "bytes", "gc_cycles", "gc_cpu_s"}, func(m Metric) bool { return m.Of == Runtime }},
		{"goals", Goals(), []string{"cpu", "wall", "rss", "allocs"}, func(m Metric) bool { return m.Goal }},
	}
	for _, c := range selections {
		var want []string
		for _, m := range All {
			if c.has(m) {
				want = append(want, m.Name)
			}
		}
		if !slices.Equal(c.got, want) {
			t.Errorf("%s: %q, want %q", c.what, c.got, want)
		}
		known := slices.DeleteFunc(slices.Clone(c.got), func(name string) bool { return !slices.Contains(c.known, name) })
		if !slices.Equal(known, c.known) {
			t.Errorf("%s: %q, want %q among them, in this order", c.what, c.got, c.known)
		}
	}
}
