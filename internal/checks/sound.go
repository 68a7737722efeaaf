package checks

import (
	"bytes"
	"slices"
)

// Misused describes the likely cause of a broken invariant, for messages about invariants that a
// write to memory does not explain.
const Misused = "the most likely cause is use by two goroutines without a lock, or use of a copy"

// MustHold panics if broken is not nil, which means that an allocator's verify found a broken
// invariant. The panic message begins with where, the name of the caller.
func MustHold(where string, broken error) {
	if broken != nil {
		panic(where + ": " + broken.Error())
	}
}

// zeros is a block of zero bytes with which NonZeroByte compares memory.
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
