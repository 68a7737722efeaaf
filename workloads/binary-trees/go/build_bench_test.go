package binarytrees

import (
	"testing"

	"github.com/coppice-go/coppice/store"
)

// BenchmarkBuild compares ways to build a tree by plain recursion, in ns per node: in a store, in a
// slice with the next index in a struct, and in a slice with a cursor that is passed by value and
// so stays in registers.
func BenchmarkBuild(b *testing.B) {
	const depth, nodes = 20, 2 << 20
	inStore, err := store.New[indexedNode](store.Options{Max: nodes})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := inStore.Close(); err != nil {
			b.Error(err)
		}
	}()
	records := make([]indexedNode, nodes)
	for _, way := range []struct {
		name  string
		build func() // also empties the memory for the next iteration
	}{
		{"store", func() { buildIndexedPlain(inStore, depth); inStore.Reset() }},
		{"store-children-first", func() { buildChildrenFirst(inStore, depth); inStore.Reset() }},
		{"slice", func() { (&sliceOfNodes{records: records}).build(depth); clear(records) }},
		{"cursor", func() { buildByCursor(cursor{records: records}, depth); clear(records) }},
	} {
		b.Run("way="+way.name, func(b *testing.B) {
			for b.Loop() {
				way.build()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(nodes-1), "ns/node")
		})
	}
}

// buildChildrenFirst builds the children before their parent, so that each node is written once,
// with its links.
func buildChildrenFirst(nodes *store.Store[indexedNode], depth int) store.Ref[indexedNode] {
	var n indexedNode
	if depth > 0 {
		n.left = buildChildrenFirst(nodes, depth-1)
		n.right = buildChildrenFirst(nodes, depth-1)
	}
	return nodes.Alloc(n)
}

// sliceOfNodes is a hand-written store whose only checks are the bounds checks of the language.
type sliceOfNodes struct {
	records []indexedNode
	last    store.Ref[indexedNode]
}

func (s *sliceOfNodes) build(depth int) store.Ref[indexedNode] {
	s.last++
	root := s.last
	n := &s.records[root]
	if depth > 0 {
		n.left = s.build(depth - 1)
		n.right = s.build(depth - 1)
	}
	return root
}

// A cursor is the slice of nodes and the index of the last node that is in use.
type cursor struct {
	records []indexedNode
	last    store.Ref[indexedNode]
}

func buildByCursor(c cursor, depth int) (cursor, store.Ref[indexedNode]) {
	c.last++
	root := c.last
	n := &c.records[root]
	if depth > 0 {
		c, n.left = buildByCursor(c, depth-1)
		c, n.right = buildByCursor(c, depth-1)
	}
	return c, root
}
