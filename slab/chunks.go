package slab

import (
	"fmt"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/internal/layout"
)

// maxCounted is the maximum value of Chunks.slots, so that it cannot overflow: half the range of a
// 32-bit int. By default, chunks reach their maximum length long before.
const maxCounted = 1 << 30

// Chunks allocates values of type T that the collector frees: it has no Reset, and a value stays
// valid as long as something points to it. Use it for values that callers retain, such as the nodes
// of a tree that a parser returns. The zero Chunks is empty and ready to use. A Chunks must not be
// copied after first use. Only one goroutine may use it at a time, but any goroutine may use the
// values.
//
// Chunks allocates several values at a time and drops its reference to a full chunk when it makes
// the next one. It therefore costs less than plain new. A value that is still referenced keeps its
// chunk alive, which has up to 1,016 bytes by default, and everything that the other values of the
// chunk point to. The first chunk has one value. A later chunk is at most as long as a sixteenth of
// the values before it, or 256 bytes, whichever is more. A Chunks therefore uses at most a tenth
// more bytes than plain new, or 256 bytes more, whichever is more, even if there are many Chunks of
// few values each. For only a dozen values, a Chunks has no advantage over plain new.
//
// Use one Chunks for one result, such as a tree, and drop it together with its parser. If one
// Chunks builds several trees, a chunk can hold the end of one tree and the start of the next. A
// reference to the second tree then keeps nodes of the first alive. If these nodes have links to
// their parents, the whole first tree stays alive, and by the same chain every earlier tree.
type Chunks[T any] struct {
	_     layout.NoCopy
	guard checks.Guard // empty outside checked builds

	// Options controls the chunks that are allocated from now on.
	Options ChunkOptions

	left  uint // free slots of the current chunk; New takes chunk[left-1]
	chunk []T  // nil at first
	slots uint // slots of all chunks so far, up to maxCounted
}

// ChunkOptions controls how a Chunks allocates memory. The zero ChunkOptions is a good default.
type ChunkOptions struct {
	// MaxChunk is the maximum number of slots in a chunk. If it is 0, the maximum is as many slots
	// as fit in 1,016 bytes, but at least one. If it is negative, a call that needs a new chunk
	// panics.
	MaxChunk int
}

// New returns a pointer to a zeroed T, which is valid as long as something points to it. New takes
// about a nanosecond and is inlined into its caller. It allocates a chunk when the current chunk is
// full.
func (c *Chunks[T]) New() *T {
	if checks.Enabled {
		c.guard.Enter("slab.Chunks.New")
		defer c.guard.Leave()
	}
	if c.left == 0 {
		c.fill("slab.Chunks.New")
	}
	c.left--
	return &c.chunk[c.left]
}

// Alloc returns a pointer to a copy of v. It combines New and an assignment in one expression:
// f(nodes.Alloc(Node{Kind: k})) replaces f(&Node{Kind: k}).
//
// Alloc is inlined into its caller, which builds v in place. The inlined code contains a single
// call.
func (c *Chunks[T]) Alloc(v T) *T {
	p := c.place()
	*p = v
	return p
}

// place calls New and is not inlined itself, so that the assignment in Alloc can be inlined.
//
//go:noinline
func (c *Chunks[T]) place() *T { return c.New() }

// Make returns a slice of n zeroed values, with capacity n. The slice is valid as long as something
// points into it. A slice that does not fit in the current chunk is allocated separately if it is
// longer than a sixteenth of the next chunk. Make panics if n is negative or if n values exceed the
// address space.
func (c *Chunks[T]) Make(n int) []T {
	if checks.Enabled {
		c.guard.Enter("slab.Chunks.Make")
		defer c.guard.Leave()
	}
	switch {
	case n < 0:
		panic(fmt.Sprintf("slab.Chunks.Make: negative count %d", n))
	case n == 0:
		return []T{}
	case uint(n) > c.left:
		if n > c.nextLen("slab.Chunks.Make")/chunkrule.Spare {
			c.count(n)
			return makeChunk[T]("slab.Chunks.Make", n)
		}
		c.fill("slab.Chunks.Make")
	}
	end := c.left
	c.left -= uint(n)
	return c.chunk[c.left:end:end]
}

// SliceOf returns a new slice, allocated with Make, that contains the values. Without values it
// returns nil.
func (c *Chunks[T]) SliceOf(values ...T) []T {
	if len(values) == 0 {
		return nil
	}
	made := c.Make(len(values))
	copy(made, values)
	return made
}

// Grow makes room for n values, so that New, or a single Make, does not allocate memory for the
// next n values. If it needs a chunk, the chunk has exactly n slots, and the free slots of the
// current chunk are lost. Grow panics if n is negative or if n values exceed the address space.
func (c *Chunks[T]) Grow(n int) {
	if checks.Enabled {
		c.guard.Enter("slab.Chunks.Grow")
		defer c.guard.Leave()
	}
	if n < 0 {
		panic(fmt.Sprintf("slab.Chunks.Grow: negative count %d", n))
	}
	if uint(n) > c.left {
		c.chunk = makeChunk[T]("slab.Chunks.Grow", n)
		c.left = uint(n)
		c.count(n)
	}
}

// makeChunk returns a chunk of n zeroed values. It panics if they exceed the address space. The
// parameter where names the caller, for the panic message.
func makeChunk[T any](where string, n int) []T {
	mustFit(where, n, reflect.TypeFor[T]().Size())
	return make([]T, n)
}

// fill makes a new chunk the current one. It is the slow path of New. The parameter where names the
// caller, for panic messages.
//
//go:noinline
func (c *Chunks[T]) fill(where string) {
	n := c.nextLen(where)
	c.chunk = make([]T, n)
	c.left = uint(n)
	c.count(n)
}

// count adds n to the slot count, which stops at maxCounted. This is enough to reach the maximum
// length of a chunk.
func (c *Chunks[T]) count(n int) { c.slots = min(c.slots+uint(n), maxCounted) }

// nextLen returns the length of the next chunk. The parameter where names the caller, for panic
// messages.
func (c *Chunks[T]) nextLen(where string) int {
	return lengthAfter(c.slots, c.Options.MaxChunk, max(1, int(reflect.TypeFor[T]().Size())), where)
}

// lengthAfter returns the length of the next chunk of a Chunks. slots is the total number of slots
// in its chunks so far, size is the size of a slot in bytes, and most is the option MaxChunk.
func lengthAfter(slots uint, most, size int, where string) int {
	if most < 0 {
		panic(fmt.Sprintf("%s: negative MaxChunk %d", where, most))
	}
	if most > 0 {
		return min(chunkrule.Wanted(slots, size), most)
	}
	return chunkrule.Length(slots, size)
}
