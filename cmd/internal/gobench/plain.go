package gobench

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/coppice-go/coppice/cmd/internal/meter"
	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// If the meter does not support the version of the testing package, binaries are built without the
// meter. The metrics are then read from the output of the testing package. CPU time is measured for
// whole processes; the CPU time of a process without operations is subtracted.

// plainSamples parses the benchmark results that a test binary without a meter has printed.
func plainSamples(stdout []byte) []meter.Sample {
	var all []meter.Sample
	for lines := benchfmt.NewReader(bytes.NewReader(stdout), "test"); lines.Scan(); {
		r, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		s := meter.Sample{Name: "Benchmark" + string(r.Name), N: r.Iters, Procs: 1}
		if name, suffix, ok := cutLast(s.Name, "-"); ok {
			if procs, err := strconv.Atoi(suffix); err == nil && procs == runtime.GOMAXPROCS(0) {
				s.Name, s.Procs = name, procs
			}
		}
		n := float64(r.Iters)
		for _, v := range r.Values {
			if !metric.Own(v.Unit) {
				if s.Reported == nil {
					s.Reported = map[string]float64{}
				}
				s.Reported[v.Unit] = v.Value
			}
		}
		if v, ok := r.Value("sec/op"); ok {
			s.Wall = v * n
		}
		if v, ok := r.Value("B/op"); ok {
			s.Bytes = uint64(v * n)
		}
		if v, ok := r.Value("allocs/op"); ok {
			s.Mallocs = uint64(v * n)
		}
		all = append(all, s)
	}
	return all
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// MeasureIdle measures the CPU time that a benchmark process uses when it performs no operations.
// It is used for trees without a meter.
func (b *Benchmark) MeasureIdle(ctx context.Context, t *Tree) error {
	cpu := func(ctx context.Context, n int) (float64, error) {
		r, err := b.Run(ctx, t, How{Time: Times(n)})
		return r.Figures["cpu"], err
	}
	idle, err := idleCPU(ctx, cpu, max(b.N, 6))
	if err != nil {
		return fmt.Errorf("%s in %s: %w", b.Label(), t.Name, err)
	}
	if b.idle == nil {
		b.idle = map[*Tree]float64{}
	}
	b.idle[t] = idle
	return nil
}

// idleCPU estimates the CPU time of a process without its operations. cpu returns the CPU time of a
// process that performs n operations; high is the maximum n that idleCPU passes to cpu.
func idleCPU(ctx context.Context, cpu func(ctx context.Context, n int) (float64, error), high int) (float64, error) {
	one, err := meter.TwoPoint(ctx, cpu, 2, high)
	if err != nil {
		return 0, err
	}
	var all []float64
	for range 3 {
		c, err := cpu(ctx, high)
		if err != nil {
			return 0, err
		}
		all = append(all, c)
	}
	slices.Sort(all)
	return max(0, all[1]-one*float64(high)), nil
}
