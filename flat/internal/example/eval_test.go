// Package example_test contains the program in docs/FLAT.md, which evaluates expressions.
package example_test

import (
	"bytes"
	"fmt"
	"math"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

func Example() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Bin(expr.Add, b.Num(1), b.Bin(expr.Mul, b.Num(2), b.Var("x")))
	tree, err := b.Finish(b.Call("sqrt", []exprflat.Expr{sum}, nil))
	if err != nil {
		panic(err)
	}

	vars := map[string]float64{"x": 4}
	fmt.Println(eval(tree.Root(), vars), evalViews(tree.Root(), vars), evalFold(tree, vars))
	fmt.Println(tree)

	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		panic(err)
	}
	loaded, err := exprflat.Load(file.Bytes(), flat.LoadLimits{})
	if err != nil {
		panic(err)
	}
	loaded.Root().AsCall().Arg(0).AsBin().L().AsNum().SetValue(8)
	fmt.Println(eval(loaded.Root(), vars))
	// Output:
	// 3 3 3
	// Call{Fn: "sqrt", Args: [Bin{Op: 0, L: Num{Value: 1}, R: Bin{Op: 2, L: Num{Value: 2}, R: Var{Name: "x"}}}], Doc: nil}
	// 4
}

// eval evaluates an expression with a switch on its kind, which is the fastest way.
func eval(e exprflat.Expr, vars map[string]float64) float64 {
	switch e.Kind() {
	case exprflat.KindNum:
		return e.AsNum().Value()
	case exprflat.KindVar:
		return vars[e.AsVar().Name()]
	case exprflat.KindBin:
		bin := e.AsBin()
		return apply(bin.Op(), eval(bin.L(), vars), eval(bin.R(), vars))
	default:
		sum := 0.0
		for arg := range e.AsCall().Args { // no parentheses: Args is the iterator
			sum += eval(arg, vars)
		}
		return math.Sqrt(sum)
	}
}

// evalViews evaluates an expression with a type switch.
func evalViews(e exprflat.Expr, vars map[string]float64) float64 {
	switch e := e.View().(type) {
	case *exprflat.Num:
		return e.Value()
	case *exprflat.Var:
		return vars[e.Name()]
	case *exprflat.Bin:
		return apply(e.Op(), evalViews(e.L(), vars), evalViews(e.R(), vars))
	case *exprflat.Call:
		sum := 0.0
		for arg := range e.Args {
			sum += evalViews(arg, vars)
		}
		return math.Sqrt(sum)
	default:
		return 0 // a nil expression
	}
}

// evalFold evaluates an expression without recursion, so the depth of the tree is not limited by
// the stack.
func evalFold(t exprflat.Tree, vars map[string]float64) float64 {
	return exprflat.Fold(t, func(n exprflat.Any, done exprflat.Results[float64]) float64 {
		value := func(e exprflat.Expr) float64 { return done.Of(e.AsAny()) }
		switch n := n.View().(type) {
		case *exprflat.Num:
			return n.Value()
		case *exprflat.Var:
			return vars[n.Name()]
		case *exprflat.Bin:
			return apply(n.Op(), value(n.L()), value(n.R()))
		case *exprflat.Call:
			sum := 0.0
			for arg := range n.Args {
				sum += value(arg)
			}
			return math.Sqrt(sum)
		}
		return 0
	})
}

func apply(op expr.Op, l, r float64) float64 {
	switch op {
	case expr.Add:
		return l + r
	case expr.Sub:
		return l - r
	case expr.Mul:
		return l * r
	default:
		return l / r
	}
}
