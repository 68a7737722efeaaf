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

// writeReport writes the runtime's metrics to the named file: bytes, counts, and times in
// seconds. The runtime does not know what an off-heap peer allocates, so the report of such a
// peer omits allocations.
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
