// Package slab allocates values of one type from chunks. A [Slab] frees all of its values at once
// and reuses the memory. The values of a [Chunks] are freed by the collector, so callers may retain
// them.
//
//	var nodes slab.Slab[Node]                 // the zero value is ready to use; Options is a field
//	n := nodes.Alloc(Node{Op: '+', Left: x})  // *Node, for &Node{...}
//	nodes.Reset()                             // frees all values and keeps the memory
//
// # Stale pointers
//
// After [Slab.Reset] every pointer from the slab is stale: it points to a zeroed slot that the slab
// will reuse, and a later write through the pointer changes the new value of the slot. The pointer
// always points to a T and never to invalid memory: a chunk is an ordinary []T on the Go heap. The
// collector knows the type of the chunk, scans it, and keeps it alive while anything points into
// it. Without a data race, a stale pointer cannot corrupt memory; it can only make two values share
// one slot.
//
// In checked builds (-tags coppice_checks, or -race) the slots that a Reset frees are quarantined
// for one phase before they are reused. If one of them is written to during that phase, the next
// Reset or Release panics and names the Reset that freed the slot. A write after that phase is
// detected when the slot is reused, however many phases later. Reset and Release also check the
// invariants below. These checks have a cost: checked builds hold the memory of one more phase than
// Reset otherwise keeps, allocate in every phase, and take 20 to 40 ns for New.
//
// # Costs
//
//   - As long as one value is referenced, its whole chunk stays alive (up to 1 MiB by default), and
//     so does everything that the other values of the chunk point to.
//   - Values cannot be freed one by one. A Slab grows until Reset or Release. If Reset can never be
//     called because callers retain the values, use Chunks: it drops full chunks, and the collector
//     frees them.
//   - The collector still scans the chunks: a slab makes allocation cheap and garbage rare, but
//     live pointers cost as much to mark as without a slab.
//   - Reset zeroes the used slots, which takes about 0.1 ns for 16 bytes in cache.
//
// # Finalizers, cleanups, weak pointers
//
// To the runtime, a chunk is one object, and a value is only a region within it.
//
//   - runtime.SetFinalizer on a value ends the process with "pointer not at beginning of allocated
//     block". In two cases the runtime does not detect the mistake: for the first slot of a chunk,
//     and for values without pointers of less than 16 bytes. The finalizer then runs when the chunk
//     is freed.
//   - runtime.AddCleanup on a value works, but the cleanup runs when the chunk is freed. It runs
//     neither when the value becomes unreachable nor at Reset.
//   - A weak.Pointer to a value refers to the slot of the value. It stays valid as long as the
//     chunk is alive, and returns the value that occupies the slot at that time.
//
// # When to use something else
//
// If the values do not share one lifetime, use plain new, or package pool for large values. With
// fewer than about a hundred values in a phase, the difference is too small to measure. If you need
// one buffer of known length, use make([]T, n), which is simpler and as fast.
//
// # How it works
//
//	chunk: the current one              used: full chunks
//	+---------+------------+---------+  +--------------+ +--------------+
//	| by Make | left: free | by New  |  | full         | | full         |
//	+---------+------------+---------+  +--------------+ +--------------+
//	          ^ rest       ^ New allocates downward from here
//	                                    kept: zeroed, free chunks
//	                                    +------------------------+
//	                                    | 0 0 0 0 0 0 0 0 0 0 0  |
//	                                    +------------------------+
//
// New takes the last free slot of the current chunk, for which it only decrements one word. If it
// took the first free slot instead, by reslicing, it would store a pointer, with a write barrier,
// for every value. Make takes slots from the front, so that the slice that it made last can grow in
// place ([Slab.Extend]). When the current chunk is full, it moves to used, and a chunk from kept,
// or a new one, replaces it. Reset zeroes the used chunks and moves them to kept.
//
// Invariants: left <= len(rest); rest is a suffix of chunk; used does not contain chunk; every slot
// that was not allocated since the last Reset, or was freed by [Slab.Rewind], is zero; held is the
// sum of the lengths of chunk and of the chunks in used, kept and resting.
//
// Only New, Make and the other functions that return a T are compiled for each T. The rest of the
// code consists of methods of the type core: the same struct, with a type of size zero in place of
// T, so that the lengths of its chunks are still slot counts. Even a program with hundreds of types
// contains that code only once.
//
// docs/decisions/0001 explains why New counts down, and why Reset zeroes the slots and New does
// not; docs/decisions/0017 explains why Chunks is a separate type; docs/decisions/0019 reports the
// code size of each type.
//
// The idea comes from NodeArena, with which Go entries of the Computer Language Benchmarks Game
// allocated nodes from slices of 10,000 in 2014. Other languages have regions or "arenas" that
// reuse memory between phases in the same way.
package slab
