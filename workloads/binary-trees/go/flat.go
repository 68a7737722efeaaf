package binarytrees

import (
	"fmt"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/binary-trees/go/nodeflat"
)

// inFlat builds flat trees, one after another in the same memory. The Builder keeps capacity for
// the deepest tree so far.
type inFlat struct {
	builder *nodeflat.Builder
	depth   int
}

// greatestFlat is the maximum depth of a flat tree: a tree of depth d has 2^(d+2) words, and
// the number of words must fit in 32 bits.
const greatestFlat = 29

func newFlat(s Shape) (worker, error) {
	if s.max+1 > greatestFlat {
		return nil, fmt.Errorf("flat trees end at depth %d, which the stretch tree exceeds; take a depth up to %d", greatestFlat, greatestFlat-1)
	}
	return &inFlat{depth: -1}, nil
}

// buildFlat creates the children first, because a record refers only to earlier records.
func buildFlat(b *nodeflat.Builder, depth int) nodeflat.Node {
	if depth == 0 {
		return b.Leaf()
	}
	left := buildFlat(b, depth-1)
	right := buildFlat(b, depth-1)
	return b.Inner(left, right)
}

func countFlat(n nodeflat.Node) int {
	if n.Kind() == nodeflat.KindLeaf {
		return 1
	}
	inner := n.AsInner()
	return 1 + countFlat(inner.Left()) + countFlat(inner.Right())
}

func (f *inFlat) tree(depth int) nodeflat.Tree {
	if depth > f.depth {
		f.builder = nodeflat.NewBuilder(flat.BuilderOptions{Nodes: 2<<depth - 1})
		f.depth = depth
	}
	tree, err := f.builder.Finish(buildFlat(f.builder, depth))
	if err != nil {
		panic(err) // impossible: newFlat refuses larger trees
	}
	return tree
}

func (f *inFlat) count(depth int) int {
	tree := f.tree(depth)
	nodes := countFlat(tree.Root())
	f.builder.Reuse(tree)
	return nodes
}

func (f *inFlat) keep(depth int) func() int {
	tree := f.tree(depth)
	return func() int { return countFlat(tree.Root()) }
}
