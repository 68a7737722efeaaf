// Program refused has no line that compiles, but for those without a comment.
package main

import (
	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

func main() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	num := b.Num(1).AsNum()
	expr := b.Num(2)
	tree, _ := b.Finish(expr)
	e := everyflat.NewBuilder(flat.BuilderOptions{})
	node := e.Null()
	first := (*flatimpl.Tree)(tree.Flat()).First()
	dag := dagflat.NewBuilder(flat.BuilderOptions{})

	_ = exprflat.Call(num)                    // want "cannot convert num"
	_ = exprflat.Call(expr)                   // want "cannot convert expr"
	_ = exprflat.Expr(num)                    // want "cannot convert num"
	_ = exprflat.Any(expr)                    // want "cannot convert expr"
	_ = (*exprflat.Call)(&num)                // want "cannot convert &num"
	_ = flatimpl.Node(num)                    // want "cannot convert num"
	_ = exprflat.Num(first)                   // want "cannot convert first"
	_ = exprflat.Num{first}                   // want "too few values"
	_ = exprflat.Num{node: first}             // want "cannot refer to unexported field node"
	_ = everyflat.Leaf(node)                  // want "cannot convert node"
	_ = exprflat.Expr(node)                   // want "cannot convert node"
	_ = dagflat.Term(expr)                    // want "cannot convert expr"
	_ = everyflat.Pair(num)                   // want "cannot convert num"
	_ = exprflat.Tree{Tree: tree.Flat()}      // want "unknown field Tree"
	_ = exprflat.Tree{core: tree.Flat()}      // want "cannot refer to unexported field core"
	_ = exprflat.Tree{tree.Flat()}            // want "implicit assignment to unexported field core"
	_ = e.Value(node)                         // want "cannot use node"
	_ = dag.Pair(expr, expr)                  // want "cannot use expr"
	_, _ = e.Finish(expr)                     // want "cannot use expr"
	_ = b.Call("f", []exprflat.Num{num}, nil) // want "cannot use []exprflat.Num{"
	_ = flatimpl.NewSchema("flat 1")          // want "flatimpl.RunCoppiceFlatAgain"
}
