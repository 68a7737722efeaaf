package binarytrees

import "github.com/coppice-go/coppice/store"

// pairNode stores both links of a node in one word, the left one in the low half: one instruction
// stores them, and one bounds check reads them. A leaf is zero.
type pairNode uint64

type pairRef = store.Ref[pairNode]

func pair(left, right pairRef) pairNode { return pairNode(left) | pairNode(right)<<32 }

func (n pairNode) left() pairRef  { return pairRef(uint32(n)) }
func (n pairNode) right() pairRef { return pairRef(n >> 32) }

// indexed keeps its nodes in a Store, which it resets after every tree. Links are 4 bytes,
// and the collector does not scan them. Trees are built parent first, so that counting a
// large tree reads memory in order.
type indexed struct{ nodes *store.Store[pairNode] }

func newIndexed(s Shape) (worker, error) {
	nodes, err := store.New[pairNode](store.Options{Name: "binary-trees", Max: s.greatestTree()})
	if err != nil {
		return nil, err
	}
	return &indexed{nodes}, nil
}

// buildIndexed creates the lowest four levels in one call. Every node is allocated separately, but
// 15 nodes cost only one call. Go's compiler does not inline a function into itself, and a call
// costs more than New.
func buildIndexed(nodes *store.Store[pairNode], depth int) pairRef {
	if depth == 3 {
		return build15(nodes)
	}
	root, n := nodes.New()
	if depth > 0 {
		left := buildIndexed(nodes, depth-1)
		*n = pair(left, buildIndexed(nodes, depth-1))
	}
	return root
}

// build15 creates a tree of depth 3, in preorder.
func build15(nodes *store.Store[pairNode]) pairRef {
	root, n := nodes.New()

	first, f := nodes.New()
	left, l := nodes.New()
	a, _ := nodes.New()
	b, _ := nodes.New()
	*l = pair(a, b)
	right, r := nodes.New()
	*f = pair(left, right)
	a, _ = nodes.New()
	b, _ = nodes.New()
	*r = pair(a, b)

	second, s := nodes.New()
	*n = pair(first, second)
	left, l = nodes.New()
	a, _ = nodes.New()
	b, _ = nodes.New()
	*l = pair(a, b)
	right, r = nodes.New()
	*s = pair(left, right)
	a, _ = nodes.New()
	b, _ = nodes.New()
	*r = pair(a, b)
	return root
}

// countIndexed counts n and the nodes below it. It follows every link and does not use the
// depth. It checks whether n is the root of a subtree of 31 nodes, so that such a subtree costs
// a single call. Slot 0 is the nil record, which is zero, so the children of a leaf read as
// leaves.
func countIndexed(nodes []pairNode, n pairNode) int {
	left, right := nodes[n.left()], nodes[n.right()]
	if left == 0 || right == 0 {
		return countFew(nodes, n)
	}
	if isSeven(nodes, nodes[left.left()]) && isSeven(nodes, nodes[left.right()]) &&
		isSeven(nodes, nodes[right.left()]) && isSeven(nodes, nodes[right.right()]) {
		return 31
	}
	return 1 + countIndexed(nodes, left) + countIndexed(nodes, right)
}

// isSeven reports whether n is the root of a subtree of 7 nodes: n has two children, and each child
// has two leaves. The compiler inlines it. It checks the leftmost leaf first, which is closest to n
// in memory.
func isSeven(nodes []pairNode, n pairNode) bool {
	l := nodes[n.left()]
	if l == 0 || nodes[l.left()] != 0 {
		return false
	}
	r := nodes[n.right()]
	return r != 0 && nodes[l.right()]|nodes[r.left()]|nodes[r.right()] == 0
}

// countFew counts trees that have a leaf less than two levels below the root n.
func countFew(nodes []pairNode, n pairNode) int {
	if n == 0 {
		return 1
	}
	return 1 + countIndexed(nodes, nodes[n.left()]) + countIndexed(nodes, nodes[n.right()])
}

func (x *indexed) count(depth int) int {
	root := buildIndexed(x.nodes, depth)
	count := countIndexed(x.nodes.Slice(), *x.nodes.At(root))
	x.nodes.Reset()
	return count
}

// Close releases the memory.
func (x *indexed) Close() error { return x.nodes.Close() }

func (x *indexed) keep(depth int) func() int {
	root := buildIndexed(x.nodes, depth)
	return func() int { return countIndexed(x.nodes.Slice(), *x.nodes.At(root)) }
}
