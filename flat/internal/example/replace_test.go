package example_test

import (
	"fmt"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// Replace replaces a node in its parent, whose type the caller need not know.
func Example_replace() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Bin(expr.Add, b.Var("x"), b.Bin(expr.Mul, b.Num(2), b.Num(3)))
	tree, err := b.Finish(b.Call("f", []exprflat.Expr{sum, b.Bin(expr.Mul, b.Num(4), b.Num(5))}, nil))
	if err != nil {
		panic(err)
	}

	var products []exprflat.Bin
	for n := range tree.All {
		if n.Kind() == exprflat.KindBin && n.AsBin().Op() == expr.Mul {
			products = append(products, n.AsBin())
		}
	}
	b.Edit(tree)
	for _, n := range products {
		product := n.L().AsNum().Value() * n.R().AsNum().Value()
		tree.Replace(n.AsAny(), b.Num(product).AsAny())
	}
	tree, err = b.Finish(tree.Root())
	if err != nil {
		panic(err)
	}
	fmt.Println(tree)
	// Output: Call{Fn: "f", Args: [Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 6}}, Num{Value: 20}], Doc: nil}
}
