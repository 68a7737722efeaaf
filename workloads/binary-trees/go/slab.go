package binarytrees

import "github.com/coppice-go/coppice/slab"

type slabNode struct{ left, right *slabNode }

// slabbed takes its nodes from a Slab and resets it after every tree, so that the
// next one is built in the same memory.
type slabbed struct{ nodes slab.Slab[slabNode] }

func newSlab(Shape) (worker, error) { return &slabbed{}, nil }

func buildSlab(nodes *slab.Slab[slabNode], depth int) *slabNode {
	n := nodes.New()
	if depth > 0 {
		n.left, n.right = buildSlab(nodes, depth-1), buildSlab(nodes, depth-1)
	}
	return n
}

func (n *slabNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (s *slabbed) count(depth int) int {
	nodes := buildSlab(&s.nodes, depth).count()
	s.nodes.Reset()
	return nodes
}

func (s *slabbed) keep(depth int) func() int { return buildSlab(&s.nodes, depth).count }
