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

// Every generated package has this test.
func ExampleRoundTrip() {
	test := func(t *testing.T) {
		flattest.RoundTrip(t, flattest.Package[expr.Expr, exprflat.Tree]{
			Variants: variants, FromTree: exprflat.FromTree, ToTree: exprflat.ToTree, Load: exprflat.Load,
		})
	}
	fmt.Println(testing.RunTests(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "RoundTrip", F: test}}))
	// Output: true
}

func ExampleRandom() {
	e := flattest.Random[expr.Expr](rand.New(rand.NewPCG(1, 2)), 1, variants)
	again := flattest.Random[expr.Expr](rand.New(rand.NewPCG(1, 2)), 1, variants)
	fmt.Println(fmt.Sprintf("%T", e) == fmt.Sprintf("%T", again))
	// Output: true
}
