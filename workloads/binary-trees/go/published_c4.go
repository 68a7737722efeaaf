package binarytrees

// This is C4 as published: nodes are linked by pointers and have an item. The children of a node
// with item i have the items 2i-1 and 2i, and the check of a tree is item + left - right, which is
// i-1 for each tree of depth 1 or more.

// c4ArenaLen is the number of nodes in a chunk of NodeArena, as published.
const c4ArenaLen = 10_000

// nodeArena hands out the last node of a slice, and allocates a new slice when that slice is empty.
type nodeArena []itemNode

func (a *nodeArena) get() *itemNode {
	if len(*a) == 0 {
		*a = make(nodeArena, c4ArenaLen)
	}
	last := len(*a) - 1
	n := &(*a)[last]
	*a = (*a)[:last]
	return n
}

func (a *nodeArena) bottomUpTree(item, depth int) *itemNode {
	n := a.get()
	n.item = item
	if depth > 0 {
		n.left = a.bottomUpTree(2*item-1, depth-1)
		n.right = a.bottomUpTree(2*item, depth-1)
	}
	return n
}

func (n *itemNode) check() int {
	if n.left == nil {
		return n.item
	}
	return n.item + n.left.check() - n.right.check()
}

// c4 numbers its trees 1, -1, 2, -2 ...
type c4 struct {
	build func(item, depth int) *itemNode
	item  int
}

func newC4Naive(Shape) (worker, error) { return &c4{build: buildItems}, nil }

func newC4Arena(Shape) (worker, error) { return &c4{build: new(nodeArena).bottomUpTree}, nil }

func (c *c4) next() int {
	if c.item > 0 {
		c.item = -c.item
	} else {
		c.item = 1 - c.item
	}
	return c.item
}

// nodesOf returns the number of nodes of a tree whose check is right, and 0 for any other tree. It
// is needed because the answer of ../spec.md is a number of nodes, but the published traversal does
// not count nodes.
func (n *itemNode) nodesOf(depth int) int {
	if depth > 0 && n.check() != n.item-1 || depth == 0 && n.check() != n.item {
		return 0
	}
	return int(nodes(depth))
}

func (c *c4) count(depth int) int { return c.build(c.next(), depth).nodesOf(depth) }

func (c *c4) keep(depth int) func() int {
	root := c.build(c.next(), depth)
	return func() int { return root.nodesOf(depth) }
}
