package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
)

// minDepth is the depth of the smallest trees. leastMaxDepth is the least depth of the largest
// trees.
const (
	minDepth      = 4
	leastMaxDepth = minDepth + 2
)

// A worker builds and drops trees for one goroutine, with its own allocator.
type worker interface {
	// count builds a tree of the given depth, counts its nodes by traversing it, and drops it.
	count(depth int) int

	// keep builds a tree that stays live, and returns the function that traverses it. The worker is
	// not used again, except for Close.
	keep(depth int) func() int

	// Close frees memory outside the Go heap.
	Close() error
}

// A strategy is a peer.
type strategy struct {
	name string

	// newWorker creates a worker for trees of at most the given number of nodes.
	newWorker func(nodes uint64) (worker, error)

	// offHeap states that the nodes are outside the Go heap.
	offHeap bool
}

// strategies lists the peers of this build. Peers that need a particular build add themselves
// in init.
var strategies = []strategy{
	{name: "modernc", newWorker: newModernc, offHeap: true},
	{name: "ristretto-allocator", newWorker: newZAllocator},
	{name: "ristretto-buffer", newWorker: newZBuffer},
}

func find(name string) (strategy, bool) {
	for _, s := range strategies {
		if s.name == name {
			return s, true
		}
	}
	return strategy{}, false
}

func names() string {
	var all []string
	for _, s := range strategies {
		all = append(all, s.name)
	}
	return strings.Join(all, ", ")
}

// nodes returns the number of nodes of one tree.
func nodes(depth int) uint64 { return 2<<depth - 1 }

// run prints the answer, each line as soon as it is known.
func run(c command, out io.Writer) (err error) {
	maxDepth := max(c.depth, leastMaxDepth)
	var workers []worker // the first builds the stretch tree and the long-lived tree
	defer func() {
		for _, w := range workers {
			err = errors.Join(err, w.Close())
		}
	}()
	for range 1 + c.workers {
		w, err := c.strategy.newWorker(nodes(maxDepth + 1))
		if err != nil {
			return err
		}
		workers = append(workers, w)
	}
	stretch := workers[0].count(maxDepth + 1)
	if _, err := fmt.Fprintf(out, "stretch tree of depth %d\t check: %d\n", maxDepth+1, stretch); err != nil {
		return err
	}
	longLived := workers[0].keep(maxDepth)

	for depth := minDepth; depth <= maxDepth; depth += 2 {
		trees := uint64(1) << (maxDepth - depth + minDepth)
		check := countAll(workers[1:], trees, depth)
		if _, err := fmt.Fprintf(out, "%d\t trees of depth %d\t check: %d\n", trees, depth, check); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "long lived tree of depth %d\t check: %d\n", maxDepth, longLived())
	return err
}

// countAll builds and counts all short-lived trees of one depth, distributed over the
// workers in batches of about 65,000 nodes, and returns the sum of their counts.
func countAll(workers []worker, trees uint64, depth int) uint64 {
	var (
		batch = max(1, uint64(1<<16)>>(depth+1))
		taken atomic.Uint64 // number of trees that workers have taken on
		check atomic.Uint64
		group sync.WaitGroup
	)
	for _, w := range workers {
		group.Go(func() {
			var sum uint64
			for {
				end := taken.Add(batch)
				start := end - batch
				if start >= trees {
					check.Add(sum)
					return
				}
				for range min(end, trees) - start {
					sum += uint64(w.count(depth))
				}
			}
		})
	}
	group.Wait()
	return check.Load()
}
