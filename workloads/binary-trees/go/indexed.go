package binarytrees

import "github.com/coppice-go/coppice/store"

type indexedNode struct{ left, right store.Ref[indexedNode] }

// indexed keeps its nodes in a Store, where links are 4 bytes and the collector
// never looks, and resets it after every tree. The Store is built parent first, so
// that counting a large tree reads memory in order.
type indexed struct{ nodes *store.Store[indexedNode] }

func newIndexed(s Shape) (worker, error) {
	nodes, err := store.New[indexedNode](store.Options{Name: "binary-trees", Max: s.greatestTree()})
	if err != nil {
		return nil, err
	}
	return &indexed{nodes}, nil
}

func buildIndexed(nodes *store.Store[indexedNode], depth int) store.Ref[indexedNode] {
	r, n := nodes.New()
	if depth > 0 {
		n.left, n.right = buildIndexed(nodes, depth-1), buildIndexed(nodes, depth-1)
	}
	return r
}

func countIndexed(nodes []indexedNode, r store.Ref[indexedNode]) int {
	n := &nodes[r]
	if n.left == 0 {
		return 1
	}
	return 1 + countIndexed(nodes, n.left) + countIndexed(nodes, n.right)
}

func (x *indexed) count(depth int) int {
	root := buildIndexed(x.nodes, depth)
	count := countIndexed(x.nodes.Slice(), root)
	x.nodes.Reset()
	return count
}

// Close gives the memory back.
func (x *indexed) Close() error { return x.nodes.Close() }

func (x *indexed) keep(depth int) func() int {
	root := buildIndexed(x.nodes, depth)
	return func() int { return countIndexed(x.nodes.Slice(), root) }
}
