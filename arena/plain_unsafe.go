package arena

import (
	"fmt"
	"unsafe"

	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// plain allocates the values of plain types (see isPlain). Slices, strings and values of more than
// four words are allocated as runs of words. Shorter values come from the slab for their size,
// because slab.Slab.New is faster than slab.Slab.Make.
type plain struct {
	words   slab.Slab[uint64] // allocates single words from the back, all else from the front
	pairs   slab.Slab[[2]uint64]
	triples slab.Slab[[3]uint64]
	quads   slab.Slab[[4]uint64]
	last    []uint64 // words of the slice that was allocated last
	spare   int      // number of bytes at the end of last that the slice does not use

	heads [plainSlabs]*owner.Head // heads of words, pairs, triples and quads
}

// plainSlabs is the number of slabs in plain.
const plainSlabs = 4

// wordBytes is the size of a word in bytes, which is also the largest alignment of a Go type.
const wordBytes = 8

// home returns the head of the slab for single values of the given size in bytes, and the index of
// the slab in the arena. It returns &none if the size is zero or more than four words, because such
// values have no slab.
func (p *plain) home(size uintptr) (*owner.Head, int) {
	words := int(size+wordBytes-1) / wordBytes
	if words == 0 || words > plainSlabs {
		return &none, 0
	}
	return p.heads[words-1], words - 1
}

// place returns the address of a zeroed value of the given size in bytes. It is called for sizes
// for which home returns &none.
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

// slots returns the address of n consecutive zeroed values of a plain type, whose size is given in
// bytes. It panics if they exceed the address space. The parameter where names the caller, for the
// panic message.
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

// extend adds n values in place to the slice that begins at start and has length values. size is
// the size of a value in bytes. extend fails and returns false unless the slice ends where the last
// slice ends and the words after it are free.
func (p *plain) extend(start unsafe.Pointer, length, n int, size uintptr) bool {
	bytes := int(size)
	if len(p.last) == 0 || bytes == 0 || n > (layout.MaxBytes-wordBytes)/bytes-length {
		return false
	}
	// Safety: the addresses of two objects that stay alive here are compared as integers. If the
	// ends are equal, the last byte of the slice is also a byte of p.last. The slice is therefore
	// in words, and the words that Extend adds follow it. TestArenaAgainstModel,
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

// bytes returns n zeroed bytes. The parameter where names the caller, for the panic message.
func (p *plain) bytes(where string, n int) []byte {
	if n == 0 {
		return []byte{}
	}
	// Safety: slots returns the address of n bytes.
	return unsafe.Slice((*byte)(p.slots(where, n, 1)), n)
}

// longer returns b with its capacity increased in place by n bytes, and true. If b is not the last
// slice or the n bytes after it are not free, longer returns b unchanged and false.
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

// asString returns a string that shares the memory of b.
func asString(b []byte) string {
	// Safety: the caller has just filled b, and nothing else writes to the bytes of the string
	// while it is valid. Reset overwrites them, but the string is then stale. On the Go heap, they
	// are never written again. TestStringsAreCopies, TestConcatAndJoin.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
