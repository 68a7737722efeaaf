package main

import (
	"fmt"
	"os"
	"unsafe"

	"modernc.org/memory"
)

type moderncNode struct{ left, right *moderncNode }

// modernc takes every node from a memory.Allocator, which gets its pages from mmap. It frees
// every node separately, as C does with malloc and free. Nodes are zeroed, because during a
// collection the write barrier reads the old value of a link.
type modernc struct{ nodes memory.Allocator }

func newModernc(uint64) (worker, error) { return &modernc{}, nil }

func (m *modernc) get() *moderncNode {
	p, err := m.nodes.UnsafeCalloc(int(unsafe.Sizeof(moderncNode{})))
	if err != nil {
		noMemory(err)
	}
	// Safety: the allocator returned that many zeroed bytes, aligned to 16, and they contain no
	// pointer into the Go heap; TestOutput breaks otherwise.
	return (*moderncNode)(p)
}

// noMemory ends the program: there is nothing to undo, and a worker has no caller that could
// continue.
func noMemory(err error) {
	fmt.Fprintln(os.Stderr, "peers: no memory for a node; choose a smaller depth:", err)
	os.Exit(1)
}

func (m *modernc) build(depth int) *moderncNode {
	n := m.get()
	if depth > 0 {
		n.left, n.right = m.build(depth-1), m.build(depth-1)
	}
	return n
}

func (n *moderncNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (m *modernc) drop(n *moderncNode) {
	if n.left != nil {
		m.drop(n.left)
		m.drop(n.right)
	}
	// Safety: n is from get, and no pointer to it is left; TestOutput breaks otherwise.
	if err := m.nodes.UnsafeFree(unsafe.Pointer(n)); err != nil {
		noMemory(err)
	}
}

func (m *modernc) count(depth int) int {
	root := m.build(depth)
	nodes := root.count()
	m.drop(root)
	return nodes
}

func (m *modernc) keep(depth int) func() int { return m.build(depth).count }

// Close returns all memory to the system.
func (m *modernc) Close() error { return m.nodes.Close() }
