package example_test

import (
	"fmt"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// height computes the height of each node in one pass.
func height(tree exprflat.Tree, numbers exprflat.Numbering) exprflat.SideTable[int] {
	heights := exprflat.NewSideTable[int](numbers)
	parents := tree.Parents(numbers)
	for n := range tree.Root().Postorder { // children before their parents
		if p := parents.Of(n); !p.IsNil() {
			*heights.At(p) = max(heights.Of(p), heights.Of(n)+1)
		}
	}
	return heights
}

// One pass computes a value for each node, and stores it in a side table. Another pass counts how
// often each variable is used, in a slice that is indexed by the number of the variable's name.
func Example_tables() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Bin(expr.Add, b.Var("x"), b.Bin(expr.Mul, b.Var("y"), b.Var("x")))
	tree, err := b.Finish(b.Call("sqrt", []exprflat.Expr{sum}, nil))
	if err != nil {
		panic(err)
	}
	heights := height(tree, tree.Numbers())
	names := tree.Strings()
	uses := make([]int, names.Len()) // a slice, indexed by number, instead of a map
	for n := range tree.Root().Preorder {
		if n.Kind() == exprflat.KindVar {
			uses[n.AsVar().NameNumber(names)]++
		}
	}
	for number, count := range uses {
		if count > 0 {
			fmt.Println(names.Text(number), "is used", count, "times")
		}
	}
	fmt.Println("the height is", heights.Of(tree.Root().AsAny()))
	// Output:
	// x is used 2 times
	// y is used 1 times
	// the height is 3
}
