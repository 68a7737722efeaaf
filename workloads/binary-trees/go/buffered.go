package binarytrees

type bufferedNode struct{ left, right *bufferedNode }

// buffered takes the nodes of each tree from a buffer allocated for that tree, because the number
// of nodes is known in advance. As published, the buffer has 2^(depth+1) nodes, one more than the
// tree.
type buffered struct{ free []bufferedNode }

func newBuffered(Shape) (worker, error) { return &buffered{}, nil }

func (b *buffered) build(depth int) *bufferedNode {
	n := &b.free[0]
	b.free = b.free[1:]
	if depth > 0 {
		n.left, n.right = b.build(depth-1), b.build(depth-1)
	}
	return n
}

func (n *bufferedNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (b *buffered) tree(depth int) *bufferedNode {
	b.free = make([]bufferedNode, 2<<depth)
	return b.build(depth)
}

func (b *buffered) count(depth int) int { return b.tree(depth).count() }

func (b *buffered) keep(depth int) func() int { return b.tree(depth).count }
