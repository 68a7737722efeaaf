package store

import (
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Writer fills slots of a Store for one goroutine, while others fill others: it
// takes blocks of 64 KiB of slots and needs nobody for those within.
//
// A goroutine may use what another's Writer put once they have synchronized after the
// Writer's Close (by a WaitGroup, a channel, a mutex): then every ref is valid
// everywhere. While Writers are at work one goroutine may use the Store's own Put, New
// and Make, and records may be read through pointers that were synchronized;
// everything else must wait until all of them are closed.
type Writer[T any] struct {
	_     noCopy
	guard checks.Guard // empty outside checked builds

	last, end uint32 // as in a Store
	own       *window
	records   []T

	_ [cacheLine]byte // as in a Store
}

// Writer returns a new Writer of the store. Any number of goroutines may call it at
// once, beside whatever a Writer may run beside. It panics if the store is closed.
func (s *Store[T]) Writer() *Writer[T] {
	if err := s.own.usable(); err != nil {
		panic("store.Writer: " + err.Error())
	}
	c := s.own.core
	w := &Writer[T]{records: s.records}
	w.own = &window{last: &w.last, end: &w.end, core: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, w.own)
	return w
}

// Put is Store.Put.
func (w *Writer[T]) Put(v T) Ref[T] {
	if checks.Enabled {
		w.guard.Enter("store.Writer.Put")
		defer w.guard.Leave()
	}
	if w.last == w.end {
		w.own.refillWriterPut()
	}
	w.last++
	w.records[w.last] = v
	return Ref[T](w.last)
}

// New is Store.New.
func (w *Writer[T]) New() (Ref[T], *T) {
	if checks.Enabled {
		w.guard.Enter("store.Writer.New")
		defer w.guard.Leave()
	}
	if w.last == w.end {
		w.own.refillWriterNew()
	}
	w.last++
	return Ref[T](w.last), &w.records[w.last]
}

// Make is Store.Make.
func (w *Writer[T]) Make(n int) (Ref[T], []T) {
	if checks.Enabled {
		w.guard.Enter("store.Writer.Make")
		defer w.guard.Leave()
	}
	return makeRecords("store.Writer.Make", w.own, w.records, n)
}

// Close ends the Writer. The unused end of its block becomes free slots of the
// Store. A second Close, or one after the Store's Reset or Close, does nothing.
func (w *Writer[T]) Close() {
	if w.own == nil {
		return
	}
	c := w.own.core
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(w.own)
	w.own.move(0, 0)
	w.own.gone = true
	c.open = slices.DeleteFunc(c.open, func(o *window) bool { return o == w.own })
}
