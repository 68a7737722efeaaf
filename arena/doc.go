// Package arena allocates values of any types that share one lifetime, such as the tree of one
// parse or the state of one request.
//
//	var arenas arena.Pool                       // for all requests; the zero value is ready to use
//
//	a := arenas.Get()
//	defer arenas.Put(a)                         // frees all values at once and keeps the memory
//	n := arena.Alloc(a, Node{Op: '+', Left: x}) // *Node, for &Node{...}
//	n.Args = arena.Append(a, n.Args, y, z)      // grows in place while it is the last slice
//	n.Name = a.String(token)                    // a copy of the bytes
//
// The other functions take the arena as their first argument too: arena.New[Node](a),
// arena.Make[Node](a, n) and arena.SliceOf(a, x, y). From Go 1.27 on, all of them are also methods:
// a.Alloc(Node{...}), a.Append(n.Args, y). To convert existing code, wrap a literal: &Node{...}
// becomes arena.Copy(a, &Node{...}). To append to a slice of interfaces, write list =
// arena.Append[Stmt](a, list, node).
//
// A nil *Arena allocates on the Go heap. A parser can take an arena as a parameter, and callers
// without an arena pass nil.
//
// [Builder] is an io.Writer that builds strings. a.Concat(x, ".", y) replaces x + "." + y, and
// a.Join replaces strings.Join. [Interner] stores each distinct string once. [Export] copies a
// result out of the arena.
//
// docs/ARENA.md has recipes for parsers: how to pass the arena, how to port constructors and
// variables whose address is returned, and which strings must not be in an arena.
// workloads/requests/go/service is a complete example: a service that takes an arena from a pool
// for each request.
//
// # Stale pointers
//
// After [Arena.Reset] and [Arena.Rewind], every pointer, slice and string that refers to freed
// memory is stale. Until the memory is reused, a read through a stale pointer returns zero. After
// that, it returns the new value in that memory, and a write through the pointer changes the new
// value. Copy everything that must outlive the arena, for example with strings.Clone, slices.Clone
// or [Export].
//
// A stale pointer is memory-safe. If its type has pointers or bools, it points to a value of the
// same type; otherwise it points to values without pointers or bools. The collector sees every
// pointer in the arena. A value that is still referenced stays valid even after the arena itself is
// collected. Strings need special care: Go assumes that a string never changes, but the bytes of a
// string in an arena change after a Reset.
//
// In checked builds (-tags coppice_checks, or -race) freed memory is quarantined for one phase
// after a Reset. If a stale pointer writes to quarantined memory, the next Reset panics. A write to
// memory that a Rewind freed causes a panic when the memory is reused. A stale string reads as a
// repetition of "<stale!>" while its memory is quarantined. The command coppice vet finds many
// stale values in the source.
//
// # Costs
//
//   - As long as one value is referenced, its whole chunk stays alive (up to 1 MiB), and so does
//     everything that the other values of the chunk point to.
//   - Values cannot be freed one by one.
//   - Each type with pointers or bools has its own chunks, of at least 256 bytes. All other types
//     share their chunks. An arena of thirty types therefore holds at least 8 KiB once all of them
//     have been used.
//   - A phase costs about 20 ns for each type that it uses, in addition to the values. Types that
//     it does not use cost nothing. For example, a phase with one value of each of seven types
//     takes 27 ns per value, and new takes 45 ns. With ten values of each type, a phase takes 14 ns
//     per value (go test ./arena -bench SmallPhase). How much a program gains therefore depends
//     less on the size of its phases than on its other work: if allocation and collection take a
//     tenth of the time, at most a tenth can be saved.
//   - Looking up a type costs 2 ns more than using a slab directly, however many types the arena
//     has seen. [Of] avoids the lookup in a hot loop.
//   - Each type adds 30 to 200 bytes of code to a program: 30 for [Copy], 50 for [New], 200 for
//     [Alloc].
//   - The size of a value without pointers or bools is rounded up to a multiple of 8 bytes.
//   - The collector still scans live values. It does not scan memory without pointers.
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
// For values of one type, use a slab.Slab: it works like an arena and is faster. If the values do
// not share one lifetime, or callers retain them, use a slab.Chunks or plain new. For millions of
// long-lived values, use a store.Store, which the collector does not scan.
//
// An Arena that is reused is faster than new even if a phase has only one value. Including Reset,
// such a phase costs 56 ns, and new takes 67 ns. A phase of ten values of one type costs 21 ns per
// value, and new takes 60 ns. A phase of ten values of each of 49 types costs 40 ns per value, and
// new takes 89 ns. (go test -run '^$' -bench SmallPhase ./arena, medians of three runs, two cores
// of an Intel Xeon, Go 1.26.8, in an Arena that has seen 49 types.) An Arena that is used for a
// single small phase is slower than new, because its first chunks cost more than the values.
//
// # How it works
//
//	New[Node] --> slab of Node   [ n n n n n n . . . . ]    the collector scans it as []Node
//	New[Call] --> slab of Call   [ c c . . . . ]
//	Make[byte], String,      --> words   [ "ash" "oak" 4.7 17 [1 2 3] . . . ]   no pointers,
//	New[float64], New[Point]                                          never scanned
//
// The first time an arena sees a type, it checks whether the type has pointers or bools. The code
// that allocates a value is not generic: the caller passes the address of the type descriptor, and
// a hash table maps it to the slab. A program therefore contains that code only once.
// docs/decisions/0044 reports what a copy of the code for each type would cost.
//
// When a slab allocates its first value of a phase, it adds itself to a list. Reset and Rewind
// traverse that list instead of all types that the arena has ever seen.
//
// Invariants: words never stores a value of a type that contains a pointer; each type has at most
// one slab; a slab with values is in the list of the phase exactly once; the slabs that were in use
// when a Mark was made are a prefix of that list.
//
// docs/decisions/0008 explains why an arena consists of slabs, and docs/decisions/0017 why Reset
// visits only the slabs that the phase used.
//
// GNU's obstack (1988) already allocated from the front of a block and had marks. To make this
// technique safe in Go, each type is allocated from memory whose type the collector knows. An arena
// that allocates all types from plain bytes is not safe.
package arena
