package flat_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// BenchmarkEdit measures a pass that edits one node in a hundred in place, and compares it with
// copying the tree: to new memory, to existing memory, node by node with a Builder, and as a tree
// of pointers. The lower bound, form=touch, only increments the same number of words in a slice. An
// edit sets a scalar of a node, gives the node a new leaf as a child, or inserts a new node between
// the node and a child. The nodes are chosen before the pass. Edited trees have room for more
// nodes.
func BenchmarkEdit(b *testing.B) {
	tree := buildFlat(bigDepth)
	nodes := tree.NumNodes()
	b.Run("form=clone", func(b *testing.B) {
		for b.Loop() {
			sink = tree.Clone()
		}
		perNode(b, nodes)
	})
	b.Run("form=into", func(b *testing.B) {
		to := tree.Clone()
		for b.Loop() {
			to = tree.CloneInto(to)
		}
		perNode(b, nodes)
	})
	b.Run("form=builder", func(b *testing.B) {
		builder := exprflat.NewBuilder(flat.BuilderOptions{Nodes: 5 << bigDepth})
		for b.Loop() {
			builder.Reuse(must(builder.Finish(copyFlat(builder, tree.Root()))))
		}
		perNode(b, nodes)
	})
	b.Run("form=touch", func(b *testing.B) { benchTouch(b, tree) })
	root := pointers(bigDepth, 1)
	b.Run("form=pointers", func(b *testing.B) {
		for b.Loop() {
			sink = copyPointers(root)
		}
		sink = nil
		perNode(b, nodes)
	})
	root = nil
	for _, edit := range []struct {
		name string
		one  func(b *exprflat.Builder, n exprflat.Bin)
	}{
		{"scalar", func(_ *exprflat.Builder, n exprflat.Bin) { n.SetOp(expr.Sub) }},
		{"leaf", func(b *exprflat.Builder, n exprflat.Bin) { n.SetL(b.Num(1)) }},
		{"wrap", func(b *exprflat.Builder, n exprflat.Bin) {
			l := n.L()
			n.SetL(exprflat.Expr{})
			n.SetL(b.Bin(expr.Sub, l, b.Num(1)))
		}},
	} {
		b.Run("form=edit-"+edit.name, func(b *testing.B) { benchEdit(b, tree, edit.one) })
	}
}

// benchTouch measures a lower bound for edits of a scalar. In a slice of the tree's size, it
// increments one word for every hundred nodes, at irregular distances. As in benchEdit, two copies
// alternate, and the list of positions is created anew for each pass.
func benchTouch(b *testing.B, t exprflat.Tree) {
	from := make([]uint32, t.NumWords())
	to, last := slices.Clone(from), slices.Clone(from)
	for range b.N {
		b.StopTimer()
		to, last = last, to
		copy(to, from)
		random, gap := rand.New(rand.NewPCG(1, 2)), 100*t.NumWords()/t.NumNodes()
		var places []uint64 // half as large as handles
		for at := 0; at+gap <= len(to); at += gap {
			places = append(places, uint64(at+random.IntN(gap)))
		}
		b.StartTimer()
		for _, at := range places {
			to[at]++
		}
	}
	perNode(b, t.NumNodes())
}

// benchEdit measures a pass that edits one node in a hundred. It runs on copies of the tree with
// room for more nodes.
func benchEdit(b *testing.B, tree exprflat.Tree, edit func(b *exprflat.Builder, n exprflat.Bin)) {
	builder := exprflat.NewBuilder(flat.BuilderOptions{})
	withRoom := func() exprflat.Tree { return must(builder.Rewrite(tree, exprflat.Rewriter{})) }
	to, last := withRoom(), withRoom()
	prepare := func() []exprflat.Bin {
		builder.Reuse(last)
		last = to
		to = withRoom()
		return oneInAHundred(to)
	}
	pass := func(chosen []exprflat.Bin) {
		builder.Edit(to)
		for _, n := range chosen {
			edit(builder, n)
		}
		to = must(builder.Finish(to.Root()))
	}
	pass(prepare())
	pass(prepare())
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		chosen := prepare()
		b.StartTimer()
		pass(chosen)
	}
	perNode(b, tree.NumNodes())
}

// copyFlat copies a tree node by node, as a program would without Clone and Rewrite.
func copyFlat(b *exprflat.Builder, e exprflat.Expr) exprflat.Expr {
	switch e.Kind() {
	case exprflat.KindNum:
		return b.Num(e.AsNum().Value())
	case exprflat.KindVar:
		return b.Var(e.AsVar().Name())
	case exprflat.KindBin:
		bin := e.AsBin()
		return b.Bin(bin.Op(), copyFlat(b, bin.L()), copyFlat(b, bin.R()))
	case exprflat.KindCall:
		var args [3]exprflat.Expr
		for i := range args {
			args[i] = copyFlat(b, e.AsCall().Arg(i))
		}
		return b.Call(e.AsCall().Fn(), args[:], nil)
	default:
		return e
	}
}

// oneInAHundred returns one of every hundred nodes of a tree. All of them have children.
func oneInAHundred(t exprflat.Tree) (chosen []exprflat.Bin) {
	i := 0
	for n := range t.All {
		if i++; i >= 100 && n.Kind() == exprflat.KindBin {
			chosen = append(chosen, n.AsBin())
			i -= 100
		}
	}
	return chosen
}
