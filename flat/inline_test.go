package flat_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// TestAccessorsInline verifies that the compiler inlines hot accessors into user code, even with
// many variants.
func TestAccessorsInline(t *testing.T) {
	if checks.Enabled {
		t.Skip("one build is enough")
	}
	out := compiler.Says(t, "-m")
	for _, call := range []string{
		"exprflat.Expr.Kind", "exprflat.Expr.AsNum", "exprflat.Num.Value", "exprflat.Expr.AsBin", "exprflat.Bin.L",
		"exprflat.Bin.R", "exprflat.Bin.Op", "exprflat.Expr.AsCall", "exprflat.Call.NumArgs", "exprflat.Call.Arg",
		"fortyflat.Expr.Kind", "fortyflat.Expr.AsOp37", "fortyflat.Op37.L",
		"everyflat.Scalars.B", "everyflat.Scalars.I8", "everyflat.Scalars.U16", "everyflat.Scalars.I64", "everyflat.Scalars.F32",
		"narrowflat.Ident.At", "narrowflat.Move.Back", "narrowflat.Move.From", "everyflat.Inline.Pair", "everyflat.Pair.Value", "everyflat.Full.NumList",
		"exprflat.Tree.All", "exprflat.forward", "exprflat.Expr.Preorder", "exprflat.preorder", "exprflat.Expr.Postorder", "exprflat.postorder",
		"loops-range1", "loops-range2", "loops-range3", "loops-range4",
		"exprflat.Call.Args", "exprflat.eachExpr", "exprflat.Numbering.Of", "exprflat.Var.NameNumber",
		"exprflat.SideTable[go.shape.int].Of", "exprflat.SideTable[go.shape.int].Set",
	} {
		if !strings.Contains(out, "inlining call to "+call+"\n") {
			t.Errorf("%s does not inline any more; go build -gcflags=-m=2 ./flat/testdata/inline says what it costs", call)
		}
	}
}

// Reading a node, walking a tree and iterating over it never allocate, whether the schema has few
// variants or forty.
func TestReadingDoesNotAllocate(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds, and such as check pointers, allocate where others do not")
	}
	small := buildFlat(smallDepth)
	b := fortyflat.NewBuilder(flat.BuilderOptions{})
	e := b.Num(1)
	for range 50 {
		e = b.Call("f", []fortyflat.Expr{b.Op1(e, b.Op37(b.Var("x"), b.Num(2))), b.Op20(b.Num(1), b.Num(1))})
	}
	forty := must(b.Finish(e))
	want := sumKinds(small.Root())
	numbers, strs := small.Numbers(), small.Strings()
	table, parents := exprflat.NewSideTable[int](numbers), small.Parents(numbers)
	for name, walk := range map[string]func(){
		"kinds, 4 variants":     func() { expect(t, sumKinds(small.Root()), want) },
		"views, 4 variants":     func() { expect(t, sumViews(small.Root()), want) },
		"all, 4 variants":       func() { expect(t, sumAll(small), want) },
		"preorder, 4 variants":  func() { expect(t, sumPreorder(small), want) },
		"postorder, 4 variants": func() { expect(t, sumPostorder(small), want) },
		"views, 40 variants":    func() { expect(t, sumForty(forty.Root()), 50*(2+2)+1) },
		"all, 40 variants": func() {
			n := 0
			for e := range forty.All {
				if _, is := e.View().(*fortyflat.Num); is {
					n++
				}
			}
			expect(t, float64(n), 151)
		},
		"tables": func() {
			for n := range small.All {
				table.Set(n, table.Of(n)+numbers.Of(n))
				if parents.Of(n).IsNil() && n != small.Root().AsAny() {
					t.Error("a node has no parent")
				}
				if n.Kind() == exprflat.KindVar && n.AsVar().NameNumber(strs) == 0 {
					t.Error("a name has the number of the empty string")
				}
			}
			strs.Of("x")
		},
		"strings": func() {
			for n := range small.All {
				if n.Kind() == exprflat.KindVar && n.AsVar().Name() == "" {
					t.Error("a name is empty")
				}
			}
		},
	} {
		if n := testing.AllocsPerRun(10, walk); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func expect(t *testing.T, got, want float64) {
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func sumForty(e fortyflat.Expr) float64 {
	switch e := e.View().(type) {
	case *fortyflat.Num:
		return e.Value()
	case *fortyflat.Op1:
		return sumForty(e.L()) + sumForty(e.R())
	case *fortyflat.Op20:
		return sumForty(e.L()) + sumForty(e.R())
	case *fortyflat.Op37:
		return sumForty(e.L()) + sumForty(e.R())
	case *fortyflat.Call:
		sum := 0.0
		for a := range e.Args {
			sum += sumForty(a)
		}
		return sum
	default:
		return 0
	}
}
