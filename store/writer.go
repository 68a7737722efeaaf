package store

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// A Writer fills slots of a Store for one goroutine, while other goroutines fill other slots
// through their own Writers. It reserves slots in blocks of 64 KiB, and acquires the Store's lock
// only when it needs another block.
//
// When a goroutine has finished writing, it must close its Writer and then synchronize (with a
// WaitGroup, a channel or a mutex). After that, all goroutines may use the records and refs of the
// Writer. While Writers are open, one goroutine may use the Store's own Alloc, New and Make, and
// other goroutines may read records through pointers, if they have synchronized with the goroutine
// that wrote the records. All other methods of the Store must wait until all Writers are closed.
type Writer[T any] struct {
	_     layout.NoCopy
	guard checks.Guard // empty outside checked builds

	last, end uint32 // as in a Store
	own       *filler
	records   []T

	_ [layout.CacheLine]byte // padding, as in a Store
}

// Writer returns a new Writer for the store. Any number of goroutines may call it concurrently,
// even while other Writers are open. It panics if the store is closed.
func (s *Store[T]) Writer() *Writer[T] {
	if err := s.own.usable(); err != nil {
		panic("store.Store.Writer: " + err.Error())
	}
	c := s.own.core
	w := &Writer[T]{records: s.records}
	w.own = &filler{window{last: &w.last, end: &w.end}, c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, &w.own.window)
	return w
}

// Alloc is like Store.Alloc.
func (w *Writer[T]) Alloc(v T) Ref[T] {
	if checks.Enabled {
		w.guard.Enter("store.Writer.Alloc")
		defer w.guard.Leave()
	}
	if w.last == w.end {
		w.own.refillWriterAlloc()
	}
	w.last++
	w.records[w.last] = v
	return Ref[T](w.last)
}

// TryAlloc is like Store.TryAlloc.
func (w *Writer[T]) TryAlloc(v T) (Ref[T], error) {
	if checks.Enabled {
		w.guard.Enter("store.Writer.TryAlloc")
		defer w.guard.Leave()
	}
	if w.last == w.end {
		if err := w.own.tryRefill("store.Writer.TryAlloc"); err != nil {
			return 0, fmt.Errorf("store.Writer.TryAlloc: %w", err)
		}
	}
	w.last++
	w.records[w.last] = v
	return Ref[T](w.last), nil
}

// New is like Store.New.
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

// Make is like Store.Make.
func (w *Writer[T]) Make(n int) (Ref[T], []T) {
	if checks.Enabled {
		w.guard.Enter("store.Writer.Make")
		defer w.guard.Leave()
	}
	return makeRecords("store.Writer.Make", w.own, w.records, n)
}

// Close ends the Writer. The unused slots of its block become free slots of the Store. A second
// Close does nothing, and neither does a Close after the Store's Reset or Close.
func (w *Writer[T]) Close() {
	if w.own == nil {
		return
	}
	c := w.own.core
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(&w.own.window)
	w.own.move(0, 0)
	w.own.gone = true
	c.open = slices.DeleteFunc(c.open, func(o *window) bool { return o == &w.own.window })
}
