// Package slab hands out values of one type from chunks of many. A [Slab] takes all of them back at
// once, and uses the memory again. [Chunks] leaves them to the collector, for values that strangers
// keep.
//
//	var nodes slab.Slab[Node]                  // the zero value is ready; Options is a field
//	n := nodes.Alloc(Node{Op: '+', Left: x})     // *Node, for &Node{...}
//	nodes.Reset()                              // all of them back
//
// # The main danger
//
// After [Slab.Reset] every pointer that the slab handed out is stale: it points
// at a zeroed slot that the slab will hand out again, so a later write through
// it changes somebody else's value. It is always a T and never garbage: a chunk
// is an ordinary []T on the Go heap. The collector knows its type, scans it, and keeps
// it while anything points into it. Without a data race nothing here can corrupt
// memory: a stale pointer only makes two of your values one.
//
// In checked builds (-tags coppice_checks, or -race) the slots that a Reset took
// back rest for one phase before they are handed out again. A write to one in that
// time is found by the next Reset or Release, which panics and names the Reset before. A
// later write is found when the slot is handed out, however many phases later. Reset and
// Release also check the invariants below.
// The price: such builds hold a phase more than Cap's bound says, allocate in every
// phase, and New costs 20 to 40 ns.
//
// # The price
//
//   - One value that you still hold keeps its whole chunk alive, up to 1 MiB by
//     default, with everything that the chunk's other values point to.
//   - Single values cannot be freed. A Slab grows until Reset or Release. If nobody may call Reset,
//     because others keep the values, use Chunks: it forgets full chunks, and the collector frees
//     them.
//   - The collector still scans the chunks: a slab makes allocation cheap and
//     garbage rare, it does not make live pointers cheaper to mark.
//   - Reset zeroes what was used, about 0.1 ns for 16 bytes in cache.
//
// # Finalizers, cleanups, weak pointers
//
// To the runtime the object is the chunk, and a value is a place in it.
//
//   - runtime.SetFinalizer on a value ends the process: "pointer not at beginning of allocated
//     block". Where the runtime does not notice, for the first slot of a chunk and for values
//     without pointers of less than 16 bytes, the finalizer runs when the chunk dies.
//   - runtime.AddCleanup on a value works, and the cleanup runs when the chunk dies: not when
//     nobody has the value any more, and not at Reset.
//   - A weak.Pointer to a value follows the slot. It stays good as long as the chunk lives, and
//     shows whatever value stands there by then.
//
// # When to use something else
//
// If the values do not die together, use plain new, or package pool for large
// values. With fewer than about a hundred values a phase there is no difference to
// measure. If you need one buffer of known length, use make([]T, n): it is two lines
// and as fast.
//
// # How it works
//
//	chunk, the current one              used: chunks with values in them
//	+---------+------------+---------+  +--------------+ +--------------+
//	| by Make | left: free | by New  |  | full         | | full         |
//	+---------+------------+---------+  +--------------+ +--------------+
//	          ^ rest       ^ New counts down from here    kept: zeroed, waiting
//
// New takes the last free slot of the current chunk. Counting down one word is
// the cheapest step the compiler inlines: a slice that shrinks from the front
// would store a pointer, and with it a write barrier, for every value. Make takes
// from the front, so that what it made last can grow in place ([Slab.Extend]).
//
// Invariants: left <= len(rest); rest is chunk without its first slots; chunk is not
// among used; every slot that was not handed out since the last Reset, or was taken back
// by [Slab.Rewind], is zero; held is the sum of the lengths of chunk, used, kept and
// resting.
//
// Only New, Make and what else hands out a T is code for each T. A Slab does the rest as a core,
// which is the same struct without the type: its chunks count slots. So a program with hundreds of
// types has that code once.
//
// docs/decisions/0001 says why New counts down, and why Reset zeroes and not New;
// docs/decisions/0017 why Chunks is a type of its own; docs/decisions/0019 what a type costs in
// code.
//
// The idea is NodeArena's: the Go entries of the Computer Language Benchmarks Game
// took nodes from slices of 10,000 in 2014. Reuse between phases is what a region
// or "arena" does in other languages.
package slab
