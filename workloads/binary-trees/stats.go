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

// stats contains the start time of the measurement.
type stats struct{ wall time.Time }

func startStats() stats { return stats{time.Now()} }

// These are the names of runtime metrics that MemStats lacks.
const (
	gcCPU      = "/cpu/classes/gc/total:cpu-seconds"
	allCPU     = "/cpu/classes/total:cpu-seconds"
	idleCPU    = "/cpu/classes/idle:cpu-seconds"
	gogc       = "/gc/gogc:percent"
	gomemlimit = "/gc/gomemlimit:bytes"
)

// print writes the table of used resources. Time and memory are measured from the start of the
// process, so they include the time and the memory that the runtime uses.
func (s stats) print(out io.Writer) {
	wall := time.Since(s.wall)
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap) // runtime/metrics lags behind by a span per size class
	read := readMetrics(gogc, gomemlimit)
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
	}
	row("CPU in GC", "%s", collectorShare())
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

// collectorShare returns the collector's share of the processor time so far. Both times are the
// runtime's estimates, which count elapsed time: if other processes also use the processors, the
// estimates exceed the CPU time, and are comparable only with each other. The runtime updates them
// at the end of a cycle, so collectorShare runs one more cycle, and subtracts its time.
func collectorShare() string {
	before := readMetrics(gcCPU)[gcCPU].Float64()
	runtime.GC()
	read := readMetrics(gcCPU, allCPU, idleCPU)
	more := read[gcCPU].Float64() - before
	return share(before, read[allCPU].Float64()-read[idleCPU].Float64()-more)
}

// share formats the collector's part of all time, or returns ~ if the two times are
// inconsistent.
func share(collector, all float64) string {
	if part := collector / all; part >= 0 && part <= 1 && all > 0 && !math.IsInf(all, 0) {
		return fmt.Sprintf("%.1f %%", 100*part)
	}
	return "~"
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
