package cache

import (
	"sync/atomic"
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// wordsIn returns the first n words of a region, committed or not.
func wordsIn(r *vmem.Region, n uint64) []atomic.Uint64 {
	// Safety: an atomic.Uint64 is 8 bytes without a pointer; the region has 8*n bytes of address
	// space, starts at a multiple of 64 and stays reserved. Words that are not committed fault; a
	// shard touches only committed ones. TestAgainstModel.
	return unsafe.Slice((*atomic.Uint64)(r.Pointer()), n)
}

// slotsIn returns the first n slots of the region of an index, committed or not.
func slotsIn(r *vmem.Region, n uint64) []uint64 {
	// Safety: as in wordsIn. TestAgainstModel.
	return unsafe.Slice((*uint64)(r.Pointer()), n)
}

// bytesIn returns the first n bytes of a region, committed or not.
func bytesIn(r *vmem.Region, n uint64) []byte {
	// Safety: as in wordsIn. TestAgainstModel.
	return unsafe.Slice((*byte)(r.Pointer()), n)
}

// halves returns words as twice as many 32-bit halves.
func halves(words []uint64) []uint32 {
	// Safety: the slice has that many bytes, aligned to 8, without pointers. TestGhost.
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
	// Safety: T has that many bytes. TestConformance.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// fill sets a T of fixed size to the bytes b, which must have that size.
func fill[T any](v *T, b []byte) {
	// Safety: T has no pointer, and the bytes were copied from another T. TestConformance.
	copy(unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)), b)
}

// fillText sets a T of string kind to a copy of the bytes.
func fillText[T any](v *T, b []byte) {
	// Safety: the kind of T is string, as setForm has checked. TestNamedTypes.
	*(*string)(unsafe.Pointer(v)) = string(b)
}

// fillBytes sets a T of []byte kind to a non-nil copy of the bytes.
func fillBytes[T any](v *T, b []byte) {
	// Safety: the kind of T is []byte, as setForm has checked. TestNamedTypes.
	*(*[]byte)(unsafe.Pointer(v)) = append(make([]byte, 0, len(b)), b...)
}

// sameText reports whether a key of string kind equals the bytes.
func sameText[T any](k *T, b []byte) bool {
	// Safety: the kind of T is string, as setForm has checked. TestNamedTypes.
	return *(*string)(unsafe.Pointer(k)) == string(b)
}
