// Package runs contains the subjects that coppice find analyzes besides benchmarks: the tests of a
// package, and a program. A single execution of the tests or of the program is one operation.
//
// CPU time and peak memory are measured for whole processes, with the accounting of the operating
// system. The CPU time of a test process that runs no test is not part of an operation.
package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// Tests represents the tests of one package that match a pattern. The test binary must have been
// built.
type Tests struct {
	Tree    *gobench.Tree
	Package string
	Pattern string // pattern of go test -run

	count int                // number of times that a run executes the tests
	once  bool               // the tests fail if they run twice in one process
	idle  float64            // CPU seconds of a process without tests
	first float64            // CPU seconds per operation, when count was chosen
	known map[string]float64 // metrics per operation that a usual run does not report
}

// CPU times in seconds. The tests of this package set other values, so that they do not depend on
// the speed of the machine.
var (
	runSeconds = 0.5 // intended CPU time of a run
	// leastRun is the minimum CPU time of a run, in addition to the time of a process without
	// tests. leastOperation is the minimum CPU time of an operation. Shorter times cannot be
	// distinguished from noise, or from the time of package testing itself, which is 15 to 30 µs.
	leastRun, leastOperation = 0.01, 100e-6
)

const (
	mostTests = 5000 // maximum number of times that the tests run in one process
	tries     = 3
)

// nothing is a pattern that matches no test.
const nothing = "^$"

// ErrNoTests means that no test matches the pattern.
var ErrNoTests = errors.New("no test matches")

// Label returns the flag -test with the pattern.
func (s *Tests) Label() string { return "-test " + s.Pattern }

// Operations returns how many times the tests are executed in a run.
func (s *Tests) Operations() int { return s.count }

// Limit limits how many times the tests are executed in a run.
func (s *Tests) Limit(operations int) { s.count = min(s.count, operations) }

// Once reports whether each process executes the tests only once, because they fail when they are
// executed twice in one process.
func (s *Tests) Once() bool { return s.once }

// run executes the tests count times in one process, on one processor.
func (s *Tests) run(ctx context.Context, file string, count int, env map[string]string, args ...string) (process.Outcome, error) {
	with := map[string]string{"GOMAXPROCS": "1"}
	maps.Copy(with, env)
	pattern := s.Pattern
	if count == 0 {
		pattern = nothing
	}
	out, err := s.Tree.Execute(ctx, s.Package, file, with, append([]string{"-test.run=" + pattern, "-test.count=" + strconv.Itoa(max(1, count))}, args...)...)
	switch {
	case err != nil:
		return out, err
	case out.TimedOut:
		return out, fmt.Errorf("%s: the tests took more than %v; choose fewer with -test", s.Package, gobench.Timeout)
	case out.Failure != "":
		return out, fmt.Errorf("%s: the tests fail: %s", s.Package, gobench.FailedLine(out.Stdout, out.Stderr, out.Failure))
	case count > 0 && bytes.Contains(out.Stderr, []byte("no tests to run")):
		return out, fmt.Errorf("%s: %w -test %s; go test -list . prints their names", s.Package, ErrNoTests, s.Pattern)
	}
	return out, nil
}

func (s *Tests) binary() string { return s.Tree.Binaries[s.Package] }

// cpu returns the smallest CPU time of several runs. A single run is not enough, because the first
// process of a program is slow, and later processes may be slow as well.
func (s *Tests) cpu(ctx context.Context, count int) (float64, error) {
	least := math.Inf(1)
	for range tries {
		out, err := s.run(ctx, s.binary(), count, nil)
		if err != nil {
			return 0, err
		}
		least = min(least, out.Figures["cpu"])
		if out.Figures["cpu"] > runSeconds {
			break
		}
	}
	return least, nil
}

// Calibrate determines how many times to execute the tests in a run, so that the run takes half a
// second of CPU time. It executes the tests at least twice in one process, however long they take:
// recording a heap profile also executes them twice, and some tests fail the second time.
func (s *Tests) Calibrate(ctx context.Context) error {
	one, err := s.cpu(ctx, 1)
	if err != nil {
		return err
	}
	if s.idle, err = s.cpu(ctx, 0); err != nil {
		return err
	}
	s.count, s.first = 1, one-s.idle
	for try := range tries { // the first run may cost more than later ones
		better := min(mostTests, int(math.Ceil(runSeconds/max(s.first, 1e-9))))
		long := better <= 2*s.count
		if long && try > 0 {
			break
		}
		better = max(2, min(better, 20*s.count)) // tests may wait, which takes no CPU time
		out, err := s.run(ctx, s.binary(), better, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.once, s.count = true, 1
			break
		}
		s.first = (out.Figures["cpu"] - s.idle) / float64(better)
		if long {
			break // a run is a single operation
		}
		s.count = better
	}
	if s.first*float64(s.count) < leastRun || s.first < leastOperation {
		return fmt.Errorf("%s: the tests take too little CPU time to be measured; choose others with -test, or write a benchmark", s.Package)
	}
	return s.estimate(ctx)
}

