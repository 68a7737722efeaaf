package arena

import (
	"fmt"
	"unsafe"

	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/slab"
)

// plain is memory for types that are plain (see isPlain). Slices, strings and long values take
// as many words as they need; short values come from slabs of their size, because New of a slab
// is faster than Make.
type plain struct {
	words   slab.Slab[uint64] // single ones from the back, all others from the front
	pairs   slab.Slab[[2]uint64]
	triples slab.Slab[[3]uint64]
	quads   slab.Slab[[4]uint64]
	last    []uint64 // what the last slice took of words
	spare   int      // bytes at the end of last that the slice has no use for
}

// plainSlabs is how many slabs plain has.
const plainSlabs = 4

// wordBytes is the size of a word, and the greatest alignment of a Go type.
const wordBytes = 8

// bucketOf is the bucket of T, a constant wherever it stands.
func bucketOf[T any]() uintptr {
	var zero T
	// Safety: only the size is asked for.
	return unsafe.Sizeof(zero) / wordBytes % buckets
}

// newPlain returns a zeroed T, which is plain.
func newPlain[T any](p *plain) *T {
	var zero T
	// Safety: T is plain: it has no pointer, so words, which the collector does not scan, may
	// hold it, and no bit pattern that a stale pointer leaves in them is invalid. They are aligned
	// for any type, zeroed, and as many as T's size needs. TestEveryTypeIsAligned,
	// TestArenaAgainstModel, under -d=checkptr=2; TestBoolsNeverShareMemoryWithOtherTypes.
	switch words := int(unsafe.Sizeof(zero)+wordBytes-1) / wordBytes; words {
	case 0:
		return new(T) // takes no memory
	case 1:
		return (*T)(unsafe.Pointer(p.words.New()))
	case 2:
		return (*T)(unsafe.Pointer(p.pairs.New()))
	case 3:
		return (*T)(unsafe.Pointer(p.triples.New()))
	case 4:
		return (*T)(unsafe.Pointer(p.quads.New()))
	default:
		return (*T)(unsafe.Pointer(&p.words.Make(words)[0]))
	}
}

// makePlain returns n zeroed values of T, which is plain. It panics in the name of where
// if they exceed the address space.
func makePlain[T any](p *plain, where string, n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if n == 0 || size == 0 {
		return make([]T, n) // takes no memory
	}
	if n > (layout.MaxBytes-wordBytes)/size {
		panic(fmt.Sprintf("%s: %d values exceed the address space, which has room for %d", where, n, (layout.MaxBytes-wordBytes)/size))
	}
	p.last = p.words.Make((n*size + wordBytes - 1) / wordBytes)
	p.spare = len(p.last)*wordBytes - n*size
	// Safety: as in newPlain; the words were counted for n values.
	return unsafe.Slice((*T)(unsafe.Pointer(&p.last[0])), n)
}

// extendPlain returns s with n more zeroed values in its capacity, and true, if it ends where
// the last slice ends and the words behind it are free.
func extendPlain[T any](p *plain, s []T, n int) ([]T, bool) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if cap(s) == 0 || len(p.last) == 0 || n > (layout.MaxBytes-wordBytes)/max(1, size)-cap(s) {
		return s, false
	}
	// Safety: addresses are compared as numbers, of two objects that stay alive here. If the
	// ends are equal, the last byte of s is one of last, so s lies in the words, and what
	// Extend adds follows it. TestArenaAgainstModel, TestOnlyTheLastSliceGrowsInPlace.
	end := uintptr(unsafe.Pointer(unsafe.SliceData(s))) + uintptr(cap(s)*size)
	last := uintptr(unsafe.Pointer(&p.last[0])) + uintptr(len(p.last)*wordBytes-p.spare)
	if size == 0 || end != last {
		return s, false
	}
	if more := n*size - p.spare; more > 0 {
		longer, ok := p.words.Extend(p.last, (more+wordBytes-1)/wordBytes)
		if !ok {
			return s, false
		}
		p.last = longer[:cap(longer)]
		p.spare = (wordBytes - more%wordBytes) % wordBytes
	} else {
		p.spare = -more
	}
	return unsafe.Slice(unsafe.SliceData(s), cap(s)+n)[:len(s)], true
}

// forget makes the last slice one that cannot grow.
func (p *plain) forget() { p.last, p.spare = nil, 0 }

// asString returns the bytes as a string.
func asString(b []byte) string {
	// Safety: the caller has just filled b and hands it to nobody else. The arena writes to it
	// at Reset, when the string is stale. TestStringsAreCopies.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
