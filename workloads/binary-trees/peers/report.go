package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
)

func allocated() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

// writeReport writes what only the runtime knows to the named file: bytes and counts as
// they are, times in seconds. What an off-heap peer allocates the runtime does not know,
// so its report does not pretend to.
func writeReport(name string, s strategy, before runtime.MemStats) error {
	after := allocated()
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	figures := map[string]float64{
		"gc_cycles": float64(after.NumGC),
		"gc_cpu_s":  sample[0].Value.Float64(),
	}
	if !s.offHeap {
		figures["bytes"] = float64(after.TotalAlloc - before.TotalAlloc)
		figures["allocs"] = float64(after.Mallocs - before.Mallocs)
	}
	data, err := json.Marshal(figures)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
