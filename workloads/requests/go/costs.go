package main

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/requests/go/load"
)

// costs are what the service has used so far.
type costs struct {
	cpu           time.Duration // as the system counts it
	allocs, bytes uint64
	cycles        uint32
	collector     float64 // seconds of processors, as the runtime counts them
	busy          float64 // the same, of all that was not idle
}

// look collects, because the runtime closes its account of time at the end of a cycle,
// and returns the costs so far.
func look() (costs, error) {
	runtime.GC()
	c, err := lookAtSystem()
	c.lookAtCollector()
	return c, err
}

// lookAtSystem reads what needs no collection.
func lookAtSystem() (costs, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	usage, err := machine.OwnUsage()
	return costs{cpu: usage.CPU(), allocs: m.Mallocs, bytes: m.TotalAlloc, cycles: m.NumGC}, err
}

// lookAtCollector reads the runtime's account of time. Its classes may be compared with
// each other, and with nothing else.
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

// addCosts adds what the requests of a load cost since c to a report. The one collection
// that look forces at the end counts in the collector's share, and in nothing else.
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
