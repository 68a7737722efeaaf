package flat_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// three returns the tree (1+x)*f(2) and its three inner nodes.
func three() (t exprflat.Tree, times, plus exprflat.Bin, call exprflat.Call) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Bin(expr.Add, b.Num(1), b.Var("x"))
	t = must(b.Finish(b.Bin(expr.Mul, sum, b.Call("f", []exprflat.Expr{b.Num(2)}, nil))))
	times = t.Root().AsBin()
	return t, times, times.L().AsBin(), times.R().AsCall()
}

func TestSetters(t *testing.T) {
	tree, times, plus, call := three()
	plus.L().AsNum().SetValue(7)
	plus.R().AsVar().SetName("abc")
	plus.SetOp(expr.Sub)
	call.SetFn("")
	doc := "d"
	call.SetDoc(&doc)
	l, r := plus.L(), plus.R()
	plus.SetL(exprflat.Expr{})
	plus.SetR(l)
	plus.SetL(r)
	want := `Bin{Op: 2, L: Bin{Op: 1, L: Var{Name: "abc"}, R: Num{Value: 7}}, R: Call{Fn: "", Args: [Num{Value: 2}], Doc: "d"}}`
	if tree.String() != want {
		t.Errorf("%v, want %v", tree, want)
	}
	call.SetDoc(nil)
	if _, ok := call.Doc(); ok {
		t.Error("the absent field is there")
	}
	call.SetArg(0, exprflat.Expr{})
	call.SetArg(0, exprflat.Expr{})
	times.SetL(times.L())
	again := must(exprflat.Load(fileOf(tree.Flat()), flat.LoadLimits{})) // setters always leave a valid tree
	if again.String() != tree.String() {
		t.Errorf("%v, want %v", again, tree)
	}
}

func TestSettersRefuse(t *testing.T) {
	tree, times, plus, call := three()
	other, _, _, _ := three()
	for want, set := range map[string]func(){
		"exprflat.Bin.SetL: want nil or a node of this tree that comes before its parent; found Bin #16 of another": func() { times.SetL(other.Root()) },
		"found Call #12, which comes after its parent":                                                              func() { plus.SetL(call.AsExpr()) },
		"or is the parent":                           func() { times.SetL(times.AsExpr()) },
		"found Call #12, which has a parent already": func() { times.SetL(call.AsExpr()) },
		"index out of range":                         func() { call.SetArg(1, exprflat.Expr{}) },
		"exprflat.AsNum: want nil or a Num; use Kind first; found Bin #": func() { times.L().AsNum() },
		"flatimpl.Node.SetUint64: the node is nil, or its tree was":      func() { exprflat.Num{}.SetValue(1) },
	} {
		mustPanic(t, want, set)
	}
	mustPanic(t, "index out of range", func() { call.Arg(1) })
	mustPanic(t, "index out of range", func() { call.Arg(-1) })
	mustPanic(t, "nil pointer", func() { exprflat.Expr{}.AsNum().Value() })
	mustPanic(t, "flatimpl.Results.Of: a node of another tree", func() {
		exprflat.Fold(tree, func(_ exprflat.Any, done exprflat.Results[int]) int { return done.Of(other.Root().AsAny()) })
	})
}

// TestSettersOfInlineStructsRefuse verifies that the setters of a struct inside a node reject the
// node itself as a child, although the struct does not record where its node starts.
func TestSettersOfInlineStructsRefuse(t *testing.T) {
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	first := b.Null()
	root := b.Inline(false, everyflat.SpotFields{}, everyflat.PairFields{Key: "k"}, nil)
	tree := must(b.Finish(root))
	pair := tree.Root().AsInline().Pair()
	mustPanic(t, "or is the parent", func() { pair.SetValue(tree.Root()) })
	pair.SetValue(first)
	if pair.Value().Kind() != everyflat.KindNull {
		t.Errorf("%v", tree)
	}
}

