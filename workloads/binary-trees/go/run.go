package binarytrees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A Run is one execution of the program.
type Run struct {
	Strategy Strategy
	Shape    Shape
	Workers  int // goroutines that share the trees of one depth, at least 1

	// Progress, if not nil, is called with the number of nodes built and traversed since the last
	// call. Workers call it concurrently.
	Progress func(nodes uint64)
}

// Do prints the answer to out, each line as soon as it is known. It returns early with the
// context's error when the context is done, and with the first error from writing to out.
func (r Run) Do(ctx context.Context, out io.Writer) (err error) {
	workers, err := r.newWorkers()
	defer func() { err = errors.Join(err, closeAll(workers)) }()
	if err != nil {
		return err
	}
	first, sharing := workers[0], workers[1:]
	check := first.count(r.Shape.max + 1)
	r.progress(nodes(r.Shape.max + 1))
	if _, err := fmt.Fprintf(out, "stretch tree of depth %d\t check: %d\n", r.Shape.max+1, check); err != nil {
		return err
	}
	longLived := first.keep(r.Shape.max)
	r.progress(nodes(r.Shape.max))

	for depth := minDepth; depth <= r.Shape.max; depth += 2 {
		check, err := r.countAll(ctx, sharing, depth)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%d\t trees of depth %d\t check: %d\n", r.Shape.trees(depth), depth, check); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "long lived tree of depth %d\t check: %d\n", r.Shape.max, longLived())
	return err
}

// newWorkers creates one worker for the stretch and the long-lived tree, and the workers that share
// the other trees.
func (r Run) newWorkers() (workers []worker, err error) {
	for range 1 + r.Workers {
		w, err := r.Strategy.newWorker(r.Shape)
		if err != nil {
			return workers, err
		}
		workers = append(workers, w)
	}
	return workers, nil
}

// closeAll closes the workers that own memory outside the Go heap.
func closeAll(workers []worker) (err error) {
	for _, w := range workers {
		if c, ok := w.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// countAll builds and counts all short-lived trees of one depth, distributed over the
// workers, and returns the sum of their counts.
func (r Run) countAll(ctx context.Context, workers []worker, depth int) (uint64, error) {
	var (
		trees = r.Shape.trees(depth)
		batch = batchLen(depth)
		taken atomic.Uint64 // trees that a worker has taken on
		check atomic.Uint64
		group sync.WaitGroup
	)
	for _, w := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				end := taken.Add(batch)
				start := end - batch
				if start >= trees {
					return
				}
				end = min(end, trees)
				var sum uint64
				for range end - start {
					sum += uint64(w.count(depth))
				}
				check.Add(sum)
				r.progress((end - start) * nodes(depth))
			}
		})
	}
	group.Wait()
	return check.Load(), ctx.Err()
}

// batchLen returns the number of trees in a batch for a worker: about 65,000 nodes, a
// fraction of a millisecond. So distribution costs almost nothing, and the last batches end
// at about the same time.
func batchLen(depth int) uint64 { return max(1, uint64(1<<16)>>(depth+1)) }

func (r Run) progress(nodes uint64) {
	if r.Progress != nil {
		r.Progress(nodes)
	}
}
