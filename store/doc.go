// Package store keeps records of one type outside the Go heap, where the collector
// never looks at them, and names them by 32-bit refs.
//
// # The main danger
//
// A ref is a number. After [Store.Del] or [Store.Reset] its slot gets another record,
// and a stale ref, a stale *T, or a ref used with the wrong store of the same type
// finds that one. It is always a T of a store, or a fault: memory that a store gave
// back is never the Go heap's again, so nothing here can corrupt it. Where refs
// outlive records, use [Handles]: it detects every stale handle in every build. In
// checked builds (-tags coppice_checks, or -race) At of a deleted record panics
// naming the Del, Reset overwrites what it drops, and a Store that is dropped without
// Close is reported.
//
// # The price
//
//   - T holds no pointer, string, slice, map or interface. New refuses others, and
//     names the field. Links are refs; short strings are [Text].
//   - You must Close. A dropped Store keeps its memory until the process ends; Totals
//     and the profile "coppice" show it.
//   - Neither the Go heap's statistics nor GOMEMLIMIT count the memory; see
//     [Totals], [WriteProfile] and [AdjustMemoryLimit].
//   - Fresh memory costs about 2 microseconds for 4 KiB wherever it comes from. What
//     is fast is reuse: Reset, and Del with Put.
//   - One goroutine may use a Store or a Handles at a time. Reading is part of that: a
//     Get beside another goroutine's Put is a race. [Writer] is the exception.
//   - With -race, on 32-bit machines and on wasm, stores live in Go memory of a
//     fixed greatest size ([Options]), so that the detector sees them.
//
// # When to use something else
//
// If the records hold pointers, take package slab. If there are few, or they are
// garbage soon anyway, the collector is not your cost. If all you need is a slice that
// you append to, a []T of pointer-free T is not scanned either; a store adds that
// records never move, that slots are reused, and that memory goes back.
//
// # Words
//
//	slot     room for one record; slot i belongs to ref i, and slot 0 to nil
//	live     holding a record
//	dead     free after a Del, or left over by a Writer
//	fresh    never taken since the last Reset
//	window   free slots that one goroutine fills without asking (window.go)
//
// # How it works
//
// New reserves addresses for the greatest count, which costs no memory. Slots become
// memory as they are taken, from the start, a quarter more at a time (package
// internal/vmem). So a record never moves, growth copies nothing, and finding one is
// one indexing. Put counts up through a window, of 512 bytes after a Reset and then as
// large as all before it, up to 16 KiB. Its slots were zeroed when
// the window moved there if a Reset had left something in them: that is why Reset
// itself costs next to nothing. A dead slot is zero, is in the list of holes, and becomes the
// next window; a bitmap, made at the first Del, says which slots are dead. core.go
// states the invariants.
//
// Index links for the sake of the collector are an old idea; a Go program from 2012
// kept its nodes in buckets of a million and never freed them. Reserving addresses
// once takes the buckets away.
package store
