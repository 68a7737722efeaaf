package example_test

import (
	"bytes"
	"fmt"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// foldInPlace folds the constants in the expression e. It returns e, or the number that replaces
// it.
func foldInPlace(b *exprflat.Builder, e exprflat.Expr) exprflat.Expr {
	if e.Kind() != exprflat.KindBin {
		return e
	}
	bin := e.AsBin()
	if l := foldInPlace(b, bin.L()); l != bin.L() {
		bin.SetL(l) // a new node, which comes after bin in memory
	}
	if r := foldInPlace(b, bin.R()); r != bin.R() {
		bin.SetR(r)
	}
	if bin.L().Kind() != exprflat.KindNum || bin.R().Kind() != exprflat.KindNum {
		return e
	}
	return b.Num(apply(bin.Op(), bin.L().AsNum().Value(), bin.R().AsNum().Value()))
}

// This example changes a tree within its own memory instead of copying it.
func Example_edit() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree, err := b.Finish(b.Bin(expr.Add, b.Var("x"), b.Bin(expr.Mul, b.Num(2), b.Num(3))))
	if err != nil {
		panic(err)
	}

	b.Edit(tree)
	root := foldInPlace(b, tree.Root())
	x := root.AsBin().L()
	root.AsBin().SetL(exprflat.Expr{}) // x can have only one parent, so remove it here first
	root.AsBin().SetL(b.Call("neg", []exprflat.Expr{x}, nil))
	tree, err = b.Finish(root)
	if err != nil {
		panic(err)
	}
	fmt.Println(tree.NumNodes(), "nodes:", tree)

	tree = tree.Compact() // children before parents again, and no unused nodes
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		panic(err)
	}
	fmt.Println(tree.NumNodes(), "nodes:", tree)
	// Output:
	// 7 nodes: Bin{Op: 0, L: Call{Fn: "neg", Args: [Var{Name: "x"}], Doc: nil}, R: Num{Value: 6}}
	// 4 nodes: Bin{Op: 0, L: Call{Fn: "neg", Args: [Var{Name: "x"}], Doc: nil}, R: Num{Value: 6}}
}
