// Package selfreport lets a Go contender report figures of its runtime to the lab, as a JSON object
// of numbers in a file that the lab names.
package selfreport

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Report contains values by metric: bytes, counts, and times in seconds, whose names end in _s.
type Report map[string]float64

// Since contains the counts of allocations before the work.
type Since struct{ mallocs, bytes, committed uint64 }

// Start records the allocations before the work.
func Start() Since {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Since{m.Mallocs, m.TotalAlloc, vmem.EverCommitted()}
}

// Report returns the allocations since Start, and the collector's work since the process started.
// Memory that stores committed is included in the allocations. Peak memory is not included: the lab
// measures it up to the end of the process, in the same way for all languages.
func (s Since) Report() Report {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	return Report{
		"allocs":    float64(m.Mallocs - s.mallocs),
		"bytes":     float64(m.TotalAlloc - s.bytes + vmem.EverCommitted() - s.committed),
		"gc_cycles": float64(m.NumGC),
		"gc_cpu_s":  sample[0].Value.Float64(),
	}
}

// Write writes the report to the named file, or does nothing if the name is empty.
func (r Report) Write(name string) error {
	if name == "" {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// CPU returns the CPU seconds of f on all threads, because a collector runs on separate
// threads.
func CPU(f func() error) (seconds float64, err error) {
	before, err := machine.OwnUsage()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := machine.OwnUsage()
	return (after.CPU() - before.CPU()).Seconds(), err
}
