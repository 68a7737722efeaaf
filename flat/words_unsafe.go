package flat

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// stringOf is the bytes as a string, without a copy.
func stringOf(b []byte) string {
	// Safety: bytes of a tree's text never change: text is only appended to, no API hands it out,
	// and its memory is never used for another tree. TestStringsNeverChange.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOf is words as the bytes that they are in memory.
func bytesOf(w []uint32) []byte {
	// Safety: a word has four bytes, and bytes need no alignment. TestWordsAsBytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// wordsOf is bytes as the words that they are in memory. They must start at a multiple of 4.
func wordsOf(b []byte) []uint32 {
	if len(b) < 4 {
		return nil
	}
	// Safety: the caller has a mapping's bytes, which start at a page, and steps of 4 from there; a
	// file that changes under it gives other words, never other memory. TestWordsAsBytes.
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%4 != 0 {
		panic("flat.Schema.Open: bytes that are not aligned")
	}
	return unsafe.Slice((*uint32)(p), len(b)/4)
}

// bigEndian tells whether this machine has the high byte of a word first.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// swap turns little-endian words into the machine's, and back.
func swap(w []uint32) {
	if bigEndian {
		for i := range w {
			w[i] = bits.ReverseBytes32(w[i])
		}
	}
}
