package binarytrees

type chunkedNode struct{ left, right *chunkedNode }

// chunkLen is the number of nodes in a chunk, as published.
const chunkLen = 10_000

// chunked is the NodeArena of claim C4: it hands out the last node of a slice, and allocates a new
// slice when that slice is empty. No memory is reused; a chunk is garbage once all trees with nodes
// in it are.
type chunked struct{ free []chunkedNode }

func newChunked(Shape) (worker, error) { return &chunked{}, nil }

func (c *chunked) get() *chunkedNode {
	if len(c.free) == 0 {
		c.free = make([]chunkedNode, chunkLen)
	}
	last := len(c.free) - 1
	n := &c.free[last]
	c.free = c.free[:last]
	return n
}

func (c *chunked) build(depth int) *chunkedNode {
	n := c.get()
	if depth > 0 {
		n.left, n.right = c.build(depth-1), c.build(depth-1)
	}
	return n
}

func (n *chunkedNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (c *chunked) count(depth int) int { return c.build(depth).count() }

func (c *chunked) keep(depth int) func() int { return c.build(depth).count }
