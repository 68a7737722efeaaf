package main

import (
	"runtime"

	"github.com/coppice-go/coppice/slab"
)

// node is the tagged union with pointers, which are nil in a leaf.
type node struct {
	left, right *node
	value       int32
}

func (n *node) sum(c *checksum) {
	if n.left == nil {
		c.leaf(n.value)
		return
	}
	c.nodes++
	n.left.sum(c)
	n.right.sum(c)
}

func sums(tree, copied *node) (checksum, checksum) {
	a, b := newChecksum(), newChecksum()
	tree.sum(&a)
	copied.sum(&b)
	return a, b
}

// naive allocates every node separately. It destroys both trees by dropping them and forcing a
// collection.
type naive struct{ tree, copied *node }

func generateNaive(depth int, leaf *uint32) *node {
	if depth == 1 {
		*leaf++
		return &node{value: leafValue(*leaf - 1)}
	}
	return &node{left: generateNaive(depth-1, leaf), right: generateNaive(depth-1, leaf)}
}

func copyNaive(n *node) *node {
	if n.left == nil {
		return &node{value: n.value}
	}
	return &node{left: copyNaive(n.left), right: copyNaive(n.right)}
}

func (t *naive) generate(depth int) error {
	var leaf uint32
	t.tree = generateNaive(depth, &leaf)
	return nil
}

func (t *naive) copy() error {
	t.copied = copyNaive(t.tree)
	return nil
}

func (t *naive) check() (tree, copied checksum) { return sums(t.tree, t.copied) }

func (t *naive) destroy() error {
	*t = naive{}
	runtime.GC()
	return nil
}

// inSlabs takes each tree's nodes from a separate slab.Slab.
type inSlabs struct {
	first, second slab.Slab[node]
	tree, copied  *node
}

func generateInSlab(nodes *slab.Slab[node], depth int, leaf *uint32) *node {
	n := nodes.New()
	if depth == 1 {
		n.value = leafValue(*leaf)
		*leaf++
		return n
	}
	n.left = generateInSlab(nodes, depth-1, leaf)
	n.right = generateInSlab(nodes, depth-1, leaf)
	return n
}

func copyInSlab(nodes *slab.Slab[node], from *node) *node {
	n := nodes.New()
	if from.left == nil {
		n.value = from.value
		return n
	}
	n.left = copyInSlab(nodes, from.left)
	n.right = copyInSlab(nodes, from.right)
	return n
}

func (t *inSlabs) generate(depth int) error {
	var leaf uint32
	t.tree = generateInSlab(&t.first, depth, &leaf)
	return nil
}

func (t *inSlabs) copy() error {
	t.copied = copyInSlab(&t.second, t.tree)
	return nil
}

func (t *inSlabs) check() (tree, copied checksum) { return sums(t.tree, t.copied) }

func (t *inSlabs) destroy() error {
	t.tree, t.copied = nil, nil
	t.first.Reset()
	t.second.Reset()
	return nil
}
