// Package arena hands out values of any types that live and die together: the tree of one
// parse, the state of one request.
//
//	var arenas arena.Pool                      // for all requests; the zero value is ready
//
//	a := arenas.Get()
//	defer arenas.Put(a)                        // everything back at once, memory kept
//	n := arena.Alloc(a, Node{Op: '+', Left: x}) // *Node, for &Node{...}
//	n.Args = arena.Append(a, n.Args, y, z)     // grows in place while it is the last
//	n.Name = a.String(token)                   // a copy of the bytes
//
// So with arena.New[Node](a), arena.Make[Node](a, n) and arena.SliceOf(a, x, y). From Go 1.27 on
// all of them are methods, too: a.Alloc(Node{...}), a.Append(n.Args, y). Where the source has
// &Node{...}, arena.Copy(a, &Node{...}) leaves it as it is. To a slice of interfaces: list =
// arena.Append[Stmt](a, list, node).
//
// A nil *Arena is the Go heap. So a parser takes an arena as a parameter, and who has none passes
// nil.
//
// Text is made by [Builder], an io.Writer. a.Concat(x, ".", y) is x + "." + y, and a.Join is
// strings.Join. A name that occurs often is kept once by an [Interner]. [Export] copies a result
// out of the arena.
//
// docs/ARENA.md has recipes for parsers: where the arena comes from, what becomes of constructors
// and of variables whose address is returned, and which strings must not be in an arena.
//
// A service that takes an arena from a pool for each request, as a worked example:
// workloads/requests/go/service.
//
// # The main danger
//
// After [Arena.Reset] and [Arena.Rewind] every pointer, slice and string of what they took back is
// stale: it reads as zero until its memory is handed out again, and then shows, and changes,
// another value. Copy out what must outlive the arena: strings.Clone, slices.Clone. A stale pointer
// is memory-safe: if its type has pointers it points to a value of the same type, otherwise to
// values without pointers, and the collector sees every pointer. A value that something still
// points to stays valid even if the arena itself is dropped. Take care with strings: Go assumes
// that a string never changes, and a string of an arena changes after a Reset. [Export] copies a
// whole result.
//
// In checked builds (-tags coppice_checks, or -race) memory rests for one phase after a Reset, and
// a write to it through a stale pointer panics at the next one; a write after a Rewind panics when
// the memory is handed out again. While it rests, a stale string reads "<stale!>", again and again.
// The command coppice vet finds many stale values in the source.
//
// # The price
//
//   - One value that you still hold keeps its whole chunk alive, up to 1 MiB, with all that
//     the chunk's other values point to.
//   - Single values cannot be freed.
//   - Each type with pointers has chunks of its own, the first of them 256 bytes, and all types
//     without pointers share theirs. So an arena of thirty types holds 8 KiB at least, when all
//     were used.
//   - A phase costs some 20 ns for each type that it uses, beside the values, and nothing for the
//     types that it does not use. With one value of each of seven types a phase takes 27 ns a value
//     where new takes 45, with ten of each 14 (go test ./arena -bench SmallPhase). So it is not the
//     size of a phase that decides, but what the rest of the program does: where allocation and the
//     collector take a tenth of the time, there is a tenth to gain.
//   - Finding a type costs 2 ns beside what a slab costs, however many types the arena has met.
//     [Of] saves that in a hot loop.
//   - A program has 30 to 200 bytes of code for each type: 30 where it calls [Copy], 50 for [New],
//     200 for [Alloc].
//   - Values without pointers are rounded up to 8 bytes.
//   - The collector still scans what is live. Memory without pointers it does not look at.
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
// For values of one type use a slab.Slab: it does the same and is faster. If the values do not die
// together, or others keep them, use a slab.Chunks, or plain new. If millions of values live for
// long, use a store.Store, which the collector does not scan.
//
// An Arena that is used again pays from the first value: a phase of one value costs 56 ns with its
// Reset where new takes 67, one of ten values of one type 21 ns a value where new takes 60, and ten
// of each of 49 types 40 where new takes 89 (go test -run '^$' -bench SmallPhase ./arena, medians
// of three runs, two cores of an Intel Xeon, Go 1.26.8, in an Arena that has met 49 types). An
// Arena for one phase alone does not: its first chunks cost more than so few values.
//
// # How it works
//
//	New[Node] --> slab of Node   [ n n n n n n . . . . ]    the collector scans it as []Node
//	New[Call] --> slab of Call   [ c c . . . . ]
//	Make[byte], String,      --> words   [ "ash" "oak" 4.7 17 [1 2 3] . . . ]   no pointers,
//	New[float64], New[Point]                                          never scanned
//
// A type's pointers are looked for once for each arena, the first time it is used there. What hands
// out a value does not know its type: the caller gives it the address of the type's descriptor, by
// which a hash table finds the slab. So a program has that code once. docs/decisions/0044 says what
// a body for each type cost.
//
// The slabs enter themselves in a list when they begin to hand out values in a phase. Reset and
// Rewind walk that list, and not all types that the arena ever met.
//
// Invariants: a type with a pointer anywhere is never put into words; at most one slab for each
// type; a slab with values is in the list of the phase, once; what a Mark saw is a prefix of that
// list.
//
// docs/decisions/0008 says why an arena is made of slabs, and docs/decisions/0017 why a phase looks
// only at what it used.
//
// Memory cut from the front of blocks is GNU's obstack (1988), which had marks too; to give
// each type memory that the collector can type is what keeps it sound in Go, and what byte
// arenas leave out.
package arena
