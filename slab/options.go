package slab

import (
	"fmt"
	"math"
)

// Bounds of the default chunk policy, in bytes: small slabs stay small, and a
// chunk is small enough that one value which is still held keeps little memory alive, and
// large enough that its allocation does not matter (0.1 ns for each 16-byte value of 1 MiB).
const (
	firstChunkBytes = 256
	maxChunkBytes   = 1 << 20
)

// Options sets how a Slab takes memory. The zero Options is a good default. The first use of a
// Slab panics if an option is negative, or if FirstChunk exceeds a MaxChunk that is set.
type Options struct {
	// FirstChunk is the count of slots in the first chunk. 0 means 256 bytes of them,
	// at least one.
	FirstChunk int

	// MaxChunk is the greatest count of slots in a chunk that New makes. Chunks grow
	// geometrically: each is half as long as all before it together, from FirstChunk up to
	// MaxChunk. 0 means 1 MiB of slots, at least one, and at least FirstChunk. With MaxChunk
	// equal to FirstChunk all chunks have that length.
	MaxChunk int

	// Keep is the greatest count of slots that Reset keeps. Reset keeps whole
	// chunks only, so it drops a chunk that is longer than Keep. 0 means no bound
	// but the one that Reset documents.
	Keep int
}

// policy is Options with the defaults filled in for one type.
type policy struct {
	first, max int // slots in the first and in the longest chunk; 1 <= first <= max
	keep       int // slots that Reset keeps at most
}

// policyFor fills in what the options leave open, for slots of the given size. It panics in the
// name of where if they contradict themselves.
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
