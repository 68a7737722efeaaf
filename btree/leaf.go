package btree

import (
	"encoding/binary"

	"github.com/coppice-go/coppice/internal/texts"
)

// The texts of a leaf are together in one block of the heap of texts, so that whoever reads the
// keys in order reads memory in order, and few bytes of it: what all begin with is there once, and
// what is in the words not at all.
//
//	key       https://example.org/a  1b2c3d4  e5f6
//	          start, of skip bytes   word     tail
//
//	block     length | start | tail | tail | tail of a key that is gone | tail |   room   |
//	places                     3      0                                   1           (keys of at most seven bytes more have none)
//
// A tail is a byte with its length and so many bytes. A key of more than longest bytes is a text of
// its own, and its tail is the byte 255 and the number of that text.
//
// What is in a block is never written again as long as somebody may read it: tails are appended,
// and when there is no room, or skip changes, the leaf gets another block (keep.go). So a leaf that
// was copied for a snapshot shares its block with the copy.

const (
	longest  = 255 // bytes of a key whose tail is in the block
	longTail = 255 // the length of other tails
	longSize = 5   // and the bytes that they take
	mostSkip = 240 // bytes that keys of a leaf leave out, so that a long one has a tail
)

// tailOf returns the tail of key i of a leaf, whose word is not whole, and the number of its text
// if it has one of its own.
func tailOf(h *texts.Heap, s *shape, n node, i int) (tail []byte, long uint32, ok bool) {
	at := h.From(n.block(s).ref, int(n.places(s)[i]))
	if len(at) == 0 {
		return nil, 0, false
	}
	if size := int(at[0]); size < longTail {
		if size >= len(at) {
			return nil, 0, false
		}
		return at[1 : 1+size], 0, true
	}
	return longTailOf(h, n, at)
}

func longTailOf(h *texts.Heap, n node, at []byte) (tail []byte, long uint32, ok bool) {
	if len(at) < longSize {
		return nil, 0, false
	}
	long = binary.LittleEndian.Uint32(at[1:])
	key, ok := h.Bytes(long)
	return key[min(uint64(len(key)), uint64(n.header().skip)+wordBytes):], long, ok
}

// startOf returns what all keys of a leaf begin with and leave out.
func startOf(h *texts.Heap, s *shape, n node) ([]byte, bool) {
	skip := uint64(n.header().skip)
	if skip == 0 {
		return nil, true
	}
	b := n.block(s)
	at := h.From(b.ref, int(b.start))
	if uint64(len(at)) < skip {
		return nil, false
	}
	return at[:skip], true
}

// appendKey appends a key to text, of its start, its word and its tail.
func appendKey(text, start []byte, w uint64, tail []byte) []byte {
	text = append(text, start...)
	text = binary.BigEndian.AppendUint64(text, w)
	if isWhole(w) {
		return text[:len(text)-8+int(w&0xFF)]
	}
	return append(text[:len(text)-1], tail...)
}

// afterWord is what is behind the word of a text in a node that leaves out skip bytes.
func afterWord(text []byte, skip uint32) []byte {
	return text[min(uint64(len(text)), uint64(skip)+wordBytes):]
}
