package flat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/positions"
	"github.com/coppice-go/coppice/flat/internal/cases/positionsflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// BenchmarkReplace compares two ways to replace one node in a hundred while a tree is edited:
// Replace, and a table of all parents together with the setters of the fields.
func BenchmarkReplace(b *testing.B) {
	tree := buildFlat(bigDepth)
	for _, way := range []struct {
		name string
		pass func(b *exprflat.Builder, t exprflat.Tree, chosen []exprflat.Bin)
	}{
		{"replace", func(b *exprflat.Builder, t exprflat.Tree, chosen []exprflat.Bin) {
			b.Edit(t)
			for _, n := range chosen {
				t.Replace(n.AsAny(), b.Num(1).AsAny())
			}
		}},
		{"parents", func(b *exprflat.Builder, t exprflat.Tree, chosen []exprflat.Bin) {
			parents := t.Parents(t.Numbers())
			b.Edit(t)
			for _, n := range chosen {
				setChild(parents.Of(n.AsAny()), n.AsExpr(), b.Num(1))
			}
		}},
	} {
		b.Run("form="+way.name, func(b *testing.B) {
			builder := exprflat.NewBuilder(flat.BuilderOptions{})
			to := must(builder.Rewrite(tree, exprflat.Rewriter{}))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				builder.Reuse(to)
				to = must(builder.Rewrite(tree, exprflat.Rewriter{}))
				chosen := oneInAHundred(to)
				b.StartTimer()
				way.pass(builder, to, chosen)
				to = must(builder.Finish(to.Root()))
			}
			perNode(b, tree.NumNodes())
		})
	}
}

// setChild replaces child, a child of parent, by now. It calls the setter of the field that
// contains child.
func setChild(parent exprflat.Any, child, now exprflat.Expr) {
	switch parent.Kind() {
	case exprflat.KindBin:
		if n := parent.AsBin(); n.L() == child {
			n.SetL(now)
		} else {
			n.SetR(now)
		}
	case exprflat.KindCall:
		n := parent.AsCall()
		for i := range n.NumArgs() {
			if n.Arg(i) == child {
				n.SetArg(i, now)
				return
			}
		}
	}
}

// BenchmarkCommonField compares two ways to read a field that all variants have, at a different
// offset in each: the common accessor, and a switch over the variants.
func BenchmarkCommonField(b *testing.B) {
	variants := []any{(*positions.Name)(nil), (*positions.Block)(nil), (*positions.Pair)(nil)}
	var tree positionsflat.Tree
	for seed := uint64(1); tree.Flat() == nil || tree.NumNodes() < 5000; seed++ {
		tree = must(positionsflat.FromTree(random.Tree[positions.Node](rand.New(rand.NewPCG(seed, 63)), 20_000, variants), flat.LoadLimits{MaxDepth: 1 << 16}))
	}
	for _, way := range []struct {
		name   string
		weight func(n positionsflat.Any) float64
	}{
		{"accessor", positionsflat.Any.Weight},
		{"switch", func(n positionsflat.Any) float64 {
			switch n.Kind() {
			case positionsflat.KindName:
				return n.AsName().Weight()
			case positionsflat.KindBlock:
				return n.AsBlock().Weight()
			default:
				return n.AsPair().Weight()
			}
		}},
	} {
		b.Run("form="+way.name, func(b *testing.B) {
			b.ReportAllocs()
			sum := 0.0
			for b.Loop() {
				for n := range tree.All {
					sum += way.weight(n)
				}
			}
			sink = sum
			perNode(b, tree.NumNodes())
		})
	}
}
