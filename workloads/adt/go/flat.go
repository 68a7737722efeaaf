package main

import (
	"runtime"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/adt/go/nodeflat"
)

// inFlat keeps each tree as a flat tree, in new memory or in the memory of the previous round.
type inFlat struct {
	reused       bool
	builder      *nodeflat.Builder
	tree, copied nodeflat.Tree
}

// generateFlat builds children before their parent, as flat trees require.
func generateFlat(b *nodeflat.Builder, depth int, leaf *uint32) nodeflat.Node {
	if depth == 1 {
		*leaf++
		return b.Leaf(leafValue(*leaf - 1))
	}
	left := generateFlat(b, depth-1, leaf)
	right := generateFlat(b, depth-1, leaf)
	return b.Inner(left, right)
}

func (t *inFlat) generate(depth int) (err error) {
	if t.builder == nil {
		t.builder = nodeflat.NewBuilder(flat.BuilderOptions{Nodes: 1<<depth - 1})
	}
	var leaf uint32
	t.tree, err = t.builder.Finish(generateFlat(t.builder, depth, &leaf))
	return err
}

func (t *inFlat) copy() error {
	if t.copied.Flat() == nil {
		t.copied = t.tree.Clone()
	} else {
		t.copied = t.tree.CloneInto(t.copied)
	}
	return nil
}

func (t *inFlat) check() (tree, copied checksum) {
	tree, copied = newChecksum(), newChecksum()
	sumFlat(t.tree.Root(), &tree)
	sumFlat(t.copied.Root(), &copied)
	return tree, copied
}

func sumFlat(n nodeflat.Node, c *checksum) {
	if n.Kind() == nodeflat.KindLeaf {
		c.leaf(n.AsLeaf().Value())
		return
	}
	c.nodes++
	inner := n.AsInner()
	sumFlat(inner.Left(), c)
	sumFlat(inner.Right(), c)
}

// destroy keeps the memory of both trees for the next round if memory is reused. Otherwise a
// collection frees both trees.
func (t *inFlat) destroy() error {
	if t.reused {
		t.builder.Reuse(t.tree)
		return nil
	}
	t.tree.Free()
	t.copied.Free()
	*t = inFlat{}
	runtime.GC()
	return nil
}
