// Package probe runs a benchmark, a test or a program in several ways and reads what it costs:
// figures of an operation, what settings of the Go runtime bring, a CPU profile of the timed part,
// and heap profiles that tell what was allocated and how long it lives. Everything runs on one
// processor (GOMAXPROCS=1), because idle workers of the collector count as CPU time.
//
// docs/FIND.md says what each probe tells, and docs/decisions/0021 why it is made this way.
package probe

import (
	"context"
	"time"

	"github.com/google/pprof/profile"
)

// Options says how much is measured.
type Options struct {
	Rounds  int           // of settings, at least 7; 0 for none
	Samples int           // of the CPU profile, if they come in time
	Longest time.Duration // of the CPU profile, where it has Least samples
	Least   int           // samples without which no estimate holds: for these the profile goes on
	Time    time.Duration // of the CPU profile at most
	Fates   bool          // hold results and let them go, with all objects recorded; else allocations are sampled
	Memory  float64       // bytes of the machine
	Builds  Builds        // other builds to measure; nil for none
	Show    func(what string)
}

// Full takes about a minute, Quick a quarter of that: without settings and fates.
var (
	Full  = Options{Rounds: 10, Samples: 1200, Longest: 40 * time.Second, Fates: true}
	Quick = Options{Samples: 1000, Longest: 15 * time.Second}
)

// A Subject is what is probed. A run of it does some operations.
type Subject interface {
	Label() string
	// Calibrate tries it, and chooses how many operations a run does.
	Calibrate(ctx context.Context) error
	Operations() int
	Limit(operations int) // of a run
	// Figures runs it, with additions to the environment. The keys are: cpu and wall, in seconds of
	// an operation; allocs, bytes and cycles, of an operation; process, CPU seconds, and rss, peak
	// bytes, of all the run. What is unknown is missing.
	Figures(ctx context.Context, env map[string]string) (map[string]float64, error)
	// Profile makes a CPU profile of so many operations, or of as many as it can.
	Profile(ctx context.Context, operations int) (*profile.Profile, error)
	Heap(ctx context.Context, o Options) (Heap, error)
}

// Findings is what an operation costs.
type Findings struct {
	N        int     // operations of a run
	CPU      float64 // seconds of an operation
	Allocs   float64 // objects of an operation, exactly
	Bytes    float64
	Cycles   float64 // collections of an operation
	Outside  float64 // part of the CPU time of the process outside of the timed part
	Settings []Setting
	// NoCeiling is why nothing was measured without a collector, though settings were.
	NoCeiling string
	Profile   *profile.Profile // of CPU, of the timed part and of the collector
	Needs     time.Duration    // how long Least samples would take, where Time is too short for them; else 0
	Heap      Heap

	whole float64 // CPU seconds of an operation, with what is not timed
}

// Run probes a subject that is built.
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
