// Taken from github.com/coppice-go/coppice/slab, type Chunks.
//
// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/internal/chunkrule"
)

// chunks hands out values that the collector frees, and gets several at a time from the Go heap: at
// first one, then at most a sixteenth of the values before, or chunkrule.Small bytes. A value that
// is held keeps its chunk. It is for one goroutine.
type chunks[T any] struct {
	_     [0]sync.Mutex // go vet finds copies
	left  uint          // free values of the chunk: New takes chunk[left-1]
	chunk []T
	slots uint // values of all chunks so far
}

// New returns a zero value.
func (c *chunks[T]) New() *T {
	if c.left == 0 {
		c.fill()
	}
	c.left--
	return &c.chunk[c.left]
}

//go:noinline
func (c *chunks[T]) fill() {
	c.left = c.next()
	c.chunk = make([]T, c.left)
	c.slots += c.left
}

// next is the length of the next chunk: a size that the runtime does not round up by much.
func (c *chunks[T]) next() uint {
	size := uint(reflect.TypeOf((*T)(nil)).Elem().Size())
	n, small := c.slots/chunkrule.Spare, chunkrule.Small/size
	if n > small {
		for _, bytes := range chunkrule.Sizes {
			if n >= (bytes+size-1)/size {
				n = bytes / size
				break
			}
		}
	} else if n = small; n > c.slots {
		n = c.slots
	}
	if n == 0 {
		n = 1
	}
	return n
}

// Alloc returns a pointer to a copy of v.
func (c *chunks[T]) Alloc(v T) *T {
	p := c.place()
	*p = v
	return p
}

// place is New as a call, so that Alloc is inlined.
//
//go:noinline
func (c *chunks[T]) place() *T { return c.New() }

// Make is make([]T, n). Long slices get memory of their own.
func (c *chunks[T]) Make(n int) []T {
	if uint(n-1) >= c.left {
		if uint(n-1) >= c.next()/chunkrule.Spare {
			list := make([]T, n)
			c.slots += uint(n)
			return list
		}
		c.fill()
	}
	end := c.left
	c.left -= uint(n)
	return c.chunk[c.left:end:end]
}

// SliceOf returns a slice of copies of the values.
func (c *chunks[T]) SliceOf(values ...T) []T {
	list := c.Make(len(values))
	copy(list, values)
	return list
}
