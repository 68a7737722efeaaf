package flatimpl

import "math"

// These functions store values in the words that Builder.Add returned.

// Bit returns 1 for true and 0 for false.
func Bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// PutUint64 stores v in two words, the low one first.
func PutUint64(w []uint32, v uint64) { w[0], w[1] = uint32(v), uint32(v>>32) }

// CountWords returns the number of words that a count of n needs in addition to the header: 0 if
// the count fits in the header, whose first free bit has the index shift, and 1 otherwise.
func CountWords(n int, shift uint32) int {
	if uint64(n) >= uint64(allBits>>shift) {
		return 1
	}
	return 0
}

// PutCount stores the count of a record's first slice. The count is in the header or, if it does
// not fit there, after the fixed part. PutCount returns the words from the first item on.
func PutCount(w []uint32, fixed int, shift uint32, n int) []uint32 {
	if most := allBits >> shift; uint64(n) >= uint64(most) {
		w[0] |= most << shift
		w[fixed] = uint32(n)
		return w[fixed+1:]
	}
	w[0] |= uint32(n) << shift
	return w[fixed:]
}

// PackedWords returns the number of words that n 8-bit or 16-bit items take.
func PackedWords(n, bits int) int { return int(words(uint64(n), uint32(bits))) }

// ListWords is like PackedWords for the length of a slice. If n does not fit in 32 bits, it returns
// more words than a tree can have.
func ListWords(n, bits int) int {
	if uint64(n) > maxWords {
		return int(min(uint64(math.MaxInt), maxWords+1))
	}
	return PackedWords(n, bits)
}

// PutNested stores the position of a slice that is a field of a struct. It stores the count in the
// given word, and the distance to the first item in the next word. The parameter first is the index
// of the first item in w.
func PutNested(w []uint32, word, first, n int) { w[word], w[word+1] = uint32(n), uint32(first-word-1) }

// Room returns the total number of words that the slices in all items need. The function room
// returns this number for one item.
func Room[S any](items []S, room func(S) int) int {
	n := 0
	for _, item := range items {
		n += room(item)
	}
	return n
}

// Bytes is like Text for a byte slice.
func (b *Builder) Bytes(p []byte) uint32 { return b.Text(stringOf(p)) }

// InternBytes is like Intern for a byte slice.
func (b *Builder) InternBytes(p []byte) uint32 { return b.Intern(stringOf(p)) }
