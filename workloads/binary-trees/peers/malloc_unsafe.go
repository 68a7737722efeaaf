//go:build cgo

package main

// #include <stdlib.h>
// typedef struct node { struct node *left, *right; } node;
import "C"

import (
	"errors"
	"unsafe"
)

func init() {
	strategies = append(strategies, strategy{name: "malloc", newWorker: newMalloc, offHeap: true})
}

// malloced allocates every node by the C library's calloc and frees it by free, through cgo.
// As package cgo's documentation requires, memory is zeroed before Go writes links to it.
type malloced struct{}

func newMalloc(uint64) (worker, error) { return malloced{}, nil }

func buildMalloc(depth int) *C.node {
	n := (*C.node)(C.calloc(1, C.sizeof_node))
	if n == nil {
		noMemory(errors.New("calloc returned NULL"))
	}
	if depth > 0 {
		n.left, n.right = buildMalloc(depth-1), buildMalloc(depth-1)
	}
	return n
}

func countMalloc(n *C.node) int {
	if n.left == nil {
		return 1
	}
	return 1 + countMalloc(n.left) + countMalloc(n.right)
}

func freeMalloc(n *C.node) {
	if n.left != nil {
		freeMalloc(n.left)
		freeMalloc(n.right)
	}
	// Safety: n is from calloc, and no pointer to it is left; TestOutput breaks otherwise.
	C.free(unsafe.Pointer(n))
}

func (malloced) count(depth int) int {
	root := buildMalloc(depth)
	nodes := countMalloc(root)
	freeMalloc(root)
	return nodes
}

// keep's tree stays until the program ends.
func (malloced) keep(depth int) func() int {
	root := buildMalloc(depth)
	return func() int { return countMalloc(root) }
}

// Close does nothing: there is no memory to free.
func (malloced) Close() error { return nil }
