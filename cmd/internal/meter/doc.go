// Package meter measures what an operation of any Go benchmark costs: CPU time, the collector's
// part of it, and allocations, without changes to the benchmark.
//
// It changes the testing package while the benchmark is built. [Make] writes an overlay for the go
// command:
//
//	o, err := meter.Make(ctx, dir, module, nil, nil)
//	cmd := exec.Command(o.Go, "test", "-c", "-overlay", o.File, "-o", "x.test", ".")
//	cmd.Dir, cmd.Env = module, append(os.Environ(), o.Env...)
//
// The binary is run like any test binary, with [FileEnv] in its environment, and appends a [Sample]
// to that file for each line of results that it prints:
//
//	COPPICE_METER=/tmp/samples ./x.test -test.run='^$' -test.bench='^BenchmarkA$/^sub$' -test.benchtime=100x
//
// Without that variable, it behaves like an ordinary binary. [Read] reads the file.
//
// # What a sample has
//
// All values are sums over the time in which the benchmark's timer ran: b.StopTimer, b.StartTimer,
// b.ResetTimer and b.Loop affect them as they affect ns/op. A benchmark runs several times to
// determine its number of operations, and once more for each count and each number of processors.
// Only the runs whose result is printed have a sample: those with the final N. There is no sample
// for a benchmark that fails, is skipped or only has sub-benchmarks, nor for a call to
// testing.Benchmark.
//
//   - Wall is what testing itself prints as ns/op, times N.
//   - CPU is user and system time of the whole process, by getrusage(RUSAGE_SELF): all threads,
//     including those of the collector and of other background work. Child processes are not
//     included. It is 0, which means unknown, on systems other than Unix. Linux measures to the
//     microsecond, other systems in ticks: let a run take a second.
//   - GCCPU is the value of /cpu/classes/gc/total:cpu-seconds in runtime/metrics, less
//     /cpu/classes/gc/mark/idle: marking by the dedicated and fractional workers, assists by
//     goroutines that allocate, and the two pauses of each cycle, times GOMAXPROCS. Allocation,
//     sweeping, write barriers and the scavenger are not in it, nor is marking by processors that
//     had nothing else to do; all of that is in CPU. It is the time for which the collector had
//     processors of the runtime, not CPU time: on a busy machine, where the system preempts
//     threads, it is too high, and may exceed CPU. The runtime adds to it at the end of each cycle.
//     So a cycle is included, as a whole, if it ends while the timer runs. Each run begins with a
//     collection before the timer starts; a cycle that has not ended when the timer stops is lost.
//     Below ten cycles, a sample's GCCPU is coarse.
//   - Mallocs and Bytes are differences of runtime.MemStats, exact, as testing computes them for
//     allocs/op and B/op. The runtime's own objects are included, such as those of new goroutines.
//   - Cycles are the collections that ended.
//   - Reported is what the benchmark itself reports, by unit: with ReportMetric, and MB/s, which
//     package testing computes after SetBytes.
//
// Between start and stop of the timer the meter does nothing. A start and a stop each take some
// microseconds more than testing's own, which stops the world anyway, and allocate nothing.
//
// # What a benchmark has computed
//
// The overlay gives B a method:
//
//	func (b *B) CoppiceKeep(site string, values ...any)
//
// benchresult.Keep calls it, if the method exists and CoppiceKeeping returns true, so that a
// benchmark needs no overlay to compile. With [KeepEnv] set to 1 the method hashes the values, as
// package deephash describes, and the sample has a [Kept] for each site. An empty site stands for
// the name of the calling function. With neither KeepEnv nor [HeapEnv], the method returns at once.
// In a run that keeps results, the costs include the hashing: do not use them.
//
// The hash of a site depends on the order of the calls by the goroutine that runs the benchmark.
// Calls by other goroutines, such as those of b.RunParallel, are added up, whatever their order.
// Only a fixed N, as with -test.benchtime=100x, makes the hashes of two runs comparable.
//
// # Profiles
//
// With [HeapEnv] the binary writes three heap profiles. The difference [HeapHeld] less [HeapStart]
// contains the allocations of the operations; those in use live at least as long as the results.
// Those in use in the difference [HeapDropped] less [HeapStart] live longer. The binary holds the
// values that CoppiceKeep gets, and hashes them only with [KeepEnv]. With [LabelEnv] the samples of
// a CPU profile show whether the timer ran.
//
// # What it needs
//
// The overlay adds calls at six positions in testing/benchmark.go, which it finds by their text,
// each in its method. It refuses a toolchain in which one of them is missing or occurs twice, or
// whose compiler rejects the result: [ErrToolchain]. Tests check this with Go 1.26 and 1.27. The
// fallback is [TwoPoint], which needs no overlay and measures less.
//
// The go command refuses to replace files below GOMODCACHE, where it keeps the toolchains that it
// downloads. Make copies such a toolchain to the user's cache folder, at coppice/goroot, with hard
// links where the system allows them.
package meter
