package probe

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// A Heap contains the heap profiles of one or two runs.
type Heap struct {
	N     int // number of operations per run
	Rate  int // bytes between samples; 1 samples every object
	Plain Profiles
	Kept  *Profiles // profiles of a run whose results were held; nil if nothing can be held
	Why   string    // why nothing was held
	// AtEnd reports whether each run is a single operation. If so, Plain.Held is from the end of
	// the operation, and objects that are still in use then are retained.
	AtEnd bool
	// Allocs and Bytes are the numbers of objects and bytes that an operation allocates, if the
	// profiles counted them, and 0 otherwise.
	Allocs, Bytes float64
}

// Profiles contains the heap profiles of a run: before the operations (Start), after them (Held),
// after their results were released (Dropped), and at random moments between the first two.
type Profiles struct {
	Start, Held, Dropped *profile.Profile
	Moments              []*profile.Profile
	CPU                  float64 // CPU seconds per operation while profiling; 0 if not measured
}

// heapTime is the time that an exact heap profile should take, in seconds.
var heapTime = 2.0

// Hasten divides heapTime by a factor. It is for tests that do not depend on times.
func Hasten(times float64) { heapTime /= times }

const (
	mostHeap = 1000 // maximum number of operations
	slowdown = 30   // factor for a program that allocates much, if each object is recorded
	// fewestHeap is the minimum number of operations. It must be at least 2, to distinguish objects
	// that only the last operation left in a variable from objects that every operation leaves.
	fewestHeap = 2
	rough      = 4096 // bytes between samples, unless every object is recorded
	tooLong    = 20.0 // maximum estimated seconds of a run that records each object
	moments    = 40   // number of profiles at random moments
	// fewMoments is the number of profiles at random moments that are read if results were held. In
	// that case they only identify values that live for several operations. Reading an exact
	// profile of a parser takes half a second and a hundred megabytes.
	fewMoments = 10
)

// Plan returns the number of operations and the sampling rate of a heap profile. The parameter
// seconds is the time of one operation. The rate is 1, which records every object, if lifetimes are
// measured and recording every object does not take too long. Lifetimes are exact only at this
// rate.
func Plan(seconds float64, o Options) (operations, rate int) {
	seconds = max(seconds, 1e-9)
	if !o.Fates {
		return max(fewestHeap, min(mostHeap, int(heapTime/seconds))), rough
	}
	operations, rate = max(fewestHeap, min(mostHeap, int(heapTime/(slowdown*seconds)))), 1
	if float64(operations)*slowdown*seconds > tooLong {
		rate = rough
	}
	return operations, rate
}

// Heap records the heap profiles of one run and, if possible, of a second run that holds its
// results.
func (b *Benchmark) Heap(ctx context.Context, o Options) (h Heap, err error) {
	h.N, h.Rate = Plan(b.First, o)
	many := 0
	if o.Fates {
		if err := h.recordHeld(ctx, b.Tree, b.Benchmark); err != nil {
			return h, err
		}
		many = moments
	} else {
		h.Why = "not measured"
	}
	if h.Plain, err = h.run(ctx, b.Tree, b.Benchmark, "", many); err != nil {
		return h, err
	}
	if h.Kept != nil {
		return h, h.Plain.readMoments(b.Tree, many, fewMoments)
	}
	return h, h.Plain.readMoments(b.Tree, many, many)
}

// recordHeld records the heap profiles of a run that holds its results, if possible.
func (h *Heap) recordHeld(ctx context.Context, t *gobench.Tree, b *gobench.Benchmark) error {
	keeper, err := t.Keeper(ctx, b.Package)
	if err == nil && keeper == nil {
		h.Why = "the benchmark computes nothing that can be held"
		return nil
	}
	var kept Profiles
	if err == nil {
		kept, err = h.run(ctx, t, b, keeper.File, 0)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		h.Why = err.Error()
	default:
		h.Kept = &kept
	}
	return nil
}

// run runs the benchmark once and reads its heap profiles. The parameter file names a test binary
// that holds results, or is "".
func (h *Heap) run(ctx context.Context, t *gobench.Tree, b *gobench.Benchmark, file string, moments int) (p Profiles, err error) {
	name := filepath.Join(t.Folder, "heap")
	r, err := b.Run(ctx, t, gobench.How{
		Time: gobench.Times(h.N), File: file,
		Env:  map[string]string{meter.HeapEnv: name, meter.MomentsEnv: strconv.Itoa(moments), "GODEBUG": "gcstoptheworld=1"},
		Args: []string{"-test.memprofilerate=" + strconv.Itoa(h.Rate)},
	})
	if err != nil {
		return p, err
	}
	p.CPU = r.Samples[0].CPU / float64(r.Samples[0].N)
	var errs [3]error
	p.Start, errs[0] = profiles.ReadFile(name + meter.HeapStart)
	p.Held, errs[1] = profiles.ReadFile(name + meter.HeapHeld)
	p.Dropped, errs[2] = profiles.ReadFile(name + meter.HeapDropped)
	return p, errors.Join(errs[:]...)
}

// readMoments reads the profiles that the last run recorded at random moments. The parameter most
// limits the number of profiles that are read, which are spread evenly.
func (p *Profiles) readMoments(t *gobench.Tree, moments, most int) error {
	name := filepath.Join(t.Folder, "heap"+meter.HeapMoment)
	n := 0
	for n < moments {
		if _, err := os.Stat(name + strconv.Itoa(n)); errors.Is(err, fs.ErrNotExist) {
			break // the benchmark ended before this moment
		} else if err != nil {
			return err
		}
		n++
	}
	for i := range min(n, most) {
		moment, err := profiles.ReadFile(name + strconv.Itoa(i*n/min(n, most)))
		if err != nil {
			return err
		}
		p.Moments = append(p.Moments, moment)
	}
	return nil
}
