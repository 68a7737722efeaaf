package btree

import "encoding/binary"

// The word of a string is the seven bytes after those that all strings of the node begin with, and
// how many there are: 0 to 7, or 8 for more. So words order as strings do where they differ, and
// two equal words of at most seven bytes are equal strings, whose texts nobody needs to read. That
// bytes of the key stand in the node, so that most comparisons touch nothing else, is "poor man's
// normalized keys" of Graefe and Larson (ICDE 2001); to leave out what all keys between two
// separators begin with is the prefix B-tree of Bayer and Unterauer (TODS 1977), and so are
// separators that are no longer than they must be.

// wordBytes is how many bytes of a string are in its word.
const wordBytes = 7

// textWord returns the word of a string in a node that leaves out skip bytes.
func textWord(s []byte, skip uint32) uint64 {
	if uint64(skip) > uint64(len(s)) { // in a damaged file only
		skip = uint32(len(s))
	}
	s = s[skip:]
	if len(s) > wordBytes {
		return binary.BigEndian.Uint64(s)&^0xFF | (wordBytes + 1)
	}
	w := uint64(len(s))
	for i, b := range s {
		w |= uint64(b) << (56 - 8*i)
	}
	return w
}

// isWhole says that the word is all of the string.
func isWhole(w uint64) bool { return w&0xFF <= wordBytes }

// separator returns the shortest start of right that is greater than left, which is less than
// right.
func separator(left, right []byte) []byte {
	return right[:min(common(left, right)+1, len(right))]
}

// common is how many bytes both begin with.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