// TestEveryScalarIsSetAndRead verifies that the accessors of all scalar fields and array elements
// return the value that was set.
func TestEveryScalarIsSetAndRead(t *testing.T) {
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	s := b.Scalars(everyflat.ScalarsFields{}).AsScalars()
	s.SetB(true)
	s.SetI8(-8)
	s.SetU8(8)
	s.SetI16(-16)
	s.SetU16(16)
	s.SetI32(-32)
	s.SetU32(32)
	s.SetF32(-0.5)
	s.SetI64(-64)
	s.SetU64(64)
	s.SetF64(-0.25)
	s.SetS("s")
	s.SetT([]byte("t"))
	want := `Scalars{B: true, I8: -8, U8: 8, I16: -16, U16: 16, I32: -32, U32: 32, F32: -0.5, I64: -64, U64: 64, F64: -0.25, S: "s", T: "t"}`
	if s.String() != want {
		t.Errorf("%v, want %v", s, want)
	}
	if !s.B() || s.I8() != -8 || s.U8() != 8 || s.I16() != -16 || s.U16() != 16 || s.I32() != -32 || s.U32() != 32 ||
		s.F32() != -0.5 || s.I64() != -64 || s.U64() != 64 || s.F64() != -0.25 || s.S() != "s" || s.T() != "t" {
		t.Errorf("accessors read something else than %v", s)
	}
	a := b.Arrays(everyflat.ArraysFields{}).AsArrays()
	a.SetBool(8, true)
	a.SetByte(4, 44)
	a.SetI16At(2, -2)
	a.SetU32At(1, 3)
	a.SetF64At(1, 0.5)
	a.SetString(1, "s")
	a.SetBlob(0, []byte("blob"))
	a.SetGridAt(1, [3]int8{-1, 0, 1})
	a.SetVec(1, every.Vec{1, 2, 3})
	if !a.Bool(8) || a.Bool(7) || a.Byte(4) != 44 || a.I16At(2) != -2 || a.U32At(1) != 3 || a.F64At(1) != 0.5 || a.String(1) != "s" ||
		a.Blob(0) != "blob" || a.GridAt(1) != [3]int8{-1, 0, 1} || a.Vec(1) != (every.Vec{1, 2, 3}) || a.Vec(0) != (every.Vec{}) {
		t.Error("items of arrays are not what they were set to")
	}
}

// TestStaleHandlesPanic verifies that any use of a handle panics after its tree was freed or the
// tree's memory was reused. The handle must not refer to the next tree in that memory.
func TestStaleHandlesPanic(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	built := func() exprflat.Tree { return must(b.Finish(b.Bin(expr.Add, b.Num(1), b.Var("x")))) }
	for name, end := range map[string]func(exprflat.Tree){
		"Free":      func(t exprflat.Tree) { t.Free() },
		"Close":     func(t exprflat.Tree) { t.Close() },
		"CloneInto": func(t exprflat.Tree) { built().CloneInto(t) },
		"Reuse":     func(t exprflat.Tree) { b.Reuse(t); b.Num(7) },
	} {
		tree := built()
		bin := tree.Root().AsBin()
		name0 := bin.R().AsVar().Name()
		view := tree.Root()
		switched := view.View()
		end(tree)
		for what, use := range map[string]func(){
			"Kind":     func() { bin.AsExpr().Kind() },
			"L":        func() { bin.L() },
			"Op":       func() { switched.(*exprflat.Bin).Op() },
			"SetOp":    func() { bin.SetOp(expr.Add) },
			"View":     func() { view.View() },
			"WriteTo":  func() { tree.WriteTo(new(strings.Builder)) },
			"Clone":    func() { tree.Clone() },
			"Compact":  func() { tree.Compact() },
			"as child": func() { b.Bin(expr.Add, bin.AsExpr(), exprflat.Expr{}) },
		} {
			mustPanic(t, "", func() { t.Helper(); use(); t.Errorf("%s after %s does not panic", what, name); panic("") })
		}
		if name0 != "x" || tree.NumNodes() != 0 || tree.String() != "nil" {
			t.Errorf("after %s: string %q, %d nodes", name, name0, tree.NumNodes())
		}
	}
	num := b.Num(1)
	b.Reset()
	mustPanic(t, staleRead(), func() { num.Kind() })
}

