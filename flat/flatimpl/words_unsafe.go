package flatimpl

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// stringOf returns the bytes as a string, without copying them.
func stringOf(b []byte) string {
	// Safety: the bytes of a tree's text never change: text is only appended to, no function
	// returns it, and its memory is not reused for another tree. TestStringsNeverChange.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOf returns the words as bytes, in memory order.
func bytesOf(w []uint32) []byte {
	// Safety: a word has four bytes, and bytes have no alignment requirement. TestWordsAsBytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// wordsOf returns the bytes as words, in memory order. The bytes must be aligned to 4.
func wordsOf(b []byte, where string) []uint32 {
	if len(b) < 4 {
		return nil
	}
	// Safety: the bytes are aligned, or wordsOf panics. They belong to a mapping, or to the Go
	// heap, where the result keeps them alive. If a mapped file changes, the words change, but not
	// which memory is read. TestWordsAsBytes, TestFileWords.
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%4 != 0 {
		panic(where + ": bytes that are not aligned")
	}
	return unsafe.Slice((*uint32)(p), len(b)/4)
}

// aligned reports whether the bytes are aligned to 4, so that they can be converted to words.
func aligned(b []byte) bool {
	// Safety: the address is only compared, and no memory is read through it. TestFileWords.
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%4 == 0
}

// bigEndian reports whether the machine is big-endian.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// swap converts words between little-endian and the machine's byte order.
func swap(w []uint32) {
	if bigEndian {
		for i := range w {
			w[i] = bits.ReverseBytes32(w[i])
		}
	}
}
