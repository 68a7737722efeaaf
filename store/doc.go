// Package store holds records of one type outside the Go heap, and identifies them by 32-bit refs.
// The collector never scans them.
//
//	trees := store.Must(store.New[node](store.Options{}))
//	defer trees.Close()
//	leaf := trees.Alloc(node{})             // a Ref[node]: 4 bytes
//	root := trees.Alloc(node{left: leaf})   // links are refs
//	left := trees.At(trees.At(root).left)   // a *node, valid until its record is deleted
//
// # Stale refs
//
// A ref is only a number. After [Store.Delete] or [Store.Reset], the slot with this number can hold
// a different record. A stale ref, a stale *T, or a ref used with the wrong store of the same type
// then refers to that record. The access always reaches a T in a store, or it faults: memory that a
// store has released is never reused for the Go heap, so a stale ref cannot corrupt the Go heap. If
// refs can outlive their records, use [Handles], which detects every stale handle in every build.
//
// In checked builds (-tags coppice_checks, or -race), [Store.At] panics for a deleted record and
// reports the call of Delete, Reset overwrites the records that it drops, and a Store that becomes
// unreachable without Close is reported. If the program writes to a deleted record, there is a
// panic when the slot is reused, or at the next Reset, Trim or Close.
//
// # Costs
//
//   - T must not contain a pointer, string, slice, map or interface. [New] rejects such a T and
//     names the field. Use refs for links, and [Text] for short strings.
//   - You must call Close. A Store that becomes unreachable without Close keeps its memory until
//     the process ends. Totals and the profile "coppice" show such a Store.
//   - Neither the Go heap's statistics nor GOMEMLIMIT include the memory; see [Totals],
//     [WriteProfile] and [AdjustMemoryLimit].
//   - Fresh memory costs about 2 microseconds for 4 KiB, whatever its source. Memory that is
//     reused, after a Reset or a Delete, is much cheaper.
//   - Only one goroutine may use a Store or a Handles at a time, even for reading: a Get that is
//     concurrent with another goroutine's Alloc is a data race. The exception is [Writer].
//   - With -race, on 32-bit machines and on wasm, stores use Go memory and have a fixed maximum
//     size ([Options]). This allows the race detector to see them.
//
// # When to use something else
//
// If the records contain pointers, use package slab. If there are few records, or they are
// short-lived, the collector costs little. If you only append to a slice, use a []T of a T without
// pointers, which the collector does not scan either. A store also keeps records in place, reuses
// slots, and returns memory to the system.
//
// # Terms
//
//	slot     memory for one record; slot i belongs to ref i, and slot 0 to nil
//	live     holding a record
//	dead     free after a Delete, or left over by a Writer
//	fresh    never taken since the last Reset
//	window   free slots that one goroutine fills without synchronization (window.go)
//
// # How it works
//
// [New] reserves address space for the maximum number of records, which does not cost memory:
//
//	ref   0     1     2     3     4     5     6     7     8                      Max
//	      +-----+-----+-----+-----+-----+-----+-----+-----+---------------------+
//	      | nil | live| dead| live| live|   window  |   fresh, committed  | reserved
//	      +-----+-----+-----+-----+-----+-----+-----+-----+---------------------+
//	                                     ^ Alloc fills from here
//
// Slots are committed when they are taken, from the start, a quarter more each time (package
// internal/vmem). Therefore a record never moves, a growing store copies nothing, and At is a
// single indexing operation. Alloc takes the next slot of a window. The first window after a Reset
// has 512 bytes, and each later window is as large as all earlier windows together, up to 16 KiB.
// Slots that were used before a Reset are zeroed when a window moves to them, which is why Reset
// itself costs almost nothing. A dead slot is zero and is in the list of holes, from which the next
// window is taken. A bitmap, which is allocated at the first Delete, records which slots are dead.
// space.go and core.go state the invariants.
//
// Links by index, which the collector does not follow, are an old technique: a Go program from 2012
// kept its nodes in buckets of a million and never freed them. Because a store reserves its address
// space at once, it needs no buckets.
package store

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare (workshop/tidy checks that). Requests therefore have one direction: Alloc requests slots
// from its filler, the filler requests them from the core, and the core uses its windows and its
// space. The results are slot numbers. docs/decisions/0003 explains why there are windows.
//
//	handles.go  copy.go  text.go  writer.go   what users call, beside Store
//	store.go                                  Store; below it, only memory_unsafe.go depends on T
//	filler.go                                 a window with the core that supplies its slots
//	verify.go                                 checks of the invariants, for checked builds
//	core.go                                   a space, strings, and the windows over slots
//	window.go  space.go  texts.go             numbers; slots as memory; the region of strings
//	bitmap.go  memory_unsafe.go  options.go  numbers.go  account.go
//
// Errors are declared in the file that returns them: errors about options and ErrFull in
// options.go, errors about memory that the system refuses in space.go, and errors about misuse in
// filler.go.