// TestStringsNeverChange verifies that a string that was read from a tree does not change when the
// tree is changed or its memory is reused.
func TestStringsNeverChange(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.Var("first")))
	clone := tree.Clone()
	kept := []string{tree.Root().AsVar().Name(), clone.Root().AsVar().Name()}
	clone.Root().AsVar().SetName("other")
	tree.Root().AsVar().SetName("third")
	kept = append(kept, b.Var("under way").AsVar().Name())
	b.Reuse(tree)
	second := must(b.Finish(b.Var("FIRST")))
	if got := clone.Root().AsVar().Name(); got != "other" || second.Root().AsVar().Name() != "FIRST" {
		t.Errorf("the clone has %q", got)
	}
	if strings.Join(kept, " ") != "first first under way" {
		t.Errorf("strings became %q", kept)
	}
}

func TestSharedNodesAreAllowedWhereTheSchemaSaysSo(t *testing.T) {
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	a := b.Atom("a")
	p := b.Pair(a, b.Pair(a, a))
	tree := must(b.Finish(b.List([]dagflat.Term{p, p, a})))
	list := tree.Root().AsList()
	list.SetItem(2, list.Item(0))
	if got := tree.Compact().NumNodes(); got != 4 {
		t.Errorf("%d nodes after Compact, want 4: shared nodes stay shared", got)
	}
	if must(dagflat.Load(fileOf(tree.Compact().Flat()), flat.LoadLimits{})).String() != tree.String() {
		t.Error("the compact tree is another")
	}
}

// TestCompactIsCanonical verifies that Compact turns equal trees into identical bytes, however they
// were built.
func TestCompactIsCanonical(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	empty := ""
	plain := must(b.Finish(b.Bin(expr.Add, b.Call("x", nil, &empty), b.Bin(expr.Mul, b.Num(1), b.Var("x")))))
	n, orphan, v := b.Num(1), b.Var("orphan"), b.Var("wrong") // a different order, more strings and an orphan
	prod := b.Bin(expr.Div, n, v)
	v.AsVar().SetName("x")
	prod.AsBin().SetOp(expr.Mul)
	call := b.Call("y", nil, nil)
	call.AsCall().SetFn("x")
	call.AsCall().SetDoc(&empty)
	odd := must(b.Finish(b.Bin(expr.Add, call, prod)))
	if orphan.IsNil() || odd.NumNodes() != plain.NumNodes()+1 {
		t.Fatal("the second tree has no orphan")
	}
	if string(fileOf(plain.Compact().Flat())) != string(fileOf(odd.Compact().Flat())) {
		var dump strings.Builder
		plain.Compact().Dump(&dump)
		odd.Compact().Dump(&dump)
		t.Errorf("equal trees have other bytes:\n%s", &dump)
	}
}

// TestNilIsTheZeroHandle verifies that a nil child or root is read as the zero handle, and not as a
// handle for word 0.
func TestNilIsTheZeroHandle(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.Call("f", []exprflat.Expr{{}}, nil)))
	call := tree.Root().AsCall()
	if call.Arg(0) != (exprflat.Expr{}) {
		t.Error("an item that is nil is not the zero handle")
	}
	for arg := range call.Args {
		if arg != (exprflat.Expr{}) {
			t.Error("an item that is nil and that is ranged over is not the zero handle")
		}
	}
	b = exprflat.NewBuilder(flat.BuilderOptions{})
	tree = must(b.Finish(b.Bin(expr.Add, exprflat.Expr{}, b.Num(1))))
	if tree.Root().AsBin().L() != (exprflat.Expr{}) {
		t.Error("a field that is nil is not the zero handle")
	}
	if must(b.Finish(exprflat.Expr{})).Root() != (exprflat.Expr{}) {
		t.Error("a root that is nil is not the zero handle")
	}
}
