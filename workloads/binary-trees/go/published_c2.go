package binarytrees

// This is C2 as published: a node has an item and two IDs, integers of which 0 stands for no node
// and 1 for the first node. Nodes are in buckets that are never freed: their memory is returned
// when the program ends. Beside C2 are the naive program with which it was compared, and two
// programs that keep one half of its idea each.

// c2BucketLen is the number of nodes in a bucket, as published.
const c2BucketLen = 1024 * 1024

// c2Item is the item of the root of every tree. The items below the root are as in C4.
const c2Item = 1

type c2ID int

type c2Node struct {
	item        int
	left, right c2ID
}

type c2Buckets struct {
	buckets [][]c2Node
	unused  int // nodes of the last bucket that no id was given for
	last    c2ID
}

// alloc finds the slot of a node by its ID, as readers do.
func (b *c2Buckets) alloc(item int, left, right c2ID) c2ID {
	if b.unused == 0 {
		b.buckets = append(b.buckets, make([]c2Node, c2BucketLen))
		b.unused = c2BucketLen
	}
	b.unused--
	n := b.node(b.last + 1)
	n.item, n.left, n.right = item, left, right
	b.last++
	return b.last
}

func (b *c2Buckets) node(id c2ID) *c2Node {
	n := int(id) - 1
	return &b.buckets[n/c2BucketLen][n%c2BucketLen]
}

// build creates children before their parent, because the parent contains their IDs.
func (b *c2Buckets) build(item, depth int) c2ID {
	if depth == 0 {
		return b.alloc(item, 0, 0)
	}
	return b.alloc(item, b.build(2*item-1, depth-1), b.build(2*item, depth-1))
}

func (b *c2Buckets) walk(id c2ID) int {
	n := b.node(id)
	if n.left == 0 {
		return 1
	}
	return 1 + b.walk(n.left) + b.walk(n.right)
}

// c2Slice keeps all nodes in one slice. When the slice grows, append copies the nodes.
type c2Slice struct{ nodes []c2Node }

func (s *c2Slice) alloc(item int, left, right c2ID) c2ID {
	s.nodes = append(s.nodes, c2Node{item, left, right})
	return c2ID(len(s.nodes))
}

func (s *c2Slice) node(id c2ID) *c2Node { return &s.nodes[id-1] }

func (s *c2Slice) build(item, depth int) c2ID {
	if depth == 0 {
		return s.alloc(item, 0, 0)
	}
	return s.alloc(item, s.build(2*item-1, depth-1), s.build(2*item, depth-1))
}

func (s *c2Slice) walk(id c2ID) int {
	n := s.node(id)
	if n.left == 0 {
		return 1
	}
	return 1 + s.walk(n.left) + s.walk(n.right)
}

func newC2Indexed(Shape) (worker, error) { return &c2Buckets{}, nil }

func (b *c2Buckets) count(depth int) int { return b.walk(b.build(c2Item, depth)) }

func (b *c2Buckets) keep(depth int) func() int {
	root := b.build(c2Item, depth)
	return func() int { return b.walk(root) }
}

func newC2Append(Shape) (worker, error) { return &c2Slice{}, nil }

func (s *c2Slice) count(depth int) int { return s.walk(s.build(c2Item, depth)) }

func (s *c2Slice) keep(depth int) func() int {
	root := s.build(c2Item, depth)
	return func() int { return s.walk(root) }
}

// itemNode is the node of C2 and C4 with pointers.
type itemNode struct {
	item        int
	left, right *itemNode
}

func (n *itemNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func buildItems(item, depth int) *itemNode {
	if depth == 0 {
		return &itemNode{item: item}
	}
	return &itemNode{item, buildItems(2*item-1, depth-1), buildItems(2*item, depth-1)}
}

type c2Naive struct{}

func newC2Naive(Shape) (worker, error) { return c2Naive{}, nil }

func (c2Naive) count(depth int) int { return buildItems(c2Item, depth).count() }

func (c2Naive) keep(depth int) func() int { return buildItems(c2Item, depth).count }

// c2Pointers keeps the nodes in buckets, and links them with pointers into the buckets.
type c2Pointers struct {
	buckets [][]itemNode
	unused  int
}

func newC2Pointers(Shape) (worker, error) { return &c2Pointers{}, nil }

func (b *c2Pointers) alloc(item int, left, right *itemNode) *itemNode {
	if b.unused == 0 {
		b.buckets = append(b.buckets, make([]itemNode, c2BucketLen))
		b.unused = c2BucketLen
	}
	b.unused--
	n := &b.buckets[len(b.buckets)-1][c2BucketLen-1-b.unused]
	n.item, n.left, n.right = item, left, right
	return n
}

func (b *c2Pointers) build(item, depth int) *itemNode {
	if depth == 0 {
		return b.alloc(item, nil, nil)
	}
	return b.alloc(item, b.build(2*item-1, depth-1), b.build(2*item, depth-1))
}

func (b *c2Pointers) count(depth int) int { return b.build(c2Item, depth).count() }

func (b *c2Pointers) keep(depth int) func() int { return b.build(c2Item, depth).count }
