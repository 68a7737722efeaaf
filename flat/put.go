package flat

import "math"

// These functions put values into the words that Builder.Add returned.

// Bit is 1 for true. For generated packages.
func Bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// PutUint64 puts a number into two words, the low one first. For generated packages.
func PutUint64(w []uint32, v uint64) { w[0], w[1] = uint32(v), uint32(v>>32) }

// CountWords returns 1 if a count does not fit into the bits of a header from shift on, otherwise 0. For generated packages.
func CountWords(n int, shift uint32) int {
	if uint64(n) >= uint64(allBits>>shift) {
		return 1
	}
	return 0
}

// PutCount puts the count of a record's first slice into its header, or after its fixed part, and
// returns the words from the first item on. For generated packages.
func PutCount(w []uint32, fixed int, shift uint32, n int) []uint32 {
	if most := allBits >> shift; uint64(n) >= uint64(most) {
		w[0] |= most << shift
		w[fixed] = uint32(n)
		return w[fixed+1:]
	}
	w[0] |= uint32(n) << shift
	return w[fixed:]
}

// PackedWords returns how many words n items of 8 or 16 bits take. For generated packages.
func PackedWords(n, bits int) int { return int(words(uint64(n), uint32(bits))) }

// ListWords is PackedWords for a slice, whose count must be a number of 32 bits: of more items it is more words than
// a tree can have. For generated packages.
func ListWords(n, bits int) int {
	if uint64(n) > maxWords {
		return int(min(uint64(math.MaxInt), maxWords+1))
	}
	return PackedWords(n, bits)
}

// Bytes is Text for bytes. For generated packages.
func (b *Builder) Bytes(p []byte) uint32 { return b.Text(stringOf(p)) }

// InternBytes is Intern for bytes. For generated packages.
func (b *Builder) InternBytes(p []byte) uint32 { return b.Intern(stringOf(p)) }
