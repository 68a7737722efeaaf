package arena

import (
	"fmt"
	"unsafe"

	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// plain is the memory of plain types (see isPlain). Slices, strings and long values use as many
// words as they need. Short values come from slabs of their size, because slab.Slab.New is faster
// than slab.Slab.Make.
type plain struct {
	words   slab.Slab[uint64] // single words from the back, everything else from the front
	pairs   slab.Slab[[2]uint64]
	triples slab.Slab[[3]uint64]
	quads   slab.Slab[[4]uint64]
	last    []uint64 // the words of the last slice
	spare   int      // bytes at the end of last that the slice does not use

	heads [plainSlabs]*owner.Head // of words, pairs, triples, quads
}

// plainSlabs is the number of slabs in plain.
const plainSlabs = 4

// wordBytes is the size of a word and the largest alignment of a Go type.
const wordBytes = 8

// home returns the source of single values of the given size in bytes, and its index among the
// slabs of the arena. Values of more than four words have no slab of their own.
func (p *plain) home(size uintptr) (*owner.Head, int) {
	words := int(size+wordBytes-1) / wordBytes
	if words == 0 || words > plainSlabs {
		return &none, 0
	}
	return p.heads[words-1], words - 1
}

// place returns the address of a zeroed value of the given size in bytes, for which home returns no
// slab.
func (p *plain) place(size uintptr) unsafe.Pointer {
	if size == 0 {
		// Safety: a value of size zero takes no memory, so any address is valid.
		return unsafe.Pointer(&none)
	}
	// Safety: the type is plain. It has no pointers, so its values may be stored in words, which
	// the collector does not scan. Every bit pattern that a write through a stale pointer may leave
	// in the words is a valid value of the type. The words are aligned for any type, zeroed, and as
	// many as the size of the type requires. TestEveryTypeIsAligned, TestArenaAgainstModel, under
	// -d=checkptr=2; TestBoolsNeverShareMemoryWithOtherTypes.
	return unsafe.Pointer(&p.words.Make(int(size+wordBytes-1) / wordBytes)[0])
}

// slots returns the address of n zeroed values of a plain type of the given size in bytes. It
// panics if they exceed the address space. The panic message begins with where, the name of the
// caller.
func (p *plain) slots(where string, n int, size uintptr) unsafe.Pointer {
	if size == 0 {
		return p.place(0)
	}
	if limit := (layout.MaxBytes - wordBytes) / int(size); n > limit {
		panic(fmt.Sprintf("%s: %d values exceed the address space, which has room for %d", where, n, limit))
	}
	bytes := n * int(size)
	p.last = p.words.Make((bytes + wordBytes - 1) / wordBytes)
	p.spare = len(p.last)*wordBytes - bytes
	// Safety: as in place; there are enough words for n values.
	return unsafe.Pointer(&p.last[0])
}

// extend lengthens the slice that begins at start by n values of the given size. It returns true if
// the slice ends where the last slice ends and the words after it are free.
func (p *plain) extend(start unsafe.Pointer, length, n int, size uintptr) bool {
	bytes := int(size)
	if len(p.last) == 0 || bytes == 0 || n > (layout.MaxBytes-wordBytes)/bytes-length {
		return false
	}
	// Safety: the addresses of two objects that stay alive here are compared as numbers. If the
	// ends are equal, the last byte of the slice is also a byte of p.last, so the slice is in the
	// words, and what Extend adds follows it. TestArenaAgainstModel,
	// TestOnlyTheLastSliceGrowsInPlace.
	end := uintptr(start) + uintptr(length*bytes)
	last := uintptr(unsafe.Pointer(&p.last[0])) + uintptr(len(p.last)*wordBytes-p.spare)
	if end != last {
		return false
	}
	if more := n*bytes - p.spare; more > 0 {
		longer, ok := p.words.Extend(p.last, (more+wordBytes-1)/wordBytes)
		if !ok {
			return false
		}
		p.last = longer[:cap(longer)]
		p.spare = (wordBytes - more%wordBytes) % wordBytes
	} else {
		p.spare = -more
	}
	return true
}

// bytes returns n zeroed bytes.
func (p *plain) bytes(where string, n int) []byte {
	if n == 0 {
		return []byte{}
	}
	// Safety: slots returns the address of n bytes.
	return unsafe.Slice((*byte)(p.slots(where, n, 1)), n)
}

// longer increases the capacity of b by n bytes in place and returns true. If b is not the last
// slice or the n bytes after it are not free, longer returns b and false.
func (p *plain) longer(b []byte, n int) ([]byte, bool) {
	start := unsafe.SliceData(b)
	// Safety: extend has found that the bytes after b are free, and has allocated them to b.
	if cap(b) == 0 || !p.extend(unsafe.Pointer(start), cap(b), n, 1) {
		return b, false
	}
	return unsafe.Slice(start, cap(b)+n)[:len(b)], true
}

// forget prevents the last slice from growing in place again.
func (p *plain) forget() { p.last, p.spare = nil, 0 }

// asString converts the bytes to a string.
func asString(b []byte) string {
	// Safety: the caller has just filled b and does not pass it on. The arena writes to it at
	// Reset, when the string is stale; without an arena it is never written again.
	// TestStringsAreCopies, TestConcatAndJoin.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
