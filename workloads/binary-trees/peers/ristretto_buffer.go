package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/dgraph-io/ristretto/v2/z"
)

// zBufferNode is the size of a node in bytes: the offsets of its children occupy 4 bytes each.
const zBufferNode = 8

// zBuffer appends the nodes of a tree to a z.Buffer, links them by their offsets, and resets it
// after every tree. Offset 0 is never handed out. The buffer moves when it grows, but offsets
// stay valid.
type zBuffer struct{ nodes *z.Buffer }

func newZBuffer(nodes uint64) (worker, error) {
	if nodes > math.MaxUint32/zBufferNode {
		return nil, fmt.Errorf("a tree of %d nodes has offsets of more than 32 bits; choose a depth of at most 27", nodes)
	}
	return &zBuffer{z.NewBuffer(64<<10, "binary-trees")}, nil
}

func (b *zBuffer) build(depth int) uint32 {
	at := b.nodes.AllocateOffset(zBufferNode)
	var left, right uint32
	if depth > 0 {
		left, right = b.build(depth-1), b.build(depth-1)
	}
	links := b.nodes.Data(at)
	binary.LittleEndian.PutUint32(links, left)
	binary.LittleEndian.PutUint32(links[4:], right)
	return uint32(at)
}

func (b *zBuffer) countFrom(at uint32) int {
	links := b.nodes.Data(int(at))
	left := binary.LittleEndian.Uint32(links)
	if left == 0 {
		return 1
	}
	return 1 + b.countFrom(left) + b.countFrom(binary.LittleEndian.Uint32(links[4:]))
}

func (b *zBuffer) count(depth int) int {
	nodes := b.countFrom(b.build(depth))
	b.nodes.Reset()
	return nodes
}

func (b *zBuffer) keep(depth int) func() int {
	root := b.build(depth)
	return func() int { return b.countFrom(root) }
}

// Close drops the buffer.
func (b *zBuffer) Close() error { return b.nodes.Release() }
