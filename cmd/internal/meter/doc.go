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
// # What a sample contains
//
// All values are sums over the time in which the benchmark's timer ran: b.StopTimer, b.StartTimer,
// b.ResetTimer and b.Loop affect them as they affect ns/op. A benchmark runs several times to
// determine its number of operations, and once more for each count and each number of processors.
// Only the runs with the final N, whose results are printed, have a sample. A benchmark that fails,
// is skipped or only has sub-benchmarks has no sample. A call to testing.Benchmark has none either.
//
//   - Wall is what testing itself prints as ns/op, times N.
//   - CPU is user and system time of the whole process, by getrusage(RUSAGE_SELF): all threads,
//     including those of the collector and of other background work. Child processes are not
//     included. It is 0, which means unknown, on systems other than Unix. Linux measures to the
//     microsecond, other systems in ticks: let a run take a second.
//   - GCCPU is the value of /cpu/classes/gc/total:cpu-seconds in runtime/metrics, minus
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
// Between start and stop of the timer the meter does nothing. Starting and stopping the timer takes
// some microseconds more than in the original package, which stops the world anyway. Neither of
// them allocates anything.
//
// # What a benchmark has computed
//
// The overlay gives B a method:
//
//	func (b *B) CoppiceKeep(site string, values ...any)
//
// benchresult.Keep calls it, if the method exists and CoppiceKeeping returns true, so that a
// benchmark needs no overlay to compile. With [KeepEnv] set to 1 the method hashes the values, as
// package deephash describes, and the sample contains a [Kept] for each site. An empty site stands
// for the name of the calling function. With neither KeepEnv nor [HeapEnv], the method returns at
// once. In a run that keeps results, the costs include the hashing: do not use them.
//
// The hash of a site depends on the order of the calls by the goroutine that runs the benchmark.
// Calls by other goroutines, such as those of b.RunParallel, are added up, so their order does not
// matter. Only a fixed N, as with -test.benchtime=100x, makes the hashes of two runs comparable.
//
// # Profiles
//
// With [HeapEnv] the binary writes three heap profiles. The difference between [HeapHeld] and
// [HeapStart] contains the allocations of the operations. Objects that are in use in this
// difference live at least as long as the results. Objects that are in use in the difference
// between [HeapDropped] and [HeapStart] live longer than the results. The binary holds the values
// that CoppiceKeep receives, and hashes them only with [KeepEnv]. With [LabelEnv] the samples of a
// CPU profile show whether the timer ran.
//
// # Requirements
//
// The overlay adds calls to the meter at six positions in testing/benchmark.go. It finds each
// position by its text and by the method that contains it. If a position is missing or occurs
// twice, or if the compiler rejects the result, the toolchain is refused: [ErrToolchain]. Tests
// check this with Go 1.26 and 1.27. The fallback is [TwoPoint], which needs no overlay and measures
// less.
//
// The go command refuses to replace files below GOMODCACHE, where it keeps the toolchains that it
// downloads. Make copies such a toolchain to the user's cache folder, at coppice/goroot, with hard
// links where the system allows them.
package meter
