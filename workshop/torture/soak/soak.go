package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A worker tests one allocator in one goroutine.
type worker interface {
	// round performs some random operations, checks the contents, and returns the number of
	// operations.
	round(*rand.Rand) (int, error)
	// end frees all memory of the worker.
	end() error
}

// A soak is a run of the soak test.
type soak struct {
	length  time.Duration
	seed    uint64
	workers map[string][]worker // workers by the name of their allocator
	slack   int64               // allowed growth of the resident set in bytes

	// disturb is called after every sample. Tests use it to cause leaks, to show that each of them
	// is detected.
	disturb func()
}

// A report contains the results of a run.
type report struct {
	operations map[string]*atomic.Int64 // numbers of operations by the name of the allocator
	took       time.Duration
	verdict    string // the result of watch
}

// run runs all workers for the given time, or until the context is canceled or a check fails.
func (s *soak) run(parent context.Context) (*report, error) {
	r := &report{operations: map[string]*atomic.Int64{}}
	before := takeSample()
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	time.AfterFunc(s.length, func() { fail(errTime) })
	start := time.Now()
	var working sync.WaitGroup
	for name, workers := range s.workers {
		count := new(atomic.Int64)
		r.operations[name] = count
		for i, w := range workers {
			working.Go(func() {
				random := rand.New(rand.NewPCG(s.seed, uint64(i)))
				if err := work(ctx, w, random, count); err != nil {
					fail(fmt.Errorf("%s: %w", name, err))
				}
			})
		}
	}
	samples := s.watch(ctx)
	working.Wait()
	r.took = time.Since(start)
	if err := context.Cause(ctx); !errors.Is(err, errTime) && parent.Err() == nil {
		return r, err
	}
	var err error
	r.verdict, err = judge(before, samples, s.slack)
	return r, err
}

// errTime is the cancellation cause of a run that ends normally.
var errTime = errors.New("time is up")

// work runs the rounds of a worker until the context is done. It returns a panic as an error.
func work(ctx context.Context, w worker, random *rand.Rand, count *atomic.Int64) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	for ctx.Err() == nil {
		n, err := w.round(random)
		count.Add(int64(n))
		if err != nil {
			return err
		}
	}
	return w.end()
}

// print writes the number of operations of each allocator and, after a success, the line that
// workshop/torture parses.
func (r *report) print(w io.Writer) {
	total := int64(0)
	for _, name := range sortedKeys(r.operations) {
		n := r.operations[name].Load()
		total += n
		fmt.Fprintf(w, "%-8s %12d operations\n", name, n)
	}
	if r.verdict != "" {
		fmt.Fprintf(w, "soak: %d operations in %v, all contents intact; %s\n", total, r.took.Round(time.Second), r.verdict)
	}
}
