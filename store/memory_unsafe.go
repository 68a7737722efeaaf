package store

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// slotsOf returns the memory of a region as n slots of type T, including slot 0. Slots need not be
// committed.
func slotsOf[T any](r *vmem.Region, n int) []T {
	// Safety: T contains no pointers (checkRecord), the region has n*sizeof(T) bytes, starts at a
	// multiple of 8 and stays mapped until the process ends. Slots that are not committed fault;
	// space never allocates such a slot. TestSlotsAreAlignedAndApart.
	return unsafe.Slice((*T)(r.Pointer()), n)
}

// bytesOf returns the bytes of the region from start to end, which must be committed.
func bytesOf(r *vmem.Region, start, end uintptr) []byte {
	// Safety: start <= end <= r.Committed(), by space's invariants.
	// TestStoreAgainstModel.
	return unsafe.Slice((*byte)(unsafe.Add(r.Pointer(), start)), end-start)
}
