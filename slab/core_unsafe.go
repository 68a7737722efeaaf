package slab

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/owner"
)

// A slot stands for a value of type T in code that does not depend on T. A []slot is a chunk of any
// type, or a subslice of one. Its length is the number of slots, and its address is the address of
// the first slot. It must not be resliced or cleared like other slices, because the type slot has
// size zero; use part and zero instead.
type slot struct{}

// A core is a Slab[T] viewed without its type argument. Only the code that returns a T needs T. A
// program therefore contains the rest of the code once instead of once for each type. See
// docs/decisions/0019.
type core Slab[slot]

// core converts s to a core, which shares its memory.
func (s *Slab[T]) core() *core {
	// Safety: the fields of a Slab are at the same offsets for every T, because T occurs only as
	// the element type of slices. TestSlabsHaveOneLayout.
	return (*core)(unsafe.Pointer(s))
}

// known is like core but first records the type of the slots, if s has not recorded it yet.
//
//go:noinline
func (s *Slab[T]) known() *core {
	c := s.core()
	if c.kind.typ == nil {
		c.kind = kindOf(reflect.TypeFor[T]())
	}
	return c
}

func kindOf(t reflect.Type) kind { return kind{typ: t, size: t.Size()} }

// erase converts a chunk to a []slot, which shares its memory.
func erase[T any](c []T) []slot {
	// Safety: address and length are taken from c, and slots have size zero. The pointer keeps the
	// chunk alive, and the chunk's type was recorded when it was made. TestSlabAgainstModel.
	return unsafe.Slice((*slot)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
}

// withType is the inverse of erase.
func withType[T any](c []slot) []T {
	// Safety: only erase makes chunks of a Slab[T] for its core, so c was made as a []T of this
	// length. TestSlabAgainstModel, under -d=checkptr=2.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
}

// A kind describes the slot type of a core.
type kind struct {
	size     uintptr
	typ      reflect.Type // nil before the first use
	pointers answer       // whether slots contain pointers
}

// An answer is yes, no, or not known yet.
type answer int8

const (
	notAsked answer = iota
	yes
	no
)

// withPointers caches, for each type whose slots were zeroed in this process, whether the type has
// pointers.
var withPointers sync.Map // maps reflect.Type to answer

// scanned reports whether the slots contain pointers, so that the collector scans them.
func (k *kind) scanned() bool {
	if k.pointers == notAsked {
		known, ok := withPointers.Load(k.typ)
		if !ok {
			known = no
			if hasPointers(k.typ) {
				known = yes
			}
			withPointers.Store(k.typ, known)
		}
		k.pointers = known.(answer)
	}
	return k.pointers == yes
}

// hasPointers reports whether values of type t contain pointers, so that the collector scans them.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if hasPointers(field.Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	default:
		return true
	}
}

// chunk allocates a chunk of n slots. For the collector, the slots are values of type k.typ.
func (k *kind) chunk(n int) []slot {
	made := reflect.MakeSlice(reflect.SliceOf(k.typ), n, n)
	// Safety: as in erase; reflect allocates like make([]T, n). TestArenaAgainstModel of package
	// arena.
	return unsafe.Slice((*slot)(made.UnsafePointer()), n)
}

// first returns the address of the first slot of c, or nil if c is nil.
func first(c []slot) unsafe.Pointer {
	// Safety: a pointer is converted to a pointer.
	return unsafe.Pointer(unsafe.SliceData(c))
}

// head returns the Head from which an arena takes slots. It shares the memory of the slab.
func (s *core) head() *owner.Head {
	// Safety: left, rest and kind are in a Slab at the offsets of the fields of a Head.
	// TestHeadOfSlab.
	return (*owner.Head)(unsafe.Pointer(&s.left))
}

// address returns the address of the first slot of c as an integer, for comparisons.
func address(c []slot) uintptr {
	// Safety: the address is only compared as an integer and never dereferenced.
	return uintptr(unsafe.Pointer(unsafe.SliceData(c)))
}

// part returns the slots c[from:to]. The slice expression itself would have the wrong address,
// because a slot has size zero.
func (k *kind) part(c []slot, from, to int) []slot {
	whole := c[from:to] // checks the bounds; whole has the right length, but the address of c
	if len(whole) == 0 {
		return nil // avoids a pointer past the end of a chunk
	}
	// Safety: from is less than the length of c, so the result is the address of a slot of c.
	// TestRewindTakesBackWhatCameAfterTheMark, TestSlabAgainstModel.
	return unsafe.Slice((*slot)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c)), uintptr(from)*k.size)), len(whole))
}

// zero zeroes the slots.
func (k *kind) zero(c []slot) {
	if len(c) == 0 {
		return
	}
	if k.scanned() {
		// Safety: a T with pointers consists of whole words, and is aligned like them. Some of the
		// words may not be pointers. This is harmless, because they are only cleared: clear finds
		// the words that need a write barrier in the collector's own bitmap of the chunk, which
		// make([]T, n) has set. docs/UNSAFE.md. TestClearingDuringMarking, TestSlabAgainstModel
		// with GODEBUG=gccheckmark=1.
		clear(unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(unsafe.SliceData(c))), uintptr(len(c))*k.size/unsafe.Sizeof(uintptr(0))))
		return
	}
	clear(k.bytes(c))
}

// nonZero reports whether any byte of the slots, including the padding between fields, is not zero.
func (k *kind) nonZero(c []slot) bool { return checks.NonZeroByte(k.bytes(c)) >= 0 }

// bytes returns the memory of the slots as a byte slice. The caller may read the bytes and, if the
// slots contain no pointers, clear them.
func (k *kind) bytes(c []slot) []byte {
	// Safety: the bytes belong to the slots, and the slice is not retained. TestSlabAgainstModel.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c))), uintptr(len(c))*k.size)
}

// words returns the slots of a Slab[uint64] as a []uint64.
func words(c []slot) []uint64 {
	// Safety: T is uint64, because Membership.Text is set, and the slice is not retained.
	// TestStaleTextShows.
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
}
