package hashmap

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// This file is the only one that accesses groups as memory of a region. The offset and the size of
// a page come from the directory, which the Map itself has built or OpenFile has checked.

// A group holds slots with keys of fixed size.
type group[K, V any] struct {
	control uint64
	slots   [slots]slot[K, V]
}

// A slot holds one entry.
type slot[K, V any] struct {
	key   K
	value V
}

// A textGroup holds slots with string keys. The field texts contains the numbers of the strings in
// the heap.
type textGroup[V any] struct {
	control uint64
	texts   [slots]uint32
	values  [slots]V
}

// An address is an unsafe.Pointer. The name allows files to use the type without importing unsafe.
type address = unsafe.Pointer

// groupAt returns group i of the page that starts at the offset at of the region.
func groupAt[K, V any](base address, at, i uint64) *group[K, V] {
	// Safety: the page has more than i groups, all of them committed; K and V have no pointers. A
	// group's size is a multiple of its alignment, at most 8, and pages start at multiples of 8.
	// TestMapAgainstModel, TestHostileFiles.
	return (*group[K, V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(group[K, V]{})))
}

// textGroupAt implements groupAt for string keys.
func textGroupAt[V any](base address, at, i uint64) *textGroup[V] {
	// Safety: as for groupAt.
	return (*textGroup[V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(textGroup[V]{})))
}

// controlAt returns the control word of group i of a page whose groups have groupBytes bytes each.
func controlAt(base address, at, i, groupBytes uint64) *uint64 {
	// Safety: every group begins with a control word. TestMapAgainstModel.
	return (*uint64)(unsafe.Add(base, uintptr(at)+uintptr(i)*uintptr(groupBytes)))
}

// bytesAt returns size bytes of the region, starting at the offset at. They must be committed.
func bytesAt(base address, at, size uint64) []byte {
	// Safety: callers pass ranges of pages, or all bytes before the table's top. TestSaveAndOpen.
	return unsafe.Slice((*byte)(unsafe.Add(base, uintptr(at))), uintptr(size))
}

// bytesOfValue returns the bytes of a variable.
func bytesOfValue[T any](v *T) []byte {
	// Safety: the slice is read only while v is alive. TestBoolsOfFiles.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// sizeOf returns the size of a T.
func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// groupBytes returns the size of a group.
func groupBytes[K, V any](text bool) uint64 {
	if text {
		return uint64(unsafe.Sizeof(textGroup[V]{}))
	}
	return uint64(unsafe.Sizeof(group[K, V]{}))
}

// wordBytes is the size in bytes of the keys that wordOf accepts.
const wordBytes = 8

// wordOf returns the bits of a key of 8 bytes.
func wordOf[K any](k *K) uint64 {
	// Safety: callers have checked the size, and all bytes of the key are significant.
	// TestMapAgainstModel, under -d=checkptr=2.
	return *(*uint64)(unsafe.Pointer(k))
}

// textOf converts a key of string kind to a string, and keyOfText a string to such a key.
func textOf[K any](k *K) string {
	// Safety: the caller has checked that K is of string kind. TestNamedStrings.
	return *(*string)(unsafe.Pointer(k))
}

func keyOfText[K any](s string) (k K) {
	// Safety: as for textOf.
	*(*string)(unsafe.Pointer(&k)) = s
	return k
}

// stringOf converts bytes to a string without a copy.
func stringOf(b []byte) string {
	// Safety: b is not written while the string is used. Most callers have just made b, and loops
	// that lend keys overwrite it later; Verify reads memory of the Map in place.
	// TestKeysAreCopies.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfText converts a string to bytes without a copy.
func bytesOfText(s string) []byte {
	// Safety: the bytes are only hashed, or the string comes from stringOf, in the keyRoom of
	// AllBytes, and is not used as a string elsewhere. TestAllBytes.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// entryAt returns entry i of a directory that starts at the address first.
func entryAt[T any](first *T, i uint64) T {
	// Safety: i is a hash shifted right by the directory's shift. Directory and shift belong to one
	// state: the caller has validated this, or holds the lock. TestViewsFit,
	// TestReadersMeetEveryChange.
	return *(*T)(unsafe.Add(unsafe.Pointer(first), uintptr(i)*unsafe.Sizeof(*first)))
}

// startOf returns the address of the first element of a slice, which may be empty.
func startOf[T any](s []T) *T {
	// Safety: only entryAt and bytesFrom read it. TestViewsFit.
	return unsafe.SliceData(s)
}

// byteAt converts an address to a pointer that can be stored atomically, and addressOf converts it
// back.
func byteAt(a address) *byte { return (*byte)(a) }

func addressOf(p *byte) address {
	// Safety: p is a result of byteAt. TestViewsFit.
	return unsafe.Pointer(p)
}

// bytesFrom returns n bytes from start as a slice.
func bytesFrom(start *byte, n uint64) []byte {
	// Safety: start and n belong to one result of a heap's Memory, which can always be read.
	// TestViewsFit, TestReadersMeetEveryChange.
	return unsafe.Slice(start, n)
}

// baseOf returns the address of the memory of a region.
func baseOf(r *vmem.Region) address { return r.Pointer() }
