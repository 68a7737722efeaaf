package binarytrees

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/internal/machine"
)

// BenchmarkTree builds, counts and drops one tree at a time with every strategy. As a lower bound
// for pointers, it also does so with one buffer that is made once and reused by hand. It reports
// the CPU time per node of the whole process, including the collector's threads. `make bench` runs
// it in interleaved rounds.
func BenchmarkTree(b *testing.B) {
	for _, depth := range []int{10, 16, 20} {
		for _, s := range Strategies {
			b.Run(fmt.Sprintf("alloc=%s/depth=%d", s.Name, depth), func(b *testing.B) {
				w, err := s.newWorker(NewShape(depth))
				if err != nil {
					b.Fatal(err)
				}
				benchmarkTree(b, w, depth)
				if err := closeAll([]worker{w}); err != nil {
					b.Fatal(err)
				}
			})
		}
		b.Run(fmt.Sprintf("alloc=byhand/depth=%d", depth), func(b *testing.B) {
			benchmarkTree(b, &byHand{buffer: make([]byHandNode, 2<<depth)}, depth)
		})
	}
}

func benchmarkTree(b *testing.B, w worker, depth int) {
	b.ReportAllocs()
	w.count(depth) // warm up: only a worker's first tree uses fresh memory
	before, err := machine.OwnUsage()
	if err != nil {
		b.Skip(err)
	}
	trees := 0
	for b.Loop() {
		if got := w.count(depth); uint64(got) != nodes(depth) {
			b.Fatalf("a tree of depth %d has %d nodes, want %d", depth, got, nodes(depth))
		}
		trees++
	}
	after, err := machine.OwnUsage()
	if err != nil {
		b.Fatal(err)
	}
	cpu := after.CPU() - before.CPU()
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(trees)/float64(nodes(depth)), "cpu-ns/node")
}

type byHandNode struct{ left, right *byHandNode }

// byHand is what an expert would write if the number of nodes is known: one buffer for all trees,
// and the index of the next free node.
type byHand struct {
	buffer []byHandNode
	next   int
}

func (b *byHand) take() *byHandNode {
	n := &b.buffer[b.next]
	b.next++
	return n
}

// build handles right children in a loop and makes leaves in the call that makes their parent,
// which saves calls.
func (b *byHand) build(depth int) *byHandNode {
	root := b.take()
	n := root
	for ; depth > 1; depth-- {
		n.left = b.build(depth - 1)
		n.right = b.take()
		n = n.right
	}
	n.left, n.right = nil, nil
	if depth == 1 {
		n.left, n.right = b.take(), b.take()
		*n.left, *n.right = byHandNode{}, byHandNode{}
	}
	return root
}

// count has the same structure as build: it loops over right children and counts leaves with their
// parent.
func (n *byHandNode) count() int {
	count := 1
	for n.left != nil {
		if n.left.left == nil {
			count += 2
		} else {
			count += 1 + n.left.count()
		}
		n = n.right
	}
	return count
}

func (b *byHand) count(depth int) int {
	b.next = 0
	return b.build(depth).count()
}

func (b *byHand) keep(depth int) func() int { return b.build(depth).count }
