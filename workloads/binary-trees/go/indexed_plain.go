package binarytrees

import "github.com/coppice-go/coppice/store"

type indexedNode struct{ left, right store.Ref[indexedNode] }

// indexedPlain is indexed with the textbook recursion.
type indexedPlain struct{ nodes *store.Store[indexedNode] }

func newIndexedPlain(s Shape) (worker, error) {
	nodes, err := store.New[indexedNode](store.Options{Name: "binary-trees", Max: s.greatestTree()})
	if err != nil {
		return nil, err
	}
	return &indexedPlain{nodes}, nil
}

func buildIndexedPlain(nodes *store.Store[indexedNode], depth int) store.Ref[indexedNode] {
	root, n := nodes.New()
	if depth > 0 {
		n.left = buildIndexedPlain(nodes, depth-1)
		n.right = buildIndexedPlain(nodes, depth-1)
	}
	return root
}

func countIndexedPlain(nodes []indexedNode, at store.Ref[indexedNode]) int {
	n := nodes[at]
	if n.left == 0 {
		return 1
	}
	return 1 + countIndexedPlain(nodes, n.left) + countIndexedPlain(nodes, n.right)
}

func (x *indexedPlain) count(depth int) int {
	root := buildIndexedPlain(x.nodes, depth)
	count := countIndexedPlain(x.nodes.Slice(), root)
	x.nodes.Reset()
	return count
}

// Close releases the memory.
func (x *indexedPlain) Close() error { return x.nodes.Close() }

func (x *indexedPlain) keep(depth int) func() int {
	root := buildIndexedPlain(x.nodes, depth)
	return func() int { return countIndexedPlain(x.nodes.Slice(), root) }
}
