package btree

import "encoding/binary"

// The word of a string has eight bytes. The first seven are the bytes that follow the prefix shared
// by all strings in the node. The eighth is the number of bytes that follow the prefix: 0 to 7, or
// 8 if there are more than seven. If two words differ, they are therefore ordered like their
// strings. If two words are equal and their last byte is at most 7, the strings are equal, and no
// other bytes need to be read. Most comparisons therefore read only the bytes in the words, which
// Graefe and Larson call "poor man's normalized keys" (ICDE 2001). Two other techniques are from
// the prefix B-tree of Bayer and Unterauer (TODS 1977): nodes leave out the common prefix of all
// keys between two separators, and separators have minimal length.

// wordBytes is the number of bytes of a string that its word contains.
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

// isWhole reports whether a word contains all bytes of its string that follow the common prefix.
func isWhole(w uint64) bool { return w&0xFF <= wordBytes }

// separator returns the shortest prefix of right that is greater than left. left must be less than
// right.
func separator(left, right []byte) []byte {
	return right[:min(common(left, right)+1, len(right))]
}

// common returns the length of the common prefix of a and b.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
