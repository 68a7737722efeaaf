package record

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// openBench opens the bench file of a folder for appending. If the file does not exist, for example
// because the folder was published without it, openBench creates it and writes the lines of the
// earlier sessions first.
func openBench(folder string, before []Session) (*os.File, error) {
	name := filepath.Join(folder, BenchFile)
	_, missing := os.Lstat(name)
	bench, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	if missing == nil {
		return bench, nil
	}
	for _, s := range before {
		if err := writeSession(bench, s); err != nil {
			return nil, errors.Join(err, bench.Close())
		}
	}
	return bench, nil
}

// writeSession writes the environment of a session, and the runs whose figures are used.
func writeSession(w io.Writer, s Session) error {
	if err := writeConfig(w, s.Environment); err != nil {
		return err
	}
	for _, r := range s.Runs {
		if !r.Counts() {
			continue
		}
		if err := writeBench(w, r); err != nil {
			return err
		}
	}
	return nil
}

// writeConfig writes an environment as configuration lines of the benchmark format.
func writeConfig(w io.Writer, env Environment) error {
	for _, key := range slices.Sorted(maps.Keys(env.Values)) {
		if _, err := fmt.Fprintf(w, "%s: %s\n", key, strings.ReplaceAll(env.Values[key], "\n", " ")); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}

// writeBench writes a run as a benchmark line that benchstat can read.
func writeBench(w io.Writer, r Run) error {
	name := fmt.Sprintf("%s/contender=%s/depth=%d", title(r.Experiment), strings.ReplaceAll(r.Contender, " ", "_"), r.Depth)
	if r.Workers > 0 {
		name += fmt.Sprintf("/workers=%d", r.Workers)
	}
	result := benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for _, name := range slices.Sorted(maps.Keys(r.Figures)) {
		result.Values = append(result.Values, benchfmt.Value{Value: r.Figures[name], Unit: metric.Named(name).Bench})
	}
	if err := benchfmt.NewWriter(w).Write(&result); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// title converts the name of an experiment to the style of benchmark names: binary-trees becomes
// BinaryTrees.
func title(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
