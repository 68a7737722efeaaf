package btree

import (
	"fmt"
	"math"
)

// A mode determines how the keys of a map are stored in its nodes and ordered.
type mode uint8

// In most modes, each key is represented by a word, which is an unsigned integer. Words are ordered
// like the keys that they represent (word_unsafe.go). The word of a string consists of its first
// bytes (text.go).
const (
	words32  mode = iota // 4-byte words: integers and floats of at most 4 bytes
	words64              // 8-byte words: other integers and floats
	stringed             // 8-byte words and references to strings, ordered by the strings' bytes
	compared             // the keys themselves, ordered by the user's function
)

// nodeBytes is the size of a node in bytes. docs/decisions/0031 has measurements for half and twice
// the size.
const nodeBytes = 1024

// These constants limit the number of entries in a node. A tree is inefficient if its leaves hold
// fewer than leastEntries, so nodes are larger if values are large. With more than mostEntries, the
// search in a node would take longer than the descent to one more level.
const (
	leastEntries = 16
	mostEntries  = 120
)

// headerBytes is the size, in bytes, of the header at the start of every node.
const headerBytes = 16

// blockBytes is the size, in bytes, of the block struct in a leaf with string keys.
const blockBytes = 12

// maxHeight is the maximum number of levels of inner nodes. A tree of 2^32 nodes in which each
// inner node has eight children has eleven levels. The limit is larger because inner nodes of a
// tree that shrinks can have fewer children.
const maxHeight = 24

// A shape is the layout of a map's nodes. A node stores its keys in one array and its values in
// another, so that a search reads only keys. All offsets and sizes are in bytes.
//
//	leaf    header | keys [leafCap]  | block of texts | places [leafCap] | values   [leafCap]
//	inner   header | keys [innerCap] | texts [innerCap]                  | children [innerCap+1] | counts [innerCap+1]
//
// Counts are present only if Options.Ranked is set (counts.go). Blocks, places and texts are
// present only if keys are strings (leaf.go).
//
// Key i of an inner node separates child i from child i+1: all keys below child i are less than key
// i, and all keys below child i+1 are greater or equal.
type shape struct {
	mode       mode
	nodeBytes  uintptr
	keyBytes   uintptr // size of a word, or of a K that is compared by a function
	refBytes   uintptr // size of a string's heap reference in an inner node: 4 or 0
	placeBytes uintptr // size of a string's offset in a leaf's block: 2 or 0
	valueBytes uintptr
	ranked     bool // whether inner nodes count the entries below each child
	texted     bool // whether values are heap references of strings that one entry owns (value.go)
	leafCap    int
	innerCap   int

	leafBlock, leafPlaces, leafValues uintptr
	innerRefs, innerChildren          uintptr
	innerCounts                       uintptr
}

// shapeOf computes the layout for keys and values of the given sizes.
func shapeOf(m mode, keyBytes, valueBytes uintptr, ranked bool) (shape, error) {
	s := shape{mode: m, keyBytes: keyBytes, valueBytes: valueBytes, nodeBytes: nodeBytes, ranked: ranked}
	child := uintptr(4) // size of a child's node number
	if ranked {
		child += 4 // size of the child's entry count
	}
	head := uintptr(0) // size of the block struct, which follows the keys of a leaf
	switch m {
	case words32:
		s.keyBytes = 4
	case words64:
		s.keyBytes = 8
	case stringed:
		s.keyBytes, s.refBytes, s.placeBytes, head = 8, 4, 2, blockBytes
	}
	entry := s.keyBytes + s.placeBytes + s.valueBytes
	if entry > math.MaxInt32/(2*leastEntries) {
		return s, fmt.Errorf("an entry of %d bytes does not fit into a node; keep large values in a store.Store and their Ref here", entry)
	}
	slack := headerBytes + head + 16 // the 16 bytes are for the alignment of the arrays
	s.nodeBytes = max(s.nodeBytes, roundUp(slack+leastEntries*entry, 64), roundUp(slack+leastEntries*(s.keyBytes+s.refBytes+child), 64))
	s.leafCap = int(min((s.nodeBytes-slack)/entry, mostEntries))
	s.innerCap = int(min((s.nodeBytes-headerBytes-16-child)/(s.keyBytes+s.refBytes+child), mostEntries))
	s.leafBlock = headerBytes + roundUp(uintptr(s.leafCap)*s.keyBytes, 4)
	s.leafPlaces = s.leafBlock + head
	s.leafValues = roundUp(s.leafPlaces+uintptr(s.leafCap)*s.placeBytes, 8)
	s.innerRefs = headerBytes + roundUp(uintptr(s.innerCap)*s.keyBytes, 4)
	s.innerChildren = s.innerRefs + uintptr(s.innerCap)*s.refBytes
	s.innerCounts = s.innerChildren + 4*uintptr(s.innerCap+1)
	return s, nil
}

func roundUp(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }

// capOf returns the maximum number of keys in a leaf or in an inner node.
func (s *shape) capOf(leaf bool) int {
	if leaf {
		return s.leafCap
	}
	return s.innerCap
}

// An array describes an array in a node: its offset from the start of the node, and its element
// size, both in bytes.
type array struct{ start, size uintptr }

// arrays returns the arrays that hold the entries of a leaf, or the keys of an inner node and the
// child after each key.
func (s *shape) arrays(leaf bool) [3]array {
	if leaf {
		return [3]array{{headerBytes, s.keyBytes}, {s.leafPlaces, s.placeBytes}, {s.leafValues, s.valueBytes}}
	}
	return [3]array{{headerBytes, s.keyBytes}, {s.innerRefs, s.refBytes}, {s.innerChildren + 4, 4}}
}
