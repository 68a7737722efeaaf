// Package bufpool has a pool of buffers behind functions, as many programs have.
package bufpool

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Get returns an empty buffer.
func Get() *bytes.Buffer {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

// Put takes a buffer back. Large ones are dropped.
func Put(b *bytes.Buffer) {
	if b.Cap() > 1<<16 {
		return
	}
	pool.Put(b)
}

// A Writer has a buffer.
type Writer struct{ b *bytes.Buffer }

// Close takes the buffer of w back.
func (w *Writer) Close() {
	pool.Put(w.b)
	w.b = nil
}

// Swap takes the buffer of w back, if another one is wanted.
func (w *Writer) Swap(other *bytes.Buffer) {
	if other != nil {
		pool.Put(w.b)
		w.b = other
	}
}
