package btree

import (
	"encoding/binary"

	"github.com/coppice-go/coppice/internal/texts"
)

// All strings of a leaf are in one block of the string heap, so that an iteration in key order
// reads memory sequentially. To keep the block small, the common prefix of the keys is stored only
// once, and the bytes that are in a key's word are not stored again.
//
//	key       https://example.org/a  1b2c3d4  e5f6
//	          start, of skip bytes   word     tail
//
//	block     length | start | tail | tail | tail of a removed key | tail |   room   |
//	places                     3      0                              1          (none for keys of at most seven more bytes)
//
// A tail is a length byte followed by that many bytes. A key of more than 255 bytes (longest) is
// stored separately, and its tail is the byte 255 followed by the heap reference of the key.
//
// The contents of a block are never overwritten while they may be read. New tails are appended;
// when the block is full, or the length of the prefix changes, a new block is allocated for the
// leaf (keep.go). A leaf and its copy can therefore share a block when the leaf was copied for a
// snapshot.

const (
	longest  = 255 // maximum length of a key whose tail is in the block
	longTail = 255 // length byte of the tail of a longer key
	longSize = 5   // size in bytes of the tail of a longer key
	mostSkip = 240 // maximum length of the common prefix; a long key thus always has a tail
)

// tailOf returns the tail of key i of a leaf; the key must be longer than its word. If the key is
// stored separately, tailOf instead returns its heap reference in long.
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

// startOf returns the common prefix of a leaf's keys, and false if the leaf is damaged.
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

// appendKey appends a key to text. The key consists of the prefix start, the bytes in the word w,
// and the tail.
func appendKey(text, start []byte, w uint64, tail []byte) []byte {
	text = append(text, start...)
	text = binary.BigEndian.AppendUint64(text, w)
	if isWhole(w) {
		return text[:len(text)-8+int(w&0xFF)]
	}
	return append(text[:len(text)-1], tail...)
}

// afterWord returns the bytes that follow the word's bytes in a string, for a node that leaves out
// skip bytes.
func afterWord(text []byte, skip uint32) []byte {
	return text[min(uint64(len(text)), uint64(skip)+wordBytes):]
}
