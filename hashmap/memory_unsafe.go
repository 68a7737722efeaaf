package hashmap

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// This file is all that knows that groups are memory of a region. A page's place and size come from
// the directory, which OpenFile has checked or the Map itself has made.

// A group is slots of keys of fixed size.
type group[K, V any] struct {
	control uint64
	slots   [slots]slot[K, V]
}

// A slot has one entry.
type slot[K, V any] struct {
	key   K
	value V
}

// A textGroup is slots of keys that are strings: texts are their numbers in the heap.
type textGroup[V any] struct {
	control uint64
	texts   [slots]uint32
	values  [slots]V
}

// address is a place in memory.
type address = unsafe.Pointer

// groupAt returns a group of a page that starts at a byte of the region.
func groupAt[K, V any](base address, at, i uint64) *group[K, V] {
	// Safety: the page has more than i groups, all of them committed memory; K and V have no
	// pointers. A group's size is a multiple of what aligns it, up to 8, and pages start at
	// multiples of 8. TestMapAgainstModel, TestHostileFiles.
	return (*group[K, V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(group[K, V]{})))
}

// textGroupAt is the same for keys that are strings.
func textGroupAt[V any](base address, at, i uint64) *textGroup[V] {
	// Safety: as for groupAt.
	return (*textGroup[V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(textGroup[V]{})))
}

// controlAt returns the control word of a group of so many bytes.
func controlAt(base address, at, i, groupBytes uint64) *uint64 {
	// Safety: every group begins with one. TestMapAgainstModel.
	return (*uint64)(unsafe.Add(base, uintptr(at)+uintptr(i)*uintptr(groupBytes)))
}

// bytesAt returns bytes of the region, which are memory.
func bytesAt(base address, at, size uint64) []byte {
	// Safety: callers name pages, or all bytes before the table's top. TestSaveAndOpen.
	return unsafe.Slice((*byte)(unsafe.Add(base, uintptr(at))), uintptr(size))
}

// bytesOfValue returns the bytes of a variable.
func bytesOfValue[T any](v *T) []byte {
	// Safety: the slice is read while v is there. TestBoolsOfFiles.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// sizeOf is the size of a T.
func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// groupBytes is the size of a group.
func groupBytes[K, V any](text bool) uint64 {
	if text {
		return uint64(unsafe.Sizeof(textGroup[V]{}))
	}
	return uint64(unsafe.Sizeof(group[K, V]{}))
}

// wordBytes is the size of keys that wordOf takes.
const wordBytes = 8

// wordOf is the bits of a key of 8 bytes.
func wordOf[K any](k *K) uint64 {
	// Safety: callers have compared the size, and all bytes of the key count. TestMapAgainstModel,
	// under -d=checkptr=2.
	return *(*uint64)(unsafe.Pointer(k))
}

// textOf is a key of string kind as a string, and keyOfText a string as such a key.
func textOf[K any](k *K) string {
	// Safety: K is of string kind, as the caller knows. TestNamedStrings.
	return *(*string)(unsafe.Pointer(k))
}

func keyOfText[K any](s string) (k K) {
	// Safety: as for textOf.
	*(*string)(unsafe.Pointer(&k)) = s
	return k
}

// stringOf is bytes as a string without a copy.
func stringOf(b []byte) string {
	// Safety: callers have just made b on the Go heap, and write it no more or, of AllBytes, when
	// the string is gone. TestKeysAreCopies.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfText is a string as bytes, which the user of AllBytes gets.
func bytesOfText(s string) []byte {
	// Safety: the string is one of stringOf, in a room of AllBytes: nobody has it as a string.
	// TestAllBytes.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// entryAt returns an entry of a directory that starts there.
func entryAt[T any](first *T, i uint64) T {
	// Safety: i is a hash without as many bits as the directory's shift says, and the caller has
	// found that the two are of one moment. TestViewsFit, TestReadersMeetEveryChange.
	return *(*T)(unsafe.Add(unsafe.Pointer(first), uintptr(i)*unsafe.Sizeof(*first)))
}

// startOf is the first of a slice, which may be empty.
func startOf[T any](s []T) *T {
	// Safety: it is read by entryAt and bytesFrom only. TestViewsFit.
	return unsafe.SliceData(s)
}

// byteAt and addressOf are an address as a pointer that can be shared, and that again.
func byteAt(a address) *byte { return (*byte)(a) }

func addressOf(p *byte) address {
	// Safety: it is what byteAt was given. TestViewsFit.
	return unsafe.Pointer(p)
}

// bytesFrom is so many bytes as a slice.
func bytesFrom(start *byte, n uint64) []byte {
	// Safety: start and n are a heap's Memory of one moment, which can be read for ever.
	// TestViewsFit, TestReadersMeetEveryChange.
	return unsafe.Slice(start, n)
}

// baseOf is where the memory of a region starts.
func baseOf(r *vmem.Region) address { return r.Pointer() }
