package show

import (
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// Bench writes all runs in the Go benchmark format. The key "tree" contains the name of the tree,
// for benchstat -col tree.
func Bench(w io.Writer, r *prove.Result) error {
	out := benchfmt.NewWriter(w)
	for unit, better := range directions(r) {
		if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: better}); err != nil {
			return err
		}
	}
	for i, c := range r.Comparisons {
		if i == 0 {
			if err := benchRuns(out, r.Base.Name, c, func(m measure.Metric) []float64 { return m.Base }); err != nil {
				return err
			}
		}
		if err := benchRuns(out, c.Head.Name, c, func(m measure.Metric) []float64 { return m.Head }); err != nil {
			return err
		}
	}
	return nil
}

// directions yields the units that benchmarks report and whose directions are known, in sorted
// order, each with its direction.
func directions(r *prove.Result) iter.Seq2[string, string] {
	all := map[string]string{}
	for _, c := range r.Comparisons {
		for _, s := range c.Subjects {
			for _, m := range s.Metrics {
				if unit, ok := metric.UnitOf(m.Name); ok && m.Better != metric.Unknown {
					all[unit] = string(m.Better)
				}
			}
		}
	}
	return func(yield func(string, string) bool) {
		for _, unit := range slices.Sorted(maps.Keys(all)) {
			if !yield(unit, all[unit]) {
				return
			}
		}
	}
}

// benchRuns writes the runs of one tree. valuesOf returns the values of a metric in that tree.
func benchRuns(out *benchfmt.Writer, tree string, c prove.Comparison, valuesOf func(measure.Metric) []float64) error {
	for _, s := range c.Subjects {
		for round := range s.Rounds {
			line := &benchfmt.Result{Name: benchfmt.Name(name(s.Name)), Iters: max(1, s.Operations)}
			line.Config = []benchfmt.Config{{Key: "tree", Value: []byte(tree), File: true}}
			if s.Package != "" {
				line.Config = append(line.Config, benchfmt.Config{Key: "pkg", Value: []byte(s.Package), File: true})
			}
			for _, m := range s.Metrics {
				values := valuesOf(m)
				if unit := metric.Named(m.Name).Bench; round < len(values) {
					line.Values = append(line.Values, benchfmt.Value{Value: values[round], Unit: unit})
				}
			}
			if len(line.Values) == 0 {
				continue
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// name returns the name of a benchmark without the prefix "Benchmark", which the format adds.
func name(subject string) string {
	const word = "Benchmark"
	if len(subject) > len(word) && subject[:len(word)] == word {
		return subject[len(word):]
	}
	if _, params, ok := strings.Cut(subject, ", "); ok { // a command with parameters
		return "Command/" + strings.Join(strings.Fields(strings.ReplaceAll(params, ", ", "/")), "_")
	}
	return "Command"
}
