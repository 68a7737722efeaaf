package cache

import (
	"sync/atomic"
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// wordsIn returns the first n words of a region, committed or not.
func wordsIn(r *vmem.Region, n uint64) []atomic.Uint64 {
	// Safety: an atomic.Uint64 has 8 bytes and no pointers; the region has 8*n bytes of address
	// space, starts at a multiple of 64 and stays reserved. An access to a word that is not
	// committed faults; a shard accesses only committed words. TestAgainstModel.
	return unsafe.Slice((*atomic.Uint64)(r.Pointer()), n)
}

// slotsIn returns the first n slots in the region r of an index, committed or not.
func slotsIn(r *vmem.Region, n uint64) []uint64 {
	// Safety: as in wordsIn. TestAgainstModel.
	return unsafe.Slice((*uint64)(r.Pointer()), n)
}

// bytesIn returns the first n bytes of a region, committed or not.
func bytesIn(r *vmem.Region, n uint64) []byte {
	// Safety: as in wordsIn. TestAgainstModel.
	return unsafe.Slice((*byte)(r.Pointer()), n)
}

// halves converts a slice of 64-bit words to a slice of 32-bit words that uses the same memory.
func halves(words []uint64) []uint32 {
	// Safety: 2*len(words) 32-bit words have as many bytes as the slice, which is aligned to 8 and
	// has no pointers. TestGhost.
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
}

// bytesOf returns the bytes of a key or a value without copying them. If text is true, T is a
// string or []byte type, and the result is its contents; otherwise the result is the memory of the
// T itself. The bytes must not be written if T is a string, and must be read only while the caller
// keeps v alive.
func bytesOf[T any](v *T, text bool) []byte {
	if text {
		// Safety: the kind of T is string or []byte, as setForm has checked; both begin with a
		// pointer and a length, and the bytes of a string are only read. TestNamedTypes.
		s := *(*string)(unsafe.Pointer(v))
		return unsafe.Slice(unsafe.StringData(s), len(s))
	}
	// Safety: a T has unsafe.Sizeof(*v) bytes. TestConformance.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// fill sets v, which has a fixed size, to the bytes b. The length of b must be the size of T.
func fill[T any](v *T, b []byte) {
	// Safety: T has no pointer, and the bytes were copied from another T. TestConformance.
	copy(unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)), b)
}

// fillText sets v, which has a string type, to a copy of the bytes.
func fillText[T any](v *T, b []byte) {
	// Safety: the kind of T is string, as setForm has checked. TestNamedTypes.
	*(*string)(unsafe.Pointer(v)) = string(b)
}

// fillBytes sets v, which has a byte slice type, to a non-nil copy of the bytes.
func fillBytes[T any](v *T, b []byte) {
	// Safety: the kind of T is []byte, as setForm has checked. TestNamedTypes.
	*(*[]byte)(unsafe.Pointer(v)) = append(make([]byte, 0, len(b)), b...)
}

// sameText reports whether a key of a string type equals the bytes.
func sameText[T any](k *T, b []byte) bool {
	// Safety: the kind of T is string, as setForm has checked. TestNamedTypes.
	return *(*string)(unsafe.Pointer(k)) == string(b)
}
