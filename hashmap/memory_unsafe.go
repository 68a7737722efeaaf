package hashmap

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// Only this file treats groups as memory of a region. A page's offset and size come from the
// directory, which OpenFile has checked or the Map itself has made.

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

// A textGroup holds slots with string keys: texts are the numbers of the strings in the heap.
type textGroup[V any] struct {
	control uint64
	texts   [slots]uint32
	values  [slots]V
}

// address is an address in memory.
type address = unsafe.Pointer

// groupAt returns group i of a page that starts at the given offset of the region.
func groupAt[K, V any](base address, at, i uint64) *group[K, V] {
	// Safety: the page has more than i groups, all of them committed memory; K and V have no
	// pointers. A group's size is a multiple of what aligns it, up to 8, and pages start at
	// multiples of 8. TestMapAgainstModel, TestHostileFiles.
	return (*group[K, V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(group[K, V]{})))
}

// textGroupAt implements groupAt for string keys.
func textGroupAt[V any](base address, at, i uint64) *textGroup[V] {
	// Safety: as for groupAt.
	return (*textGroup[V])(unsafe.Add(base, uintptr(at)+uintptr(i)*unsafe.Sizeof(textGroup[V]{})))
}

// controlAt returns the control word of group i, of groups of the given size.
func controlAt(base address, at, i, groupBytes uint64) *uint64 {
	// Safety: every group begins with one. TestMapAgainstModel.
	return (*uint64)(unsafe.Add(base, uintptr(at)+uintptr(i)*uintptr(groupBytes)))
}

// bytesAt returns committed bytes of the region.
func bytesAt(base address, at, size uint64) []byte {
	// Safety: callers name pages, or all bytes before the table's top. TestSaveAndOpen.
	return unsafe.Slice((*byte)(unsafe.Add(base, uintptr(at))), uintptr(size))
}

// bytesOfValue returns the bytes of a variable.
func bytesOfValue[T any](v *T) []byte {
	// Safety: the slice is read while v is there. TestBoolsOfFiles.
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

// wordBytes is the size of keys that wordOf accepts.
const wordBytes = 8

// wordOf returns the bits of a key of 8 bytes.
func wordOf[K any](k *K) uint64 {
	// Safety: callers have compared the size, and all bytes of the key count. TestMapAgainstModel,
	// under -d=checkptr=2.
	return *(*uint64)(unsafe.Pointer(k))
}

// textOf converts a key of string kind to a string, and keyOfText a string to such a key.
func textOf[K any](k *K) string {
	// Safety: K is of string kind, as the caller knows. TestNamedStrings.
	return *(*string)(unsafe.Pointer(k))
}

func keyOfText[K any](s string) (k K) {
	// Safety: as for textOf.
	*(*string)(unsafe.Pointer(&k)) = s
	return k
}

// stringOf converts bytes to a string without a copy.
func stringOf(b []byte) string {
	// Safety: callers have just made b on the Go heap, and write it no more or, of AllBytes, when
	// the string is gone. TestKeysAreCopies.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfText converts a string to bytes, which AllBytes yields.
func bytesOfText(s string) []byte {
	// Safety: the string is one of stringOf, in a room of AllBytes: nobody has it as a string.
	// TestAllBytes.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// entryAt returns an entry of a directory that starts at the address.
func entryAt[T any](first *T, i uint64) T {
	// Safety: i is a hash without as many bits as the directory's shift says, and the caller has
	// found that the two are of one moment. TestViewsFit, TestReadersMeetEveryChange.
	return *(*T)(unsafe.Add(unsafe.Pointer(first), uintptr(i)*unsafe.Sizeof(*first)))
}

// startOf returns the address of the first element of a slice, which may be empty.
func startOf[T any](s []T) *T {
	// Safety: it is read by entryAt and bytesFrom only. TestViewsFit.
	return unsafe.SliceData(s)
}

// byteAt converts an address to a pointer that can be shared, and addressOf converts it back.
func byteAt(a address) *byte { return (*byte)(a) }

func addressOf(p *byte) address {
	// Safety: it is what byteAt was given. TestViewsFit.
	return unsafe.Pointer(p)
}

// bytesFrom returns n bytes from start as a slice.
func bytesFrom(start *byte, n uint64) []byte {
	// Safety: start and n are a heap's Memory of one moment, which can be read for ever.
	// TestViewsFit, TestReadersMeetEveryChange.
	return unsafe.Slice(start, n)
}

// baseOf returns the address of the memory of a region.
func baseOf(r *vmem.Region) address { return r.Pointer() }
