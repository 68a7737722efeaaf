package slab

import (
	"fmt"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/internal/layout"
)

// maxCounted bounds the count of slots: it is more than what the longest chunk asks for, and fits
// into half an int on 32-bit machines.
const maxCounted = 1 << 30

// Chunks hands out values of type T that belong to the collector: there is no Reset, and a value is
// good for as long as something points to it. It is for values that strangers keep, such as the
// nodes of a tree that a parser returns. The zero Chunks is empty and ready to use. It must not be
// copied after first use. Only one goroutine may use it at a time; the values may go anywhere.
//
// Chunks allocates several values at a time and forgets a chunk as soon as it is full. So it costs
// less than plain new, and one value that is still held keeps its chunk alive: up to 1,016 bytes by
// default, with everything that the chunk's other values point to. The first chunk has one value,
// and no chunk is longer than a sixteenth of the values before it, or 256 bytes. So it takes at
// most a tenth more bytes than plain new, or 256 bytes, also where there are many owners with few
// values each. An owner of a dozen values gains nothing.
//
// Use a Chunks for one result, such as a tree, and drop it with the parser of that. If one Chunks
// makes tree after tree, a chunk holds the end of one tree and the start of the next: whoever holds
// the second keeps nodes of the first alive, and if those lead to their root, as parent links do,
// all of it, and so every tree before.
type Chunks[T any] struct {
	_     layout.NoCopy
	guard checks.Guard // empty outside checked builds

	// Options is read whenever a chunk is made.
	Options ChunkOptions

	left  uint // free slots of the current chunk; New takes chunk[left-1]
	chunk []T  // nil at first
	slots uint // of all chunks so far, up to maxCounted
}

// ChunkOptions sets how a Chunks takes memory. The zero ChunkOptions is a good default.
type ChunkOptions struct {
	// MaxChunk is the greatest count of slots in a chunk. 0 means 1,016 bytes of them, at least
	// one. A use that needs a chunk panics if MaxChunk is negative.
	MaxChunk int
}

// New returns a pointer to a zeroed T, which is good for as long as something points to it. New
// costs about a nanosecond and inlines into its caller. It allocates only when the current chunk is
// full: one chunk.
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

// Alloc returns a pointer to a copy of v: New and an assignment, for a place where an expression
// stands: f(nodes.Alloc(Node{Kind: k})) for f(&Node{Kind: k}).
//
// Alloc inlines into its caller, where v is built, with a call in it.
func (c *Chunks[T]) Alloc(v T) *T {
	p := c.place()
	*p = v
	return p
}

// place is New as a call, which leaves room to inline the assignment of Alloc.
//
//go:noinline
func (c *Chunks[T]) place() *T { return c.New() }

// Make returns a slice of n zeroed values, with capacity n, which is good for as long as something
// points into it. A slice that is longer than a sixteenth of the next chunk gets memory of its own.
// Make panics if n is negative or if n values exceed the address space.
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

// SliceOf returns a slice of copies of the values, with memory from Make. Without values it is nil.
func (c *Chunks[T]) SliceOf(values ...T) []T {
	if len(values) == 0 {
		return nil
	}
	made := c.Make(len(values))
	copy(made, values)
	return made
}

// Grow makes room for n values, so that the next n values cost no allocation, whether New or one
// Make takes them. If it needs a chunk, that has exactly n slots, and the free slots of the current
// one are forgotten. Grow panics if n is negative or if n values exceed the address space.
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

// makeChunk returns n zeroed values. It panics in the name of where if they exceed the address
// space.
func makeChunk[T any](where string, n int) []T {
	mustFit(where, n, reflect.TypeFor[T]().Size())
	return make([]T, n)
}

// fill makes a new chunk the current one: the slow path of New. where names the caller in a panic.
//
//go:noinline
func (c *Chunks[T]) fill(where string) {
	n := c.nextLen(where)
	c.chunk = make([]T, n)
	c.left = uint(n)
	c.count(n)
}

// count counts n slots more, up to maxCounted: longer chunks than that allows there are not.
func (c *Chunks[T]) count(n int) { c.slots = min(c.slots+uint(n), maxCounted) }

// nextLen is the length of the next chunk.
func (c *Chunks[T]) nextLen(where string) int {
	return lengthAfter(c.slots, c.Options.MaxChunk, max(1, int(reflect.TypeFor[T]().Size())), where)
}

// lengthAfter is nextLen after so many slots of the given size, with the option Max.
func lengthAfter(slots uint, most, size int, where string) int {
	if most < 0 {
		panic(fmt.Sprintf("%s: negative MaxChunk %d", where, most))
	}
	if most > 0 {
		return min(chunkrule.Wanted(slots, size), most)
	}
	return chunkrule.Length(slots, size)
}
