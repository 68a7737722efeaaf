// Package probe runs a benchmark, a test or a program in several ways and measures its costs: the
// metrics of an operation, the effect of settings of the Go runtime, a CPU profile of the timed
// part, and heap profiles for allocations and lifetimes. Everything runs on one processor
// (GOMAXPROCS=1), because the CPU time otherwise includes the collector's idle workers.
//
// docs/FIND.md describes the probes, and docs/decisions/0021 gives the reasons.
package probe

import (
	"context"
	"fmt"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/progress"
)

// Options specifies how much to measure.
type Options struct {
	Rounds  int           // number of rounds for settings, at least 7; 0 measures no settings
	Samples int           // number of samples for the CPU profile, if time allows
	Longest time.Duration // maximum duration of the CPU profile once it has Least samples
	Least   int           // minimum number of samples for a valid estimate: the profile continues until then
	Time    time.Duration // maximum duration of the CPU profile in any case
	Fates   bool          // hold and drop results, with all objects recorded; otherwise allocations are sampled
	Memory  float64       // memory of the machine in bytes
	Builds  Builds        // other builds to measure; nil for none
	Show    func(what string)
	// Until is called, if it is not nil, instead of Show for steps whose end can be estimated. The
	// parameter left is the time until the end, or 0 as long as the time is unknown.
	Until func(what string, left time.Duration)
}

// Full and Quick are the usual Options. With Full, a subject takes about a minute, and up to four
// minutes if samples are rare. Quick takes a quarter of this time, and measures neither settings
// nor lifetimes.
var (
	Full  = Options{Rounds: 10, Samples: 1200, Longest: 40 * time.Second, Time: 3 * time.Minute, Fates: true}
	Quick = Options{Samples: 1000, Longest: 15 * time.Second, Time: 3 * time.Minute}
)

// showStep shows a step, and the time left until it ends. A time of 0 means that the time is
// unknown.
func (o *Options) showStep(what string, left time.Duration) {
	if o.Until == nil {
		o.Show(what)
		return
	}
	o.Until(what, left)
}

// rounds returns a function that shows the progress of a measurement, one round at a time.
func (o *Options) rounds(what string) func(round, of int, subject string) {
	var rounds progress.Rounds
	return func(round, of int, _ string) {
		o.showStep(fmt.Sprintf("%s, round %d of %d", what, round+1, of), rounds.Left(round, of))
	}
}

// A Subject is a program under test. Each run of the program performs a number of operations.
type Subject interface {
	Label() string
	// Calibrate runs the program to determine the number of operations per run.
	Calibrate(ctx context.Context) error
	Operations() int
	Limit(operations int) // limits the number of operations per run
	// Figures runs the program with env added to its environment, and returns the metrics of the
	// run. Per operation, they are cpu and wall in seconds, allocs, bytes and cycles. For the whole
	// run, they are process, the CPU time in seconds, and rss, the peak memory in bytes. Unknown
	// metrics are missing.
	Figures(ctx context.Context, env map[string]string) (map[string]float64, error)
	// Profile records a CPU profile of the given number of operations, or of as many as possible.
	Profile(ctx context.Context, operations int) (*profile.Profile, error)
	Heap(ctx context.Context, o Options) (Heap, error)
}

// Findings contains the costs of an operation, and the profiles of the subject.
type Findings struct {
	N        int     // number of operations per run
	CPU      float64 // CPU seconds per operation
	Allocs   float64 // exact number of objects per operation
	Bytes    float64
	Cycles   float64 // collections per operation
	Outside  float64 // fraction of the process's CPU time outside the timed part
	Settings []Setting
	// NoCeiling is the reason why the program was not measured without a collector, although other
	// settings were measured.
	NoCeiling string
	Profile   *profile.Profile // CPU profile of the timed part and of the collector
	Needs     time.Duration    // time needed for Least samples if Time is too short; else 0
	Heap      Heap

	whole float64 // CPU seconds per operation, including untimed work
}

// Run measures a subject, which must have been built.
func Run(ctx context.Context, s Subject, o Options) (*Findings, error) {
	o.Show("trying " + s.Label())
	if err := s.Calibrate(ctx); err != nil {
		return nil, err
	}
	f := &Findings{N: s.Operations()}
	if err := f.settings(ctx, s, o); err != nil {
		return nil, err
	}
	if err := f.profile(ctx, s, o); err != nil {
		return nil, err
	}
	if err := f.builds(ctx, s, o); err != nil {
		return nil, err
	}
	o.Show("counting allocations of " + s.Label())
	var err error
	f.Heap, err = s.Heap(ctx, o)
	if f.Heap.Allocs > 0 {
		f.Allocs, f.Bytes = f.Heap.Allocs, f.Heap.Bytes
	}
	return f, err
}
