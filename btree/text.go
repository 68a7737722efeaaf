package btree

import "encoding/binary"

// The word of a string consists of the seven bytes after the common prefix of all strings of the
// node, and of the number of these bytes: 0 to 7, or 8 for more. Words that differ are therefore
// ordered like the strings. Two equal words of at most seven bytes belong to equal strings, so that
// no other bytes need be read. Storing bytes of the key in the node, so that most comparisons read
// nothing else, is the technique of "poor man's normalized keys" of Graefe and Larson (ICDE 2001).
// Leaving out the common prefix of all keys between two separators, and choosing separators of
// minimal length, are techniques of the prefix B-tree of Bayer and Unterauer (TODS 1977).

// wordBytes is the number of bytes of a string in its word.
const wordBytes = 7

// textWord returns the word of a string in a node that leaves out skip bytes.
func textWord(s []byte, skip uint32) uint64 {
	if uint64(skip) > uint64(len(s)) { // only in a damaged file
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

// isWhole reports whether the word contains the whole string.
func isWhole(w uint64) bool { return w&0xFF <= wordBytes }

// separator returns the shortest prefix of right that is greater than left. left must be less than
// right.
func separator(left, right []byte) []byte {
	return right[:min(common(left, right)+1, len(right))]
}

// common returns the length of the common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
