package btree

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// This is the only file that accesses the memory of nodes through pointers. view.node checks each
// node number before the number is converted to an address. Offsets within a node are checked
// against the shape of the node before they are used.

// A node is the address of a node in the region.
type node struct{ at unsafe.Pointer }

// A header is stored at the start of every node.
type header struct {
	epoch uint64 // epoch in which the node was made; in a free node, number of the next free node
	count uint16 // number of keys in the node
	level uint8  // 0 for a leaf, freeLevel for a free node
	open  uint8  // 1 if the node may be searched for keys without its common prefix (text.go)
	skip  uint32 // length of the common prefix of the keys, which their words omit
}

// freeLevel is the level in the header of a free node.
const freeLevel = 255

// A memory describes the memory that holds a map's nodes: the address of node 0, which is never
// used, and the number of nodes, including node 0.
type memory struct {
	base unsafe.Pointer
	top  uint32
}

// at returns the node with the given number, which must be less than top.
func (m *memory) at(s *shape, number uint32) node {
	// Safety: callers have checked that number is less than top, and all nodes before top are
	// committed. TestTreeAgainstModel, TestHostileFiles.
	return node{unsafe.Add(m.base, uintptr(number)*s.nodeBytes)}
}

func (n node) header() *header {
	// Safety: every node starts with a header, at a multiple of 64 bytes from the region's start.
	// TestShapes.
	return (*header)(n.at)
}

// keys64 returns the 8-byte words of the node; count is the capacity of the node.
func (n node) keys64(count int) []uint64 {
	// Safety: count is the capacity in the shape, whose arrays end inside the node. TestShapes.
	return unsafe.Slice((*uint64)(unsafe.Add(n.at, headerBytes)), count)
}

// word64 returns word i of a leaf; i must be less than leafCap.
func (n node) word64(i int) uint64 {
	// Safety: as for keys64. TestShapes.
	return *(*uint64)(unsafe.Add(n.at, headerBytes+8*uintptr(i)))
}

// keys32 is like keys64, for 4-byte words.
func (n node) keys32(count int) []uint32 {
	// Safety: as for keys64. TestShapes.
	return unsafe.Slice((*uint32)(unsafe.Add(n.at, headerBytes)), count)
}

// refs returns the heap references of the strings that are the keys of an inner node.
func (n node) refs(s *shape) []uint32 {
	// Safety: as for keys64. TestShapes.
	return unsafe.Slice((*uint32)(unsafe.Add(n.at, s.innerRefs)), s.innerCap)
}

// A block describes where the strings of a leaf are stored (leaf.go).
type block struct {
	ref   uint32 // heap reference of the block, 0 if there is none
	used  uint16 // number of bytes in use, counted from the start of the block
	waste uint16 // number of bytes in use that belong to removed keys
	start uint8  // offset of the strings in the block
	own   uint8  // 1 if the block was made for this node, 0 if for the node that this one copies
	_     [2]uint8
}

// block returns the block of a leaf with string keys.
func (n node) block(s *shape) *block {
	// Safety: a leaf has blockBytes bytes there, which is a multiple of 4. TestShapes.
	return (*block)(unsafe.Add(n.at, s.leafBlock))
}

// places returns the offset of each key's tail in the block of a leaf.
func (n node) places(s *shape) []uint16 {
	// Safety: as for keys64. TestShapes.
	return unsafe.Slice((*uint16)(unsafe.Add(n.at, s.leafPlaces)), s.leafCap)
}

// children returns the node numbers of an inner node's children.
func (n node) children(s *shape) []uint32 {
	// Safety: as for keys64. TestShapes.
	return unsafe.Slice((*uint32)(unsafe.Add(n.at, s.innerChildren)), s.innerCap+1)
}

// counts returns the number of entries below each child of an inner node, in a tree that has
// counts.
func (n node) counts(s *shape) []uint32 {
	// Safety: as for keys64. TestShapes.
	return unsafe.Slice((*uint32)(unsafe.Add(n.at, s.innerCounts)), s.innerCap+1)
}

// child returns the node number of child i of an inner node; i must be at most innerCap.
func (n node) child(s *shape, i int) uint32 {
	// Safety: i is at most the number of keys, which view.count has checked. TestShapes.
	return *(*uint32)(unsafe.Add(n.at, s.innerChildren+4*uintptr(i)))
}

// bytes returns size bytes of the node, beginning at the offset start.
func (n node) bytes(start, size uintptr) []byte {
	// Safety: callers take start and size from the shape. TestShapes.
	return unsafe.Slice((*byte)(unsafe.Add(n.at, start)), size)
}

// keyAt returns the address of key i of a node whose keys are compared by a function; i must be
// less than the capacity of the node.
func (n node) keyAt(s *shape, i int) unsafe.Pointer {
	// Safety: as for keys64. TestShapes.
	return unsafe.Add(n.at, headerBytes+uintptr(i)*s.keyBytes)
}

// keysOf returns the first end keys of a leaf that stores keys unchanged; end must be at most
// leafCap.
func keysOf[K any](n node, end int) []K {
	// Safety: K is an 8-byte unsigned integer or the type of keys compared by a function, and the
	// node has room for leafCap keys. TestShapes, TestTreeAgainstModel.
	return unsafe.Slice((*K)(unsafe.Add(n.at, headerBytes)), end)
}

// valueAt returns the address of value i of a leaf; i must be less than leafCap.
func valueAt[V any](n node, s *shape, i int) *V {
	// Safety: V has no pointer, and its size is valueBytes; leafValues is a multiple of 8, which
	// aligns every type. TestShapes.
	return (*V)(unsafe.Add(n.at, s.leafValues+uintptr(i)*s.valueBytes))
}

// valuesOf returns the first end values of a leaf; end must be at most leafCap.
func valuesOf[V any](n node, s *shape, end int) []V {
	// Safety: as for valueAt. TestShapes.
	return unsafe.Slice((*V)(unsafe.Add(n.at, s.leafValues)), end)
}

// sizeOf returns the size of a T in bytes.
func sizeOf[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// copyKey copies a key into a node, and comparedKey returns a pointer to a key in a node, for keys
// that are compared by a function.
func copyKey[K any](to unsafe.Pointer, k *K) {
	// Safety: keyAt's result is aligned for K and has room for it. TestShapes.
	*(*K)(to) = *k
}

func comparedKey[K any](at unsafe.Pointer) *K {
	// Safety: as for copyKey.
	return (*K)(at)
}

// An address points to a key in a node, in maps whose keys are compared by the user's function.
type address = unsafe.Pointer

// baseOf returns the address of node 0 in a region.
func baseOf(r *vmem.Region) unsafe.Pointer { return r.Pointer() }