// estimate determines approximately how much an operation allocates, and how many collections it
// causes.
func (s *Tests) estimate(ctx context.Context) error {
	h, err := s.profiles(ctx, s.count, usualRate)
	if err != nil {
		return err
	}
	s.known = map[string]float64{"allocs": h.Allocs, "bytes": h.Bytes}
	before, err := s.run(ctx, s.binary(), 0, map[string]string{"GODEBUG": "gctrace=1"})
	if err != nil {
		return err
	}
	after, err := s.run(ctx, s.binary(), s.count, map[string]string{"GODEBUG": "gctrace=1"})
	if err != nil {
		return err
	}
	s.known["cycles"] = max(0, float64(cycles(after.Stderr)-cycles(before.Stderr))/float64(s.count))
	return nil
}

// cycles counts the collections that a process reported on standard error (GODEBUG=gctrace=1).
func cycles(stderr []byte) (n int) {
	for line := range bytes.Lines(stderr) {
		if bytes.HasPrefix(line, []byte("gc ")) && bytes.Contains(line, []byte(" @")) {
			n++
		}
	}
	return n
}

// Figures runs the tests, and returns their metrics. The numbers of objects, bytes and collections
// are the ones that Calibrate found.
func (s *Tests) Figures(ctx context.Context, env map[string]string) (map[string]float64, error) {
	out, err := s.run(ctx, s.binary(), s.count, env)
	if err != nil {
		return nil, err
	}
	n := float64(s.count)
	figures := map[string]float64{
		"operations": n, "wall": out.Figures["wall"] / n, "cpu": max(0, out.Figures["cpu"]-s.idle) / n, "process": out.Figures["cpu"],
	}
	maps.Copy(figures, s.known)
	if rss := out.Figures["rss"]; rss > 0 {
		figures["rss"] = rss
	}
	return figures, nil
}

// Profile records a CPU profile of the tests.
func (s *Tests) Profile(ctx context.Context, operations int) (*profile.Profile, error) {
	if s.once {
		operations = 1
	}
	file := filepath.Join(s.Tree.Folder, "cpu.pb.gz")
	if _, err := s.run(ctx, s.binary(), min(operations, mostTests), nil, "-test.cpuprofile="+file); err != nil {
		return nil, err
	}
	return profiles.ReadFile(file)
}

// usualRate is the runtime's default sampling rate: the number of bytes per sample.
const usualRate = 512 << 10

// Heap records two heap profiles: one of a single operation, which includes the common set-up, and
// one of more operations. If the tests can be executed only once per process, the first profile
// contains no operation.
func (s *Tests) Heap(ctx context.Context, o probe.Options) (probe.Heap, error) {
	n, rate := probe.Plan(s.first, o)
	if s.once {
		n = 1
	}
	return s.profiles(ctx, min(n, mostTests), rate)
}

// profiles records the heap profiles whose difference contains n operations.
func (s *Tests) profiles(ctx context.Context, n, rate int) (h probe.Heap, err error) {
	h = probe.Heap{N: n, Rate: rate, AtEnd: true, Why: "tests return nothing"}
	before := 1
	if s.once {
		before = 0
	}
	if h.Plain.Start, err = s.heapProfile(ctx, before, rate); err != nil {
		return h, err
	}
	if h.Plain.Held, err = s.heapProfile(ctx, before+n, rate); err != nil {
		return h, err
	}
	h.Plain.Dropped = h.Plain.Held
	count(&h)
	return h, nil
}

// heapProfile returns the heap profile at the end of a process, after a collection.
func (s *Tests) heapProfile(ctx context.Context, count, rate int) (*profile.Profile, error) {
	file := filepath.Join(s.Tree.Folder, "heap.pb.gz")
	if _, err := s.run(ctx, s.binary(), count, nil, "-test.memprofile="+file, "-test.memprofilerate="+strconv.Itoa(rate)); err != nil {
		return nil, err
	}
	p, err := profiles.ReadFile(file)
	if err == nil {
		relative(p)
	}
	return p, err
}

// relative converts addresses to offsets in the binary. Unlike addresses, offsets from two
// processes can be compared even if the system loads programs at random addresses.
func relative(p *profile.Profile) {
	for _, l := range p.Location {
		if l.Mapping != nil && l.Address >= l.Mapping.Start {
			l.Address -= l.Mapping.Start
		}
	}
}

// count computes the allocations of an operation from the profiles.
func count(h *probe.Heap) {
	made := profiles.Difference(h.Plain.Held, h.Plain.Start)
	for _, s := range made.Sample {
		for i, t := range made.SampleType {
			switch t.Type {
			case "alloc_objects":
				h.Allocs += float64(s.Value[i]) / float64(h.N)
			case "alloc_space":
				h.Bytes += float64(s.Value[i]) / float64(h.N)
			}
		}
	}
}

// Changed builds the test binary with the changes, and executes the tests once.
func (s *Tests) Changed(ctx context.Context, c wrap.Changes, folder string, env map[string]string, _ int) (operations int, err error) {
	replace, err := c.Write(folder)
	if err != nil {
		return 0, err
	}
	file, err := s.Tree.Variant(ctx, "changed", s.Package, replace)
	if err != nil {
		return 0, err
	}
	_, err = s.run(ctx, file, 1, env)
	return 1, err
}

// MayMatch reports whether the pattern may match the named test or one of its subtests.
func MayMatch(pattern, name string) bool {
	first, rest, _ := strings.Cut(pattern, "/")
	if strings.Contains(rest, "|") {
		return true // another alternative may match
	}
	re, err := regexp.Compile(first)
	return err != nil || re.MatchString(name) // compiling fails if the slash was in brackets
}
