package flat_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// collection runs the garbage collector once, and returns the CPU time that it took in nanoseconds,
// as estimated by the runtime. The time is the sum over all processors, without waiting.
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

// drop runs the garbage collector once, and returns the elapsed time in nanoseconds. It includes
// sweeping, which the runtime does not include in the collector's CPU time.
func drop() float64 {
	start := time.Now()
	runtime.GC()
	return float64(time.Since(start).Nanoseconds())
}

// make1M returns a tree in the given form, or nil if the form is none.
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

// reportNet reports the mean of the times with a tree, and the difference between this mean and the
// mean of the times without one.
func reportNet(b *testing.B, with, empty float64, unit string) {
	b.ReportMetric(with/float64(b.N), unit)
	b.ReportMetric((with-empty)/float64(b.N), "net-"+unit)
}

// BenchmarkCollect measures a forced collection while one tree is live. Each such collection is
// followed by one without a tree, so that both run under the same conditions; net is the
// difference. The net result of form=none is the measurement error.
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

// BenchmarkDrop measures the time until the memory of a dropped tree can be reused: the collection
// that finds it dead and sweeps it, minus a collection without a tree. With form=free, the tree is
// freed by Free.
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
