package flat_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// collection returns the CPU time of one forced collection, in nanoseconds, as estimated by the
// runtime: marking on several processors counts for each of them, and waiting does not count.
func collection() float64 {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	spent := func() float64 {
		metrics.Read(sample)
		return sample[0].Value.Float64() * 1e9
	}
	before := spent()
	runtime.GC()
	return spent() - before
}

// drop returns the time of one forced collection with its sweep, which the runtime does not count
// as CPU time of the collector, in nanoseconds.
func drop() float64 {
	start := time.Now()
	runtime.GC()
	return float64(time.Since(start).Nanoseconds())
}

// make1M returns a tree of one form, or nothing.
func make1M(form string) any {
	switch form {
	case "pointers":
		return pointers(bigDepth, 1)
	case "flat":
		return buildFlat(bigDepth)
	default:
		return nil
	}
}

// reportNet reports the mean of the samples, and the mean minus that of the same number of empty
// collections.
func reportNet(b *testing.B, with, empty float64, unit string) {
	b.ReportMetric(with/float64(b.N), unit)
	b.ReportMetric((with-empty)/float64(b.N), "net-"+unit)
}

// Collect is a forced collection while one tree is live. Each is followed by one with nothing live,
// so that both run under the same conditions; net is the difference. The net of form=none is the
// measurement error.
func BenchmarkCollect(b *testing.B) {
	for _, form := range []string{"none", "pointers", "flat"} {
		b.Run("form="+form, func(b *testing.B) {
			with, empty := 0.0, 0.0
			for b.Loop() {
				sink = make1M(form)
				runtime.GC()
				with += collection()
				runtime.KeepAlive(sink)
				sink = nil
				runtime.GC()
				empty += collection()
			}
			reportNet(b, with, empty, "cpu-ns/GC")
		})
	}
}

// Drop is the cost until the memory of a dropped tree can be reused: the collection that finds it
// dead and sweeps it, minus an empty one. form=free is a tree that is freed by Free.
func BenchmarkDrop(b *testing.B) {
	for _, form := range []string{"none", "pointers", "flat", "free"} {
		b.Run("form="+form, func(b *testing.B) {
			with, empty := 0.0, 0.0
			for b.Loop() {
				if form == "free" {
					t := buildFlat(bigDepth)
					runtime.GC()
					t.Free()
				} else {
					sink = make1M(form)
					runtime.GC()
					sink = nil
				}
				with += drop()
				empty += drop()
			}
			reportNet(b, with, empty, "ns/drop")
		})
	}
}
