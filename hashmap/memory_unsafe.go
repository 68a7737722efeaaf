package hashmap

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// Only this file converts addresses in a region to pointers to groups. The offset and the size of a
// page come from the directory, which the Map itself has built or OpenFile has checked.

// A group holds the entries of eight slots if keys have a fixed size.
type group[K, V any] struct {
	control uint64
	slots   [slots]slot[K, V]
}

// A slot holds one entry.
type slot[K, V any] struct {
	key   K
	value V
}

// A textGroup holds the entries of eight slots if keys are strings. The field texts contains the
// numbers that identify the strings in the heap.
type textGroup[V any] struct {
	control uint64
	texts   [slots]uint32
	values  [slots]V
}

// An address is an unsafe.Pointer. With this alias, other files need not import unsafe.
type address = unsafe.Pointer

// groupAt returns group i of the page that starts at offset at of the region, whose memory starts
// at base.
func groupAt[K, V any](base address, at, i uint64) *group[K, V] {
	// Safety: the page has more than i groups, and all its memory is committed; K and V have no
	// pointers. The size of a group is a multiple of its alignment, which is at most 8, and pages
	// start at multiples of 8. TestMapAgainstModel, TestHostileFiles.
	return (*group[K, V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(group[K, V]{})))
}

// textGroupAt is groupAt for string keys.
func textGroupAt[V any](base address, at, i uint64) *textGroup[V] {
	// Safety: as for groupAt.
	return (*textGroup[V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(textGroup[V]{})))
}

// controlAt returns the control word of group i of the page at offset at. groupBytes is the size of
// a group.
func controlAt(base address, at, i, groupBytes uint64) *uint64 {
	// Safety: every group begins with a control word. TestMapAgainstModel.
	return (*uint64)(unsafe.Add(base, uintptr(at)+uintptr(i)*uintptr(groupBytes)))
}

// bytesAt returns the size bytes of the region at offset at, which must be committed.
func bytesAt(base address, at, size uint64) []byte {
	// Safety: the callers pass either the range of a page or all bytes before the table's top.
	// TestSaveAndOpen.
	return unsafe.Slice((*byte)(unsafe.Add(base, uintptr(at))), uintptr(size))
}

// bytesOfValue returns the memory of *v as a byte slice.
func bytesOfValue[T any](v *T) []byte {
	// Safety: the slice is read only while v is alive. TestBoolsOfFiles.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// sizeOf returns the size of a T in bytes.
func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// groupBytes returns the size in bytes of a textGroup[V] if text is true, and of a group[K, V]
// otherwise.
func groupBytes[K, V any](text bool) uint64 {
	if text {
		return uint64(unsafe.Sizeof(textGroup[V]{}))
	}
	return uint64(unsafe.Sizeof(group[K, V]{}))
}

// wordBytes is the size in bytes of the keys that wordOf accepts.
const wordBytes = 8

// wordOf returns the bits of an 8-byte key.
func wordOf[K any](k *K) uint64 {
	// Safety: callers have checked the size, and all bytes of the key are significant.
	// TestMapAgainstModel, under -d=checkptr=2.
	return *(*uint64)(unsafe.Pointer(k))
}

// textOf converts a key of a string type to a string. keyOfText does the reverse.
func textOf[K any](k *K) string {
	// Safety: the caller has checked that K is a string type. TestNamedStrings.
	return *(*string)(unsafe.Pointer(k))
}

func keyOfText[K any](s string) (k K) {
	// Safety: as for textOf.
	*(*string)(unsafe.Pointer(&k)) = s
	return k
}

// stringOf returns a string that shares the memory of b.
func stringOf(b []byte) string {
	// Safety: b is not written while the string is used. Most callers have just allocated b; loops
	// whose keys are valid for one iteration overwrite b later; Verify reads memory of the Map in
	// place. TestKeysAreCopies.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfText returns a byte slice that shares the memory of s.
func bytesOfText(s string) []byte {
	// Safety: the bytes are only hashed, or the string comes from stringOf, in the keyRoom of
	// AllBytes, and is not used as a string elsewhere. TestAllBytes.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// entryAt returns entry i of the directory that starts at address first.
func entryAt[T any](first *T, i uint64) T {
	// Safety: i is a hash shifted right by the directory's shift. Directory and shift belong to the
	// same state of the table: the caller has validated this, or holds the lock. TestViewsFit,
	// TestReadersMeetEveryChange.
	return *(*T)(unsafe.Add(unsafe.Pointer(first), uintptr(i)*unsafe.Sizeof(*first)))
}

// startOf returns the address of the first element of s, which may be empty.
func startOf[T any](s []T) *T {
	// Safety: only entryAt and bytesFrom dereference the result. TestViewsFit.
	return unsafe.SliceData(s)
}

// byteAt converts an address to a pointer that can be stored atomically, and addressOf converts it
// back.
func byteAt(a address) *byte { return (*byte)(a) }

func addressOf(p *byte) address {
	// Safety: p is a result of byteAt. TestViewsFit.
	return unsafe.Pointer(p)
}

// bytesFrom returns the n bytes that begin at start.
func bytesFrom(start *byte, n uint64) []byte {
	// Safety: start and n belong to one result of a heap's Memory, which can always be read.
	// TestViewsFit, TestReadersMeetEveryChange.
	return unsafe.Slice(start, n)
}

// baseOf returns the address of the memory of a region.
func baseOf(r *vmem.Region) address { return r.Pointer() }
