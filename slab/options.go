package slab

import (
	"fmt"
	"math"
	"reflect"

	"github.com/coppice-go/coppice/internal/layout"
)

// Bounds of the default chunk policy, in bytes: small slabs stay small, and a
// chunk is small enough that one value which is still held keeps little memory alive, and
// large enough that its allocation does not matter (0.1 ns for each 16-byte value of 1 MiB).
const (
	firstChunkBytes = 1 << 10
	maxChunkBytes   = 1 << 20
)

// Options sets how a Slab takes memory. The zero Options is a good default.
type Options struct {
	// First is the count of slots in the first chunk. 0 means 1 KiB of them,
	// at least one.
	First int

	// Max is the greatest count of slots in a chunk that New makes. Chunks grow
	// geometrically: each is as long as all before it together, from First up to
	// Max. 0 means 1 MiB of slots, at least one, and at least First. With Max
	// equal to First all chunks have that length.
	Max int

	// Keep is the greatest count of slots that Reset keeps. Reset keeps whole
	// chunks only, so it drops a chunk that is longer than Keep. 0 means no bound
	// but the one that Reset documents.
	Keep int
}

// New returns an empty Slab with the given options; a zero Slab is one with the
// zero Options. It allocates only the Slab itself. It panics if an option is
// negative or if First exceeds a Max that is set.
func New[T any](options Options) *Slab[T] {
	switch o := options; {
	case o.First < 0 || o.Max < 0 || o.Keep < 0:
		panic(fmt.Sprintf("slab.New: negative count in %+v", o))
	case o.Max > 0 && o.First > o.Max:
		panic(fmt.Sprintf("slab.New: First %d exceeds Max %d", o.First, o.Max))
	}
	return &Slab[T]{options: options}
}

// policy is Options with the defaults filled in for one type.
type policy struct {
	first, max int // slots in the first and in the longest chunk; 1 <= first <= max
	keep       int // slots that Reset keeps at most
	limit      int // slots that one chunk can have at all
}

// policyFor fills in what the options leave open, for slots of type T.
func policyFor[T any](o Options) policy {
	size := max(1, int(reflect.TypeFor[T]().Size()))
	p := policy{first: o.First, max: o.Max, keep: o.Keep, limit: layout.MaxBytes / size}
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
