package main

import (
	"unsafe"

	"github.com/dgraph-io/ristretto/v2/z"
)

type zNode struct{ left, right *zNode }

// zAllocator takes every node from a z.Allocator and resets it after every tree. The chunks are
// byte slices on the Go heap, which the collector does not scan. Links point only to nodes of the
// same Allocator, which keeps all its chunks alive.
type zAllocator struct{ nodes *z.Allocator }

// zStart is the size of the first chunk in bytes; each further chunk is twice as large as the
// last.
const zStart = 64 << 10

func newZAllocator(uint64) (worker, error) {
	return &zAllocator{z.NewAllocator(zStart, "binary-trees")}, nil
}

func (a *zAllocator) get() *zNode {
	b := a.nodes.AllocateAligned(int(unsafe.Sizeof(zNode{})))
	// Safety: AllocateAligned returned the bytes of a zNode, zeroed and aligned to 8. The collector
	// does not see the pointers in them, so they must only point into memory that the Allocator
	// owns; TestOutput breaks otherwise.
	return (*zNode)(unsafe.Pointer(unsafe.SliceData(b)))
}

func (a *zAllocator) build(depth int) *zNode {
	n := a.get()
	if depth > 0 {
		n.left, n.right = a.build(depth-1), a.build(depth-1)
	}
	return n
}

func (n *zNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (a *zAllocator) count(depth int) int {
	nodes := a.build(depth).count()
	a.nodes.Reset()
	return nodes
}

// keep builds a tree that lives as long as the Allocator, which package z keeps until Close.
func (a *zAllocator) keep(depth int) func() int { return a.build(depth).count }

// Close drops the chunks.
func (a *zAllocator) Close() error {
	a.nodes.Release()
	return nil
}
