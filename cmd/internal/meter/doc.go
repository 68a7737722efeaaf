// Package meter measures the cost of an operation of any Go benchmark without changes to the
// benchmark: the CPU time, the garbage collector's share of that time, and the allocations.
//
// It changes the testing package while the benchmark is built. [Make] writes an overlay for the go
// command:
//
//	o, err := meter.Make(ctx, dir, module, nil, nil)
//	cmd := exec.Command(o.Go, "test", "-c", "-overlay", o.File, "-o", "x.test", ".")
//	cmd.Dir, cmd.Env = module, append(os.Environ(), o.Env...)
//
// Run the binary like any test binary, with [FileEnv] in its environment. For each line of results
// that it prints, it appends a [Sample] to the file that FileEnv names:
//
//	COPPICE_METER=/tmp/samples ./x.test -test.run='^$' -test.bench='^BenchmarkA$/^sub$' -test.benchtime=100x
//
// Without FileEnv, the binary behaves like an ordinary test binary. [Read] reads the file.
//
// # Contents of a sample
//
// All values are sums over the time during which the benchmark's timer ran, so b.StopTimer,
// b.StartTimer, b.ResetTimer and b.Loop affect them as they affect ns/op. A benchmark runs several
// times to determine its number of operations, and once more for each count and each number of
// processors. Only the runs with the final N, whose results are printed, produce a sample. A
// benchmark that fails, is skipped or only has sub-benchmarks produces none, and neither does a
// call to testing.Benchmark.
//
//   - Wall is the time that package testing prints as ns/op, times N.
//   - CPU is the user and system time of the whole process, from getrusage(RUSAGE_SELF). It covers
//     all threads, including those of the collector and of other background work, but not child
//     processes. On systems other than Unix it is 0, which means unknown. Linux measures it to the
//     microsecond, other systems in ticks, so a run should take a second.
//   - GCCPU is the value of /cpu/classes/gc/total:cpu-seconds in runtime/metrics, minus
//     /cpu/classes/gc/mark/idle. It includes marking by the dedicated and fractional workers,
//     assists by goroutines that allocate, and the two pauses of each cycle (times GOMAXPROCS). It
//     does not include allocation, sweeping, write barriers, the scavenger, or marking by
//     processors that were otherwise idle; CPU includes all of these. GCCPU is not CPU time but the
//     time for which the collector held processors of the runtime. On a busy machine, where the
//     system preempts threads, it is too high and may exceed CPU. The runtime updates it at the end
//     of each cycle, so a cycle is included as a whole if it ends while the timer runs. Each run
//     begins with a collection before the timer starts; a cycle that is unfinished when the timer
//     stops is lost. With fewer than ten cycles, the GCCPU of a sample is coarse.
//   - Mallocs and Bytes are exact differences of runtime.MemStats, computed as testing computes
//     allocs/op and B/op. They include the runtime's own objects, such as those of new goroutines.
//   - Cycles is the number of collections that ended.
//   - Reported contains the metrics that the benchmark itself reports, by unit: the metrics of
//     ReportMetric, and MB/s, which package testing computes after SetBytes.
//
// The meter does nothing while the timer runs. Starting and stopping the timer takes some
// microseconds more than in the original package, which stops the world anyway. Neither allocates.
//
// # Results of a benchmark
//
// The overlay gives B a method:
//
//	func (b *B) CoppiceKeep(site string, values ...any)
//
// benchresult.Keep calls this method if it exists and CoppiceKeeping returns true, so a benchmark
// also compiles without the overlay. If [KeepEnv] is set to 1, the method hashes the values, as
// package deephash describes, and the sample contains a [Kept] for each site. An empty site stands
// for the name of the calling function. If neither KeepEnv nor [HeapEnv] is set, the method returns
// at once. If results are kept, the measured costs include the hashing, so do not use them.
//
// The hash of a site depends on the order in which the goroutine that runs the benchmark makes its
// calls. The hashes of calls by other goroutines, such as those of b.RunParallel, are added up, so
// the order of these calls does not matter. The hashes of two runs are comparable only if N is
// fixed, as with -test.benchtime=100x.
//
// # Profiles
//
// With [HeapEnv] the binary writes three heap profiles: [HeapStart], [HeapHeld] and [HeapDropped].
// The difference between HeapHeld and HeapStart contains the allocations of the operations. Objects
// that are in use in this difference live at least as long as the results. Objects that are in use
// in the difference between HeapDropped and HeapStart live longer than the results. The binary
// holds the values that CoppiceKeep receives, but hashes them only with [KeepEnv]. With [LabelEnv],
// a label on the samples of a CPU profile shows whether the timer ran.
//
// # Requirements
//
// The overlay inserts calls to the meter at six positions in testing/benchmark.go. It finds each
// position by the source of the statement and by the enclosing method. If a position is missing or
// occurs twice, or if the result does not compile, the toolchain is rejected with [ErrToolchain].
// Tests check this with Go 1.26 and 1.27. The fallback is [TwoPoint], which needs no overlay but
// measures less.
//
// The go command refuses to replace files below GOMODCACHE, where it stores downloaded toolchains.
// Make therefore copies such a toolchain to coppice/goroot in the user's cache folder, with hard
// links where the system allows them.
package meter
