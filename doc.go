// Package coppice is the entry point to the documentation of Coppice, a toolkit for Go programs
// that spend their time allocating and collecting many small values. The package contains no code.
// It defines the terms and helps to choose an allocator; each allocator is a separate package.
//
// # Terms
//
//	chunk     one block of memory that an allocator gets from the Go heap or the system
//	slab      equal-sized slots of one type, cut from chunks; ordinary Go pointers
//	arena     values of many types with one lifetime, freed together
//	store     pointer-free records of one type in one region outside the Go heap
//	ref       32-bit index of a record in a store; 0 is nil
//	handle    a ref with a generation; using it after its record was deleted is detected
//	flat tree a tree of a recursive type, in one pointer-free buffer of 32-bit words
//	pool      recycled values: a typed sync.Pool
//	inline    stored inside a value instead of behind a pointer
//	spill     the move to the Go heap of elements that no longer fit inline
//	strategy  one way to allocate the nodes of a workload: naive, buffered, chunked, pooled, slab, indexed, unrolled, flat
//	phase     the time from one Reset of an allocator to the next
//
// An index is zero-based, a count is a number of elements, and a size is a number of bytes. "Go
// heap" always means the heap that the Go runtime manages.
//
// # Choosing an allocator
//
//	your values                                          use
//	many of one type, freed together                     slab.Slab, with a Reset when they die
//	the same, with a known count                         slab.Slab with Grow, or make([]T, n)
//	many types, freed together                           arena.Arena
//	many long-lived pointer-free records                 store.Store, linked by store.Ref
//	the same, with refs that may outlive their records   store.Handles
//	long-lived trees that are copied, saved or sent      coppice flat: docs/FLAT.md
//	a slab, buffer or encoder for every request          pool.Pool around it, with its Reset
//	vectors that are usually short                       inline.Vec, which stores the first elements inline
//	few, or with independent lifetimes                   plain new
//
// A slab makes allocation cheap and leaves almost no garbage, but the collector still marks the
// live values. A store removes that cost as well. In return, links are 32-bit indices instead of
// pointers, and the store must be closed.
package coppice
