package checks

import (
	"bytes"
	"slices"
)

// Misused describes the likely cause of a broken invariant. It is part of messages about invariants
// that stray writes to memory cannot break.
const Misused = "the most likely cause is use by two goroutines without a lock, or use of a copy"

// MustHold panics if broken, the error from an allocator's verify method, is not nil. The argument
// where is the name of the caller, with which the panic message begins.
func MustHold(where string, broken error) {
	if broken != nil {
		panic(where + ": " + broken.Error())
	}
}

// zeros is a block of zero bytes that NonZeroByte compares with memory.
var zeros [4 << 10]byte

// NonZeroByte returns the index of the first byte that is not zero, or -1 if all are zero.
func NonZeroByte(b []byte) int {
	for start := 0; start < len(b); start += len(zeros) {
		piece := b[start:min(start+len(zeros), len(b))]
		if !bytes.Equal(piece, zeros[:len(piece)]) {
			return start + slices.IndexFunc(piece, func(b byte) bool { return b != 0 })
		}
	}
	return -1
}
