package flat_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// folds lists the predicates that determine which constants a pass folds: none, about one node in
// 50,000, or all, which is one node in twelve.
var folds = []struct {
	name string
	fold func(op expr.Op, l, r float64) bool
}{
	{"none", func(expr.Op, float64, float64) bool { return false }},
	{"few", func(_ expr.Op, l, _ float64) bool { return int(l)%4096 == 7 }},
	{"all", func(expr.Op, float64, float64) bool { return true }},
}

// foldFlat returns a pass that folds constants in a flat tree.
func foldFlat(fold func(op expr.Op, l, r float64) bool) exprflat.Rewriter {
	return exprflat.Rewriter{Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		l, r := n.L(), n.R()
		if l.Kind() != exprflat.KindNum || r.Kind() != exprflat.KindNum || !fold(n.Op(), l.AsNum().Value(), r.AsNum().Value()) {
			return n.AsExpr()
		}
		return b.Num(l.AsNum().Value() + r.AsNum().Value())
	}}
}

// foldPointers is the same pass for a tree of pointers, which it modifies. It adds the number of
// folded nodes to *folded.
func foldPointers(e expr.Expr, fold func(op expr.Op, l, r float64) bool, folded *int) expr.Expr {
	switch e := e.(type) {
	case *expr.Bin:
		e.L, e.R = foldPointers(e.L, fold, folded), foldPointers(e.R, fold, folded)
		l, isL := e.L.(*expr.Num)
		r, isR := e.R.(*expr.Num)
		if isL && isR && fold(e.Op, l.Value, r.Value) {
			*folded++
			return &expr.Num{Value: l.Value + r.Value}
		}
	case *expr.Call:
		for i := range e.Args {
			e.Args[i] = foldPointers(e.Args[i], fold, folded)
		}
	}
	return e
}

// BenchmarkRewrite compares a pass that folds constants with the same pass in place over a tree of
// pointers, and with a copy of the tree. The flat variants reuse memory. A tree of pointers has no
// constants left to fold after the first pass, so it is built again for each iteration, outside the
// measured time.
func BenchmarkRewrite(b *testing.B) {
	tree := buildFlat(bigDepth)
	report := func(b *testing.B, nodes int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
	}
	b.Run("folds=none/form=clone", func(b *testing.B) {
		to := tree.Clone()
		for b.Loop() {
			to = tree.CloneInto(to)
		}
		report(b, tree.NumNodes())
	})
	for _, f := range folds {
		b.Run(fmt.Sprintf("folds=%s/form=flat", f.name), func(b *testing.B) {
			builder := exprflat.NewBuilder(flat.BuilderOptions{})
			pass := foldFlat(f.fold)
			old := must(builder.Rewrite(tree, pass))
			b.ReportAllocs()
			for b.Loop() {
				builder.Reuse(old)
				old = must(builder.Rewrite(tree, pass))
			}
			report(b, tree.NumNodes())
			b.ReportMetric(float64(tree.NumNodes()-old.NumNodes())/2, "folds/op")
		})
		b.Run(fmt.Sprintf("folds=%s/form=pointers", f.name), func(b *testing.B) {
			folded := 0
			root := pointers(bigDepth, 1)
			for b.Loop() {
				if folded > 0 {
					b.StopTimer()
					root, folded = pointers(bigDepth, 1), 0
					b.StartTimer()
				}
				root = foldPointers(root, f.fold, &folded)
			}
			report(b, tree.NumNodes())
		})
	}
}
