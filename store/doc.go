// Package store keeps records of one type outside the Go heap, where the collector
// never looks at them, and names them by 32-bit refs.
//
// # The main danger
//
// A ref is a number. After [Store.Delete] or [Store.Reset] its slot gets another record,
// and a stale ref, a stale *T, or a ref used with the wrong store of the same type
// finds that one. It is always a T of a store, or a fault: memory that a store gave
// back is never the Go heap's again, so nothing here can corrupt it. Where refs
// outlive records, use [Handles]: it detects every stale handle in every build. In
// checked builds (-tags coppice_checks, or -race) At of a deleted record panics
// and names the Delete, Reset overwrites what it drops, and a Store that is dropped without
// Close is reported. A write to a record that was deleted panics when its slot is handed out
// again, or at the next Reset, Trim or Close.
//
// # The price
//
//   - T must not contain a pointer, string, slice, map or interface: [New] refuses such
//     a T and names the field. Use refs for links, and [Text] for short strings.
//   - You must call Close. A Store that is dropped without Close keeps its memory until the
//     process ends; Totals and the profile "coppice" show it.
//   - Neither the Go heap's statistics nor GOMEMLIMIT count the memory; see
//     [Totals], [WriteProfile] and [AdjustMemoryLimit].
//   - Fresh memory costs about 2 microseconds for 4 KiB wherever it comes from. What
//     is fast is reuse: Reset, and Delete with Alloc.
//   - Only one goroutine may use a Store or a Handles at a time, also for reading: a
//     Get beside another goroutine's Alloc is a data race. [Writer] is the exception.
//   - With -race, on 32-bit machines and on wasm, stores live in Go memory of a
//     fixed greatest size ([Options]), so that the detector sees them.
//
// # When to use something else
//
// If the records contain pointers, use package slab. If there are few records, or they
// live for a short time, the collector is not what costs you. If you need only a slice to append
// to, use a []T of a T without pointers, which the collector does not scan either. What a
// store adds: records never move, slots are reused, and memory goes back to the system.
//
// # Words
//
//	slot     room for one record; slot i belongs to ref i, and slot 0 to nil
//	live     holding a record
//	dead     free after a Delete, or left over by a Writer
//	fresh    never taken since the last Reset
//	window   free slots that one goroutine fills without asking (window.go)
//
// # How it works
//
// [New] reserves addresses for the greatest count, which costs no memory. Slots become
// memory as they are taken, from the start, a quarter more at a time (package
// internal/vmem). So a record never moves, growth copies nothing, and finding one is
// one indexing. Alloc counts up through a window, of 512 bytes after a Reset and then as
// large as all before it, up to 16 KiB. Its slots were zeroed when
// the window moved there if a Reset had left something in them: that is why Reset
// itself costs next to nothing. A dead slot is zero, is in the list of holes, and becomes the
// next window; a bitmap, made at the first Delete, says which slots are dead. space.go
// and core.go state the invariants.
//
// Index links for the sake of the collector are an old idea; a Go program from 2012
// kept its nodes in buckets of a million and never freed them. Reserving addresses
// once takes the buckets away.
package store

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else (workshop/tidy checks that). So data goes one way: Alloc asks its
// filler for slots, the filler asks the core, the core knows its windows and its space, and what
// comes back are numbers. docs/decisions/0003 says why there are windows.
//
//	handles.go  copy.go  text.go  writer.go   what users call, beside Store
//	store.go                                  Store; nothing below store.go knows T but memory_unsafe.go
//	filler.go                                 a window, and the core that has slots for it
//	verify.go                                 whether the invariants hold; for checked builds
//	core.go                                   a space, texts, and the windows that slots are in
//	window.go  space.go  texts.go             numbers; slots as memory; the region of texts
//	bitmap.go  memory_unsafe.go  options.go  numbers.go  account.go
//
// An error stands where its reason is: of options and ErrFull in options.go, of memory that the
// system refuses in space.go, of misuse in filler.go.
