package binarytrees

import "github.com/coppice-go/coppice/slab"

type slabPlainNode struct{ left, right *slabPlainNode }

// slabPlain is slabbed with the textbook recursion.
type slabPlain struct{ nodes slab.Slab[slabPlainNode] }

func newSlabPlain(Shape) (worker, error) { return &slabPlain{}, nil }

func buildSlabPlain(nodes *slab.Slab[slabPlainNode], depth int) *slabPlainNode {
	n := nodes.New()
	if depth > 0 {
		n.left = buildSlabPlain(nodes, depth-1)
		n.right = buildSlabPlain(nodes, depth-1)
	}
	return n
}

func (n *slabPlainNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (s *slabPlain) count(depth int) int {
	nodes := buildSlabPlain(&s.nodes, depth).count()
	s.nodes.Reset()
	return nodes
}

func (s *slabPlain) keep(depth int) func() int { return buildSlabPlain(&s.nodes, depth).count }
