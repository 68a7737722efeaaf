package example_test

import (
	"fmt"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// fold evaluates constant expressions and removes double negations.
var fold = exprflat.Rewriter{
	Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		l, r := n.L(), n.R() // already folded
		if l.Kind() != exprflat.KindNum || r.Kind() != exprflat.KindNum {
			return n.AsExpr() // unchanged
		}
		return b.Num(apply(n.Op(), l.AsNum().Value(), r.AsNum().Value()))
	},
	Call: func(_ *exprflat.Builder, n exprflat.Call) exprflat.Expr {
		if n.Fn() == "neg" && n.NumArgs() == 1 && n.Arg(0).Kind() == exprflat.KindCall {
			if inner := n.Arg(0).AsCall(); inner.Fn() == "neg" && inner.NumArgs() == 1 {
				return inner.Arg(0) // the grandchild replaces the node
			}
		}
		return n.AsExpr()
	},
}

// rename is a second rewriting pass, which renames variables.
var rename = exprflat.Rewriter{
	Var: func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return b.Var(n.Name() + "1") },
}

// RewriteInPlace takes the same functions as Rewrite.
func Example_rewriteInPlace() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Bin(expr.Add, b.Num(1), b.Bin(expr.Mul, b.Num(2), b.Num(3)))
	tree, err := b.Finish(b.Bin(expr.Sub, sum, b.Var("x")))
	if err != nil {
		panic(err)
	}
	tree, err = b.RewriteInPlace(tree, fold)
	if err != nil {
		panic(err) // the tree is lost
	}
	fmt.Println(tree)
	fmt.Println(tree.NumNodes(), "nodes,", tree.Compact().NumNodes(), "of them reachable")
	// Output:
	// Bin{Op: 1, L: Num{Value: 7}, R: Var{Name: "x"}}
	// 9 nodes, 3 of them reachable
}

// A sequence of passes needs only two buffers, which it uses in turn.
func Example_rewrite() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	neg := func(e exprflat.Expr) exprflat.Expr { return b.Call("neg", []exprflat.Expr{e}, nil) }
	sum := b.Bin(expr.Add, b.Num(1), b.Bin(expr.Mul, b.Num(2), b.Num(3)))
	tree, err := b.Finish(b.Bin(expr.Sub, sum, neg(neg(b.Var("x")))))
	if err != nil {
		panic(err)
	}
	fmt.Println(tree.NumNodes(), "nodes")
	for _, pass := range []exprflat.Rewriter{fold, rename} {
		next, err := b.Rewrite(tree, pass)
		if err != nil {
			panic(err)
		}
		b.Reuse(tree) // frees the tree; the next pass reuses its memory
		tree = next
		fmt.Println(tree.NumNodes(), "nodes:", tree)
	}
	// Output:
	// 9 nodes
	// 3 nodes: Bin{Op: 1, L: Num{Value: 7}, R: Var{Name: "x"}}
	// 3 nodes: Bin{Op: 1, L: Num{Value: 7}, R: Var{Name: "x1"}}
}
