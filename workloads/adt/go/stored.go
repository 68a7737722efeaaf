package main

import (
	"errors"

	"github.com/coppice-go/coppice/store"
)

// storedNode is the tagged union with 32-bit links. A leaf has no right link, and its value
// replaces the left link.
type storedNode struct {
	inner bool
	left  link // or the value of a leaf
	right link
}

type link = store.Ref[storedNode]

// inStores keeps each tree in a store.Store: a new Store in each round, or a reused one.
type inStores struct {
	reused       bool
	tree, copied *store.Store[storedNode]
	root         link // in both
}

func generateStored(nodes *store.Store[storedNode], depth int, leaf *uint32) link {
	if depth == 1 {
		*leaf++
		return nodes.Alloc(storedNode{left: link(leafValue(*leaf - 1))})
	}
	left := generateStored(nodes, depth-1, leaf)
	right := generateStored(nodes, depth-1, leaf)
	return nodes.Alloc(storedNode{true, left, right})
}

func (t *inStores) generate(depth int) (err error) {
	if t.tree == nil {
		if t.tree, err = store.New[storedNode](store.Options{Name: "tree", Max: 1<<depth - 1}); err != nil {
			return err
		}
	}
	var leaf uint32
	t.root = generateStored(t.tree, depth, &leaf)
	return nil
}

func (t *inStores) copy() (err error) {
	if t.copied != nil {
		return t.copied.CopyFrom(t.tree)
	}
	t.copied, err = t.tree.Clone()
	return err
}

func (t *inStores) check() (tree, copied checksum) {
	tree, copied = newChecksum(), newChecksum()
	sumStored(t.tree.Slice(), t.root, &tree)
	sumStored(t.copied.Slice(), t.root, &copied)
	return tree, copied
}

func sumStored(nodes []storedNode, at link, c *checksum) {
	n := &nodes[at]
	if !n.inner {
		c.leaf(int32(n.left))
		return
	}
	c.nodes++
	sumStored(nodes, n.left, c)
	sumStored(nodes, n.right, c)
}

func (t *inStores) destroy() error {
	if t.reused {
		t.tree.Reset()
		t.copied.Reset()
		return nil
	}
	err := errors.Join(t.tree.Close(), t.copied.Close())
	t.tree, t.copied = nil, nil
	return err
}
