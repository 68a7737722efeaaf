package slab

import (
	"fmt"
	"math"
)

// These are the limits of the default chunk policy, in bytes. Small slabs stay small. A chunk is
// small enough that one value that is still referenced keeps little memory alive, and large enough
// that the cost of its allocation does not matter (0.1 ns for each 16-byte value in a chunk of 1
// MiB).
const (
	firstChunkBytes = 256
	maxChunkBytes   = 1 << 20
)

// Options controls how a Slab allocates memory. The zero Options is a good default. The first use
// of a Slab panics if an option is negative, or if MaxChunk is not 0 and less than FirstChunk.
type Options struct {
	// FirstChunk is the number of slots in the first chunk. If it is 0, the first chunk has as many
	// slots as fit in 256 bytes, but at least one.
	FirstChunk int

	// MaxChunk is the maximum number of slots in a chunk that New allocates. Chunks grow
	// geometrically from FirstChunk up to MaxChunk: each is half as long as all earlier chunks
	// together. If MaxChunk is 0, the maximum is as many slots as fit in 1 MiB, but at least one
	// slot and at least FirstChunk. If MaxChunk equals FirstChunk, all chunks have that length.
	MaxChunk int

	// Keep is the maximum number of slots that Reset keeps. Reset keeps only whole chunks, so it
	// drops a chunk that is longer than Keep. If Keep is 0, only the limit documented at Reset
	// applies.
	Keep int
}

// A policy is an Options in which the defaults for slots of one size are filled in.
type policy struct {
	first, max int // number of slots in the first and in the longest chunk; 1 <= first <= max
	keep       int // maximum number of slots that Reset keeps
}

// policyFor returns the policy for the options and for slots of the given size. It panics if an
// option is negative or if two options contradict each other. The parameter where names the caller,
// for the panic message.
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
