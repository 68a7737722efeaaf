// Package coppice is the front door of Coppice, a toolkit for Go programs that
// spend their time allocating and collecting many small values. It holds no code:
// the words and the choice are here, the allocators in the folders below.
//
// # The words
//
//	chunk     one block of memory that an allocator gets from the Go heap or the system
//	slab      equal-sized slots of one type, cut from chunks; ordinary Go pointers
//	arena     values of many types with one lifetime, freed together
//	store     pointer-free records of one type in one region outside the Go heap
//	ref       32-bit index of a record in a store; 0 is nil
//	handle    a ref that knows when its record is gone
//	flat tree a recursive type compiled into one buffer of 32-bit words without a pointer
//	pool      recycled values: sync.Pool with types
//	inline    lying inside a value, not behind a pointer of it
//	spill     the move of what no longer fits inside to the Go heap
//	strategy  one way to allocate the nodes of a workload: naive, buffered, chunked, pooled, slab, indexed, unrolled, flat
//	phase     the time from one Reset of an allocator to the next
//
// An index counts from zero, a count is how many, bytes is a size. "Go heap" is the
// runtime's.
//
// # Which one do I want?
//
//	your values                                          take
//	many of one type, all dead at one moment             slab.Slab, Reset at that moment
//	the same, and the count is known                     slab.Slab with Grow, or make([]T, n)
//	the same, of many types                              arena.Arena
//	many records without pointers, live for long         store.Store, linked by store.Ref
//	the same, and refs outlive records                   store.Handles
//	trees that live for long, are copied, saved or sent  coppice flat: docs/FLAT.md
//	a slab, buffer or encoder for every request          pool.Pool around it, with its Reset
//	vectors that mostly are short                        inline.Vec, the first elements inside it
//	few, or each with a life of its own                  new, as ever
//
// A slab makes allocation cheap and leaves hardly any garbage; what is live is
// marked by the collector as before. A store makes that cost go away too, for the
// price of links that are numbers and a Close.
package coppice
