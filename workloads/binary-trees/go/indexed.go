package binarytrees

import "github.com/coppice-go/coppice/store"

type indexedNode struct{ left, right store.Ref[indexedNode] }

// indexed keeps its nodes in a Store, which it resets after every tree. Links are 4 bytes,
// and the collector does not scan them. Trees are built parent first, so that counting a
// large tree reads memory in order.
type indexed struct{ nodes *store.Store[indexedNode] }

func newIndexed(s Shape) (worker, error) {
	nodes, err := store.Open[indexedNode](store.Options{Name: "binary-trees", Max: s.greatestTree()})
	if err != nil {
		return nil, err
	}
	return &indexed{nodes}, nil
}

// buildIndexed continues with the right child in a loop, and makes the lowest two levels in
// the call of their parent. Every node is allocated separately, but only one in eight costs a call. gcc
// does as much with the plain recursion; Go's compiler does not.
func buildIndexed(nodes *store.Store[indexedNode], depth int) store.Ref[indexedNode] {
	root, n := nodes.New()
	for ; depth > 2; depth-- {
		n.left = buildIndexed(nodes, depth-1)
		r, right := nodes.New()
		n.right, n = r, right
	}
	if depth == 2 {
		r, left := nodes.New()
		n.left = r
		left.left, _ = nodes.New()
		left.right, _ = nodes.New()
		r, right := nodes.New()
		n.right, n = r, right
	}
	if depth > 0 {
		n.left, _ = nodes.New()
		n.right, _ = nodes.New()
	}
	return root
}

// countIndexed counts n and the nodes below it. It also continues with the right child in a
// loop, and calls itself only for a left child that has more than leaves below it.
func countIndexed(nodes []indexedNode, n indexedNode) int {
	count := 1
	for n.left != 0 {
		left := nodes[n.left]
		switch {
		case left.left == 0:
			count += 2
		case nodes[left.left].left|nodes[left.right].left == 0:
			count += 4
		default:
			count += 1 + countIndexed(nodes, left)
		}
		n = nodes[n.right]
	}
	return count
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
