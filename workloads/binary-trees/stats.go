package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/coppice-go/coppice/internal/machine"
)

// stats is the start of the measurement.
type stats struct{ wall time.Time }

func startStats() stats { return stats{time.Now()} }

// Names of runtime metrics that MemStats lacks.
const (
	gcCPU      = "/cpu/classes/gc/total:cpu-seconds"
	gogc       = "/gc/gogc:percent"
	gomemlimit = "/gc/gomemlimit:bytes"
)

// print writes the table of used resources. Time and memory count from the start of the
// process, so they include the runtime's own.
func (s stats) print(out io.Writer) {
	wall := time.Since(s.wall)
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap) // the metrics of the same name lag behind by a span per size
	read := readMetrics(gcCPU, gogc, gomemlimit)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(table, name+"\t"+format+"\n", args...)
	}
	row("wall", "%.3f s", wall.Seconds())
	if usage, err := machine.OwnUsage(); err != nil {
		row("user, system, peak RSS", "unknown: %v", err)
	} else {
		row("user", "%.3f s", usage.User.Seconds())
		row("system", "%.3f s", usage.System.Seconds())
		if usage.PeakRSS > 0 {
			row("peak RSS", "%s", humanize.IBytes(usage.PeakRSS))
		}
		row("CPU in GC", "%s", share(read[gcCPU].Float64(), usage.CPU().Seconds()))
	}
	row("heap objects", "%s", humanize.Comma(int64(heap.Mallocs)))
	row("heap bytes", "%s", humanize.Comma(int64(heap.TotalAlloc)))
	row("GC cycles", "%d", heap.NumGC)
	row("GOGC", "%s", percent(read[gogc].Uint64()))
	row("GOMEMLIMIT", "%s", limit(read[gomemlimit].Uint64()))
	table.Flush()
}

func readMetrics(names ...string) map[string]metrics.Value {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	values := make(map[string]metrics.Value, len(names))
	for _, s := range samples {
		values[s.Name] = s.Value
	}
	return values
}

// share says which part of the CPU time the collector took.
func share(collector, all float64) string {
	return fmt.Sprintf("%.1f %%", min(100, 100*collector/all))
}

func percent(gogc uint64) string {
	if gogc > math.MaxInt32 {
		return "off"
	}
	return fmt.Sprintf("%d %%", gogc)
}

func limit(bytes uint64) string {
	if bytes >= math.MaxInt64 {
		return "off"
	}
	return humanize.IBytes(bytes)
}
