package flattest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/flat/example/expr"
	"github.com/coppice-go/coppice/flat/example/exprflat"
	"github.com/coppice-go/coppice/flat/flattest"
)

var variants = []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)}

// A generated package calls RoundTrip from a test, with its own *testing.T.
func ExampleRoundTrip() {
	flattest.RoundTrip(printer{}, flattest.Package[expr.Expr, exprflat.Tree]{
		Variants: variants, FromTree: exprflat.FromTree, ToTree: exprflat.ToTree, Load: exprflat.Load,
	})
	fmt.Println("all forms agree")
	// Output: all forms agree
}

// A printer is a test that prints why it fails.
type printer struct{ testing.TB }

func (printer) Helper() {}

func (printer) Fatalf(format string, args ...any) { fmt.Printf(format, args...) }

func ExampleRandom() {
	e := flattest.Random[expr.Expr](rand.New(rand.NewPCG(1, 2)), 1, variants)
	again := flattest.Random[expr.Expr](rand.New(rand.NewPCG(1, 2)), 1, variants)
	fmt.Println(fmt.Sprintf("%T", e) == fmt.Sprintf("%T", again))
	// Output: true
}
