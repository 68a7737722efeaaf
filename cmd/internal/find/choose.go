package find

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

// mostSurveyed limits the number of benchmarks that are run to find the one with the largest share
// of CPU time in memory management. Running that many takes half a minute.
const mostSurveyed = 30

// ErrNoBenchmark reports that the pattern matches no benchmark.
var ErrNoBenchmark = errors.New("no benchmark matches")

// ErrNone reports that the packages contain no benchmark at all. The error that wraps it begins
// with "no package of" and the package patterns, and ends with this message.
var ErrNone = errors.New("has a benchmark; write one of your program's main work, or name packages that contain benchmarks")

// choose returns the benchmark to analyze. If several benchmarks match, it runs each for a short
// time, and chooses the one with the largest share of CPU time in memory management.
func (o *Options) choose(ctx context.Context, t *gobench.Tree, scope *profiles.Scope, r *Result) (*gobench.Benchmark, error) {
	var all []gobench.Benchmark
	for _, path := range sortedKeys(t.Packages) {
		found, err := t.Find(ctx, path, o.Bench)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%w -bench %s, or all benchmarks that match skip themselves; go test -bench . -benchtime 1x shows which run", ErrNoBenchmark, o.Bench)
	case len(all) == 1:
		return &all[0], nil
	case len(all) > mostSurveyed:
		r.Warnings = append(r.Warnings, fmt.Sprintf("of %d benchmarks, the first %d were tried; choose with -bench", len(all), mostSurveyed))
		all = all[:mostSurveyed]
	}
	var best *gobench.Benchmark
	most := -1.0
	var others []string
	for i := range all {
		b := &all[i]
		o.Show(fmt.Sprintf("trying %d of %d benchmarks: %s", i+1, len(all), b.Name))
		p, err := probe.Survey(ctx, probe.NewBenchmark(t, b))
		if err != nil {
			return nil, err
		}
		memory := 0.0
		if cpu, err := scope.CPU(p); err == nil {
			memory = cpu.Classes.Memory()
		}
		if memory > most {
			best, most = b, memory
		}
		others = append(others, fmt.Sprintf("%s %.0f %%", b.Name, 100*memory))
	}
	r.Warnings = append(r.Warnings, "of several benchmarks, this one has the largest share of CPU time in memory management; choose another with -bench: "+joinFirst(others))
	return best, nil
}

// joinFirst joins the first few names for a message, and adds the number of the others.
func joinFirst(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compareVersions compares two Go versions in the format that the go command prints.
func compareVersions(a, b string) int {
	a, _, _ = strings.Cut(a, " ")
	b, _, _ = strings.Cut(b, " ")
	return version.Compare(a, b)
}
