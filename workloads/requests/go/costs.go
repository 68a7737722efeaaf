package main

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/requests/go/load"
)

// costs contains the resources that the service has used so far.
type costs struct {
	cpu           time.Duration // processor time from the system's accounting
	allocs, bytes uint64
	cycles        uint32
	collector     float64 // processor seconds of the collector, from the runtime's accounting
	busy          float64 // all processor seconds that were not idle
}

// look returns the costs so far. It forces a collection, because the runtime updates its accounting
// at the end of a cycle.
func look() (costs, error) {
	runtime.GC()
	c, err := lookAtSystem()
	c.lookAtCollector()
	return c, err
}

// lookAtSystem reads the costs that need no collection.
func lookAtSystem() (costs, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	usage, err := machine.OwnUsage()
	return costs{cpu: usage.CPU(), allocs: m.Mallocs, bytes: m.TotalAlloc, cycles: m.NumGC}, err
}

// lookAtCollector reads the runtime's accounting of time. Its classes are comparable only with each
// other.
func (c *costs) lookAtCollector() {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	c.collector = samples[0].Value.Float64()
	c.busy = samples[1].Value.Float64() - samples[2].Value.Float64()
}

// addCosts adds the costs of a load's requests since c to a report. The collection that look forces
// at the end is included only in the collector's share.
func (c costs) addCosts(figures selfreport.Report, r load.Result) error {
	now, err := lookAtSystem()
	if err != nil {
		return err
	}
	runtime.GC()
	now.lookAtCollector()
	n := float64(r.Requests)
	figures["throughput"] = n / r.Seconds
	figures["request_cpu_s"] = (now.cpu - c.cpu).Seconds() / n
	figures["request_bytes"] = float64(now.bytes-c.bytes) / n
	figures["request_allocs"] = float64(now.allocs-c.allocs) / n
	figures["gc_percent"] = 100 * (now.collector - c.collector) / (now.busy - c.busy)
	figures["gc_cycles"] = float64(now.cycles - c.cycles)
	return nil
}
