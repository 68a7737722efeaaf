// Package metric contains the metric table that all tools use. It lists metrics of processes, of
// benchmark operations, and of Go programs that report values. For all metrics in the table, lower
// is better.
package metric

import (
	"slices"
	"strings"
)

// A Metric is a quantity that is measured in each run. Metrics that are not in the table are
// reported by the contenders of an experiment.
type Metric struct {
	Name  string // name in results, declarations and flags, such as cpu
	Title string // column title in the tables of the lab
	Op    string // in the tables of proofs, where values are per operation; "" for a metric that proofs do not have
	Unit  Unit
	Bench string // unit in the Go benchmark format
	Of    Source
	Kind  Kind
	Goal  bool // the metric may be the goal of a change
	Shown bool // the lab's tables show the metric even if an experiment does not name it
}

// A Unit is the unit of a metric's values.
type Unit int

// These are the units of the metrics in the table.
const (
	Count Unit = iota
	Seconds
	Bytes
)

// A Source is the origin of a metric.
type Source int

// These are the sources of metrics.
const (
	Process   Source = iota // reported by the operating system, for any process
	Runtime                 // reported by a Go program
	Operation               // reported by a benchmark, per operation
)

// A Kind states how a proof judges a metric.
type Kind int

// These are the kinds of metrics.
const (
	None       Kind = iota // proofs do not contain the metric
	Timed                  // the values vary from run to run, so proofs test the difference
	ReportOnly             // proofs show the metric, but never judge it
	Counted                // the values are the same in each run, or nearly so
	Reported               // reported by the benchmark; judged only if its direction is known
)

// All is the table of metrics, in the order in which reports show them.
var All = []Metric{
	{Name: "cpu", Title: "CPU time", Op: "CPU/op", Unit: Seconds, Bench: "cpu-sec/op", Kind: Timed, Goal: true, Shown: true},
	{Name: "wall", Title: "wall time", Op: "wall/op", Unit: Seconds, Bench: "sec/op", Kind: Timed, Goal: true, Shown: true},
	{Name: "user", Title: "user", Unit: Seconds, Bench: "user-sec/op"},
	{Name: "system", Title: "system", Unit: Seconds, Bench: "system-sec/op"},
	{Name: "rss", Title: "peak memory", Op: "peak RSS", Unit: Bytes, Bench: "peak-RSS-bytes", Kind: Timed, Goal: true, Shown: true},
	{Name: "minor_faults", Title: "minor faults", Bench: "minor-faults"},
	{Name: "major_faults", Title: "major faults", Bench: "major-faults"},
	// The collector's CPU time is included in cpu, and depends on when its cycles begin.
	{Name: "gc", Op: "GC CPU/op", Unit: Seconds, Bench: "gc-cpu-sec/op", Of: Operation, Kind: ReportOnly},
	{Name: "allocs", Title: "allocations", Op: "allocs/op", Bench: "allocs/op", Of: Runtime, Kind: Counted, Goal: true, Shown: true},
	{Name: "bytes", Title: "allocated", Op: "B/op", Unit: Bytes, Bench: "B/op", Of: Runtime, Kind: Counted, Shown: true},
	{Name: "gc_cycles", Title: "GC cycles", Bench: "gc-cycles", Of: Runtime, Shown: true},
	{Name: "gc_cpu_s", Title: "GC CPU", Unit: Seconds, Bench: "gc-cpu-sec/op", Of: Runtime, Shown: true},
	{Name: "instructions", Op: "instructions/op", Bench: "instructions/op", Of: Operation},
}

// Named returns the metric with the given name. The name of a metric that a program reports ends
// with the unit: _s for seconds, _bytes for bytes.
func Named(name string) Metric {
	if i := slices.IndexFunc(All, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return All[i]
	}
	if unit, ok := UnitOf(name); ok {
		return Metric{Name: name, Title: unit, Op: unit, Bench: unit, Of: Operation, Kind: Reported}
	}
	m := Metric{Name: name, Title: strings.ReplaceAll(name, "_", " "), Bench: strings.ReplaceAll(name, "_", "-"), Of: Runtime}
	switch {
	case strings.HasSuffix(name, "_s"):
		m.Unit = Seconds
	case strings.HasSuffix(name, "_bytes"):
		m.Unit = Bytes
	}
	return m
}

// OfKind returns the names of the metrics of kind k, in the order of the table.
func OfKind(k Kind) []string { return names(func(m Metric) bool { return m.Kind == k }) }

// From returns the names of the metrics from source s, in the order of the table.
func From(s Source) []string { return names(func(m Metric) bool { return m.Of == s }) }

// Goals returns the names of the metrics that may be the goal of a change.
func Goals() []string { return names(func(m Metric) bool { return m.Goal }) }

func names(want func(Metric) bool) (all []string) {
	for _, m := range All {
		if want(m) {
			all = append(all, m.Name)
		}
	}
	return all
}
