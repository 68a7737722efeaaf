package binarytrees

// This is C1 as published: an allocator is an interface, called once per node by one recursion for
// all allocators. The buffered allocator is created anew for each tree, with its buffer: two
// allocations per tree.

type c1Tree struct{ left, right *c1Tree }

type c1Allocator interface{ NewTree() *c1Tree }

func newC1Tree(depth int, a c1Allocator) *c1Tree {
	t := a.NewTree()
	if depth > 0 {
		t.left, t.right = newC1Tree(depth-1, a), newC1Tree(depth-1, a)
	}
	return t
}

func (t *c1Tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

// c1Naive is the write-up's allocator 0.
type c1Naive struct{}

func (*c1Naive) NewTree() *c1Tree { return &c1Tree{} }

// c1Buffered is the write-up's allocator 1, for one tree.
type c1Buffered struct {
	buffer []c1Tree
	used   int
}

func newC1AllocatorBuffered(depth int) c1Allocator {
	return &c1Buffered{buffer: make([]c1Tree, 1<<(depth+1))}
}

func (b *c1Buffered) NewTree() *c1Tree {
	t := &b.buffer[b.used]
	b.used++
	return t
}

// c1 builds each tree with the allocator that the function allocator returns for the depth of the
// tree.
type c1 struct{ allocator func(depth int) c1Allocator }

func newC1Naive(Shape) (worker, error) {
	naive := &c1Naive{}
	return c1{func(int) c1Allocator { return naive }}, nil
}

func newC1Buffered(Shape) (worker, error) { return c1{newC1AllocatorBuffered}, nil }

func (c c1) count(depth int) int { return newC1Tree(depth, c.allocator(depth)).count() }

func (c c1) keep(depth int) func() int { return newC1Tree(depth, c.allocator(depth)).count }
