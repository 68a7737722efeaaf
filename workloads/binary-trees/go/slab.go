package binarytrees

import "github.com/coppice-go/coppice/slab"

type slabNode struct{ left, right *slabNode }

// slabbed allocates its nodes in a Slab and resets it after every tree, so that the next tree is
// built in the same memory.
type slabbed struct{ nodes slab.Slab[slabNode] }

func newSlab(Shape) (worker, error) { return &slabbed{}, nil }

// buildSlab continues with the right child in a loop, and creates the lowest two levels in the call
// for their parent. Every node is allocated separately, but only one in eight costs a call. gcc
// does the same to the plain recursion, but Go's compiler does not. docs/decisions/0007 gives the
// reason; docs/decisions/0036 states what this is compared with.
func buildSlab(nodes *slab.Slab[slabNode], depth int) *slabNode {
	root := nodes.New()
	n := root
	for ; depth > 2; depth-- {
		n.left = buildSlab(nodes, depth-1)
		n.right = nodes.New()
		n = n.right
	}
	if depth == 2 {
		left := nodes.New()
		n.left = left
		left.left, left.right = nodes.New(), nodes.New()
		n.right = nodes.New()
		n = n.right
	}
	if depth > 0 {
		n.left, n.right = nodes.New(), nodes.New()
	}
	return root
}

// count also continues with the right child in a loop, and calls itself only for a left child
// whose children are not both leaves.
func (n *slabNode) count() int {
	count := 1
	for n.left != nil {
		left := n.left
		switch {
		case left.left == nil:
			count += 2
		case left.left.left == nil && left.right.left == nil:
			count += 4
		default:
			count += 1 + left.count()
		}
		n = n.right
	}
	return count
}

func (s *slabbed) count(depth int) int {
	nodes := buildSlab(&s.nodes, depth).count()
	s.nodes.Reset()
	return nodes
}

func (s *slabbed) keep(depth int) func() int { return buildSlab(&s.nodes, depth).count }
