package main

import (
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// A ref names a node; 0 is nil.
type ref = store.Ref[node]

// A node has no pointers: it occupies 32 bytes, and the collector never scans it.
type node struct {
	key, value          int64
	left, right, parent ref
	black               bool
}

// A refTree is the red-black tree of gods, with records of a store as its nodes.
type refTree struct {
	nodes *store.Store[node]
	root  ref
}

func newRefTree() (*refTree, error) {
	nodes, err := store.New[node](store.Options{Name: "red-black tree"})
	return &refTree{nodes: nodes}, err
}

func (t *refTree) reset() {
	t.nodes.Reset()
	t.root = 0
}

// put sets the value of a key.
func (t *refTree) put(key, value int64) {
	fresh := node{key: key, value: value}
	if t.root == 0 {
		t.root = t.nodes.Alloc(fresh)
		t.balance(t.root)
		return
	}
	at := t.root
	for {
		n := t.nodes.At(at)
		next := &n.right
		switch {
		case key == n.key:
			n.value = value
			return
		case key < n.key:
			next = &n.left
		}
		if *next == 0 {
			fresh.parent = at
			*next = t.nodes.Alloc(fresh)
			t.balance(*next)
			return
		}
		at = *next
	}
}

// balance restores the red-black invariants after the insertion of a red node: cases 1 to 5 in
// gods.
func (t *refTree) balance(r ref) {
	for {
		n := t.nodes.At(r)
		if n.parent == 0 {
			n.black = true
			return
		}
		parent := t.nodes.At(n.parent)
		if parent.black {
			return
		}
		grand := t.nodes.At(parent.parent) // a red node is never the root
		uncle := grand.left
		if uncle == n.parent {
			uncle = grand.right
		}
		if uncle == 0 || t.nodes.At(uncle).black {
			t.turn(r)
			return
		}
		parent.black, t.nodes.At(uncle).black, grand.black = true, true, false
		r = parent.parent
	}
}

// turn rotates the tree around a red node with a red parent, until a black node with two red
// children is in their position.
func (t *refTree) turn(r ref) {
	n := t.nodes.At(r)
	parent := t.nodes.At(n.parent)
	grand := t.nodes.At(parent.parent)
	switch {
	case r == parent.right && n.parent == grand.left:
		t.rotateLeft(n.parent)
		r = n.left
	case r == parent.left && n.parent == grand.right:
		t.rotateRight(n.parent)
		r = n.right
	}
	n = t.nodes.At(r)
	parent = t.nodes.At(n.parent)
	above := parent.parent
	grand = t.nodes.At(above)
	parent.black, grand.black = true, false
	if r == parent.left {
		t.rotateRight(above)
	} else {
		t.rotateLeft(above)
	}
}

func (t *refTree) rotateLeft(r ref) {
	n := t.nodes.At(r)
	up := n.right
	right := t.nodes.At(up)
	t.replace(r, up)
	n.right = right.left
	if right.left != 0 {
		t.nodes.At(right.left).parent = r
	}
	right.left = r
	n.parent = up
}

func (t *refTree) rotateRight(r ref) {
	n := t.nodes.At(r)
	up := n.left
	left := t.nodes.At(up)
	t.replace(r, up)
	n.left = left.right
	if left.right != 0 {
		t.nodes.At(left.right).parent = r
	}
	left.right = r
	n.parent = up
}

// replace puts node r in the position of node old.
func (t *refTree) replace(old, r ref) {
	parent := t.nodes.At(old).parent
	switch {
	case parent == 0:
		t.root = r
	case t.nodes.At(parent).left == old:
		t.nodes.At(parent).left = r
	default:
		t.nodes.At(parent).right = r
	}
	t.nodes.At(r).parent = parent
}

// add traverses the tree in preorder.
func (t *refTree) add(s *driver.Sum, r ref) {
	if r == 0 {
		s.Number(-1)
		return
	}
	n := t.nodes.At(r)
	s.Number(int(n.key))
	s.Number(int(n.value))
	t.add(s, n.left)
	t.add(s, n.right)
}
