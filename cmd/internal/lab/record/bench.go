package record

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// units has the names of metrics in the Go benchmark format. Figures that a contender reports keep
// their own names.
var units = map[string]string{
	"wall": "sec/op", "user": "user-sec/op", "system": "system-sec/op", "cpu": "cpu-sec/op",
	"rss": "peak-rss-B", "minor_faults": "minor-faults", "major_faults": "major-faults",
}

// writeConfig writes the environment as configuration lines.
func writeConfig(w io.Writer, env Environment) error {
	for _, key := range slices.Sorted(maps.Keys(env.Values)) {
		if _, err := fmt.Fprintf(w, "%s: %s\n", key, strings.ReplaceAll(env.Values[key], "\n", " ")); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}

// writeBench writes a run as one line for benchstat.
func writeBench(w io.Writer, r Run) error {
	name := fmt.Sprintf("%s/contender=%s/depth=%d", title(r.Experiment), strings.ReplaceAll(r.Contender, " ", "_"), r.Depth)
	if r.Workers > 0 {
		name += fmt.Sprintf("/workers=%d", r.Workers)
	}
	result := benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for _, metric := range slices.Sorted(maps.Keys(r.Figures)) {
		unit, ok := units[metric]
		if !ok {
			unit = strings.ReplaceAll(metric, "_", "-")
		}
		result.Values = append(result.Values, benchfmt.Value{Value: r.Figures[metric], Unit: unit})
	}
	if err := benchfmt.NewWriter(w).Write(&result); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// title turns binary-trees into BinaryTrees, the form of benchmark names.
func title(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
