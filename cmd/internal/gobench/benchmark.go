package gobench

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Benchmark is a benchmark of a package that is present in all trees.
type Benchmark struct {
	Package string
	Name    string // for example, BenchmarkX/sub
	Procs   int
	N       int     // number of operations per run, the same in all trees
	First   float64 // CPU seconds per operation, measured when N was chosen
	Fixed   float64 // share of a one-operation run's CPU time that a second operation does not add

	idle map[*Tree]float64 // CPU seconds of a process without operations, by tree without a meter
}

// Subject returns the name of the benchmark with its package, which is unique among the benchmarks
// of all packages.
func (b *Benchmark) Subject() string { return b.Package + "." + b.Label() }

// Label returns the name of the benchmark for messages. The name of a sub-benchmark that uses
// several processors ends in -P, where P is the number of processors.
func (b *Benchmark) Label() string {
	if b.Procs > 1 && strings.Contains(b.Name, "/") {
		return fmt.Sprintf("%s-%d", b.Name, b.Procs)
	}
	return b.Name
}

// Pattern returns a pattern for -test.run or -test.bench that matches only the test or benchmark
// with the given name. As go test requires, the pattern has one element for each level of the name.
func Pattern(name string) string {
	var levels []string
	for level := range strings.SplitSeq(name, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	return strings.Join(levels, "/")
}

// Find returns the benchmarks of a package that match the pattern.
func (t *Tree) Find(ctx context.Context, path, pattern string) ([]Benchmark, error) {
	args := []string{"-test.bench=" + pattern, "-test.benchtime=1x"}
	if t.Plain { // plainSamples expects this processor count at the end of names
		args = append(args, "-test.cpu="+strconv.Itoa(runtime.GOMAXPROCS(0)))
	}
	r, err := t.run(ctx, path, t.Binaries[path], nil, args...)
	if err != nil {
		return nil, err
	}
	var all []Benchmark
	for _, s := range r.Samples {
		all = append(all, Benchmark{Package: path, Name: s.Name, Procs: s.Procs})
	}
	return all, nil
}

// A How contains the settings for a run of a benchmark.
type How struct {
	Time string            // duration or number of operations, as for -test.benchtime: 100ms, 20x
	Env  map[string]string // variables added to the environment
	Args []string          // additional flags of the test binary
	File string            // path of the test binary, if it is not the tree's
}

// Run runs the benchmark in the tree t, with the settings in how.
func (b *Benchmark) Run(ctx context.Context, t *Tree, how How) (Run, error) {
	file := t.Binaries[b.Package]
	if how.File != "" {
		file = how.File
	}
	args := append([]string{"-test.bench=" + Pattern(t.Alias.Special(b.Name)), "-test.cpu=" + strconv.Itoa(b.Procs), "-test.benchtime=" + how.Time}, how.Args...)
	r, err := t.run(ctx, b.Package, file, how.Env, args...)
	if err == nil && len(r.Samples) != 1 {
		err = fmt.Errorf("%s ran %d times in one round in %s; benchmark names must be unique", t.Alias.Special(b.Name), len(r.Samples), t.Name)
	}
	return r, err
}

// Times returns the value of How.Time that stands for n operations.
func Times(n int) string { return strconv.Itoa(n) + "x" }

// These are target durations: for the timed part of a run, for the trial run that determines the
// number of operations, and for a whole run without its fixed part.
var (
	runTime       = 500 * time.Millisecond
	calibrateTime = 150 * time.Millisecond
)

const longestRun = 3 * time.Second

// Hasten divides the duration of all subsequent runs by the given number. It is for tests that do
// not depend on durations.
func Hasten(times int) {
	runTime, calibrateTime = runTime/time.Duration(times), calibrateTime/time.Duration(times)
}

// calibrations is the number of trial runs of a benchmark. One run is not enough, because the first
// process of a program is slow, and later processes may be slow too.
const calibrations = 3

// Calibrate sets b.N, the number of operations per run. It performs trial runs to determine this
// number.
func (b *Benchmark) Calibrate(ctx context.Context, t *Tree) error {
	var wall, whole float64 // seconds per operation, and of the whole process
	tried := 0              // number of operations in the fastest trial run
	for i := range calibrations {
		r, err := b.Run(ctx, t, How{Time: calibrateTime.String()})
		if err != nil {
			return err
		}
		s := r.Samples[0]
		n := float64(s.N)
		if i == 0 || s.Wall/n < wall {
			wall, b.First, whole, tried = s.Wall/n, s.CPU/n, r.Figures["wall"], s.N
		}
		if whole > longestRun.Seconds() {
			break
		}
	}
	b.N = max(1, int(runTime.Seconds()/max(wall, 1e-9)))
	switch {
	case tried == 1:
		two, err := b.Run(ctx, t, How{Time: Times(2)})
		if err != nil {
			return err
		}
		b.Fixed = 1 - (two.Samples[0].CPU-b.First)/max(b.First, 1e-9)
	case b.N > tried && whole*float64(b.N)/float64(tried) > longestRun.Seconds():
		return b.shorten(ctx, t, tried)
	}
	return nil
}

// shorten reduces the number of operations if the benchmark spends much time in each operation
// while its timer is stopped. n is a number of operations that is known to be acceptable.
func (b *Benchmark) shorten(ctx context.Context, t *Tree, n int) error {
	many, err := b.Run(ctx, t, How{Time: Times(n)})
	if err != nil {
		return err
	}
	few := (n + 3) / 4
	part, err := b.Run(ctx, t, How{Time: Times(few)})
	if err != nil {
		return err
	}
	if each := (many.Figures["wall"] - part.Figures["wall"]) / float64(n-few); each > 0 {
		b.N = max(1, min(b.N, int(longestRun.Seconds()/each)))
	}
	return nil
}

// Limit reduces the number of operations so that a run in the tree t does not take too long. An
// operation may take many times as long in t as in the tree for which the number was chosen.
func (b *Benchmark) Limit(ctx context.Context, t *Tree) error {
	r, err := b.Run(ctx, t, How{Time: calibrateTime.String()})
	if err != nil {
		return err
	}
	wall := r.Samples[0].Wall / float64(r.Samples[0].N)
	b.N = max(1, min(b.N, int(longestRun.Seconds()/max(wall, 1e-9))))
	return nil
}

// Figures runs the benchmark once. It returns the measured figures per operation, and the figures
// that the benchmark itself reports.
func (b *Benchmark) Figures(ctx context.Context, t *Tree, env map[string]string) (map[string]float64, error) {
	r, err := b.Run(ctx, t, How{Time: Times(b.N), Env: env})
	if err != nil {
		return nil, err
	}
	s := r.Samples[0]
	n := float64(s.N)
	figures := map[string]float64{
		"operations": n, "wall": s.Wall / n, "allocs": float64(s.Mallocs) / n, "bytes": float64(s.Bytes) / n,
		"cycles": float64(s.Cycles) / n, "process": r.Figures["cpu"],
	}
	if t.Plain {
		figures["cpu"] = max(0, r.Figures["cpu"]-b.idle[t]) / n
	} else if s.CPU > 0 { // the CPU time is known on this system
		figures["cpu"], figures["gc"] = s.CPU/n, s.GCCPU/n
	}
	if rss := r.Figures["rss"]; rss > 0 {
		figures["rss"] = rss
	}
	addReported(figures, s.Reported)
	return figures, nil
}
