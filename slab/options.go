package slab

import (
	"fmt"
	"math"
)

// Limits of the default chunk policy, in bytes. Small slabs stay small. A chunk is small enough
// that one value that is still referenced keeps little memory alive, and large enough that its
// allocation does not matter (0.1 ns for each 16-byte value in a chunk of 1 MiB).
const (
	firstChunkBytes = 256
	maxChunkBytes   = 1 << 20
)

// Options controls how a Slab allocates memory. The zero Options is a good default. The first use
// of a Slab panics if an option is negative, or if FirstChunk exceeds a MaxChunk that is not 0.
type Options struct {
	// FirstChunk is the number of slots in the first chunk. 0 means 256 bytes of slots, but at
	// least one slot.
	FirstChunk int

	// MaxChunk is the maximum number of slots in a chunk that New allocates. Chunks grow
	// geometrically: each is half as long as all before it together, from FirstChunk up to
	// MaxChunk. 0 means 1 MiB of slots, but at least one slot and at least FirstChunk. If MaxChunk
	// equals FirstChunk, all chunks have that length.
	MaxChunk int

	// Keep is the maximum number of slots that Reset keeps. Reset keeps whole chunks only, so it
	// drops a chunk that is longer than Keep. 0 means that only the limit documented at Reset
	// applies.
	Keep int
}

// policy is Options with the defaults filled in for one type.
type policy struct {
	first, max int // slots in the first and in the longest chunk; 1 <= first <= max
	keep       int // maximum number of slots that Reset keeps
}

// policyFor fills in the defaults of the options for slots of the given size. It panics if an
// option is negative or if two contradict each other. The panic message begins with where, the name
// of the caller.
func policyFor(where string, o Options, slot uintptr) policy {
	switch {
	case o.FirstChunk < 0 || o.MaxChunk < 0 || o.Keep < 0:
		panic(fmt.Sprintf("%s: negative count in %+v", where, o))
	case o.MaxChunk > 0 && o.FirstChunk > o.MaxChunk:
		panic(fmt.Sprintf("%s: FirstChunk %d exceeds MaxChunk %d", where, o.FirstChunk, o.MaxChunk))
	}
	size := max(1, int(slot))
	p := policy{first: o.FirstChunk, max: o.MaxChunk, keep: o.Keep}
	if p.first == 0 {
		p.first = max(1, firstChunkBytes/size)
		if p.max > 0 {
			p.first = min(p.first, p.max)
		}
	}
	if p.max == 0 {
		p.max = max(p.first, maxChunkBytes/size)
	}
	if p.keep == 0 {
		p.keep = math.MaxInt
	}
	return p
}
