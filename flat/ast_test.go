package flat_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/ast"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

var astVariants = []any{(*ast.File)(nil), (*ast.Block)(nil), (*ast.Scope)(nil), (*ast.Nest)(nil), (*ast.Func)(nil), (*ast.Switch)(nil),
	(*ast.Choice)(nil), (*ast.Call)(nil), (*ast.Num)(nil), (*ast.Int)(nil)}

// sourceFile returns a tree with lists in every possible position, some of them empty, and with the
// smallest and largest values of bit fields.
func sourceFile() *ast.File {
	sub, tag := uint8(7), -1<<30
	num := func() ast.Expr { return &ast.Num{Base: 63, Exp: -1024, Sub: &sub} }
	param := ast.Param{Name: "p", Marks: []ast.Mark{{On: true}, {Exprs: []ast.Expr{num(), nil, num()}, Grid: [][2]int16{{-1, 2}, {3, -4}, {5, 6}}}, {}},
		Type: &ast.Call{Fn: num(), Args: ast.Args{List: []ast.Expr{num()}}}, At: []ast.Pos{{Line: 1<<19 - 1, Col: 1023, Open: true}, {Line: -1 << 19}}}
	params := ast.Params{List: []ast.Param{param, {}, param}, Rest: num(), Kind: []int8{1, 2, 3, 4, 5}, Bits: []bool{true, false, true}}
	f := &ast.Func{Pos: ast.Pos{Line: 7, Col: 8}, Name: "f", Params: params, Body: ast.Block{Content: ast.Content{Pos: ast.Pos{Line: 9}, List: []ast.Stmt{&ast.Block{}}, Names: []string{"a", "b", "a"}}},
		Blocks: []ast.Block{{}, {Content: ast.Content{Names: []string{"a"}}}}, Async: true}
	choice := &ast.Choice{Pair: ast.Pair{Both: [2]ast.Params{{}, params}, More: math.MaxInt32}, Pairs: []ast.Pair{{}, {Both: [2]ast.Params{params, {}}}},
		Arms: [][2]ast.Case{{{Cond: num(), Body: []ast.Stmt{&ast.Block{}}}, {}}, {{}, {Body: []ast.Stmt{nil}}}}}
	scope := &ast.Scope{Counts: ast.Counts{Uses: 127, Depth: -8}, Level: -5, Inner: []*ast.Scope{{Tag: &tag}, nil}}
	return &ast.File{Content: ast.Content{Pos: ast.Pos{Line: 1}, List: []ast.Stmt{f, choice, &ast.Switch{Label: "s", Cases: []ast.Case{{Cond: num()},
		{Body: []ast.Stmt{&ast.Block{}, nil}}}, Init: []ast.Expr{num()}}}, Names: []string{"a"}}, Size: math.MinInt32, Hash: math.MaxUint32, First: scope,
		Tops: []*ast.Scope{{Up: &ast.Scope{}}}, Nests: []ast.Nest{{Name: "n", Kids: []ast.Nest{{Name: "k"}, {}}}}, Text: "text"}
}

// TestSlicesInStructs verifies that lists in structs survive every operation of the package, and
// that accessors return the stored values.
func TestSlicesInStructs(t *testing.T) {
	tree := must(astflat.FromTree(sourceFile(), flat.LoadLimits{}))
	for name, one := range map[string]astflat.Tree{"built": tree, "loaded": must(astflat.Load(fileOf(tree.Flat()), flat.LoadLimits{})), "compact": tree.Compact(), "cloned": tree.Clone()} {
		back := must(astflat.ToTree(one, flat.LoadLimits{}))
		if !reflect.DeepEqual(back, sourceFile()) {
			t.Errorf("%s: %v", name, one)
		}
	}
	f := tree.Root().ListAt(0).AsFunc()
	p := f.Params().ListAt(2)
	if f.Line() != 7 || f.Body().Name(1) != "b" || f.Params().NumList() != 3 || f.Params().KindAt(4) != 5 || !f.Params().Bit(2) ||
		p.Mark(1).NumExprs() != 3 || p.Mark(1).GridAt(1) != [2]int16{3, -4} || p.AtAt(0).Col() != 1023 {
		t.Errorf("%v", f)
	}
}

// Fields of type int and uint have 64 bits in a tree. Values of bit fields are checked when they
// are stored.
func TestNumbersOfTheMachineAndOfAFewBits(t *testing.T) {
	b := astflat.NewBuilder(flat.BuilderOptions{})
	small, wide, sub := uint(5), uint(math.MaxUint), uint8(8)
	for _, want := range []int{math.MinInt, -1, 0, math.MaxInt} {
		n := b.Int(want, []int{want, 1}, &wide, [2]uint{wide, 0}).AsInt()
		maybe, ok := n.Maybe()
		if n.Value() != want || n.AlsoAt(0) != want || maybe != wide || !ok || n.BothAt(0) != wide {
			t.Errorf("%v", n)
		}
		n.SetValue(-want)
		n.SetAlsoAt(1, want)
		n.SetMaybe(&small)
		n.SetBothAt(1, wide)
		if maybe, _ := n.Maybe(); n.Value() != -want || n.AlsoAt(1) != want || maybe != small || n.BothAt(1) != wide {
			t.Errorf("%v", n)
		}
	}
	mustPanic(t, "astflat.Builder.Num: Base is 64, and 6 bits hold 0 to 63", func() { b.Num(64, 0, nil) })
	mustPanic(t, "astflat.Builder.Num: Exp is 1024, and 11 bits hold -1024 to 1023", func() { b.Num(0, 1024, nil) })
	mustPanic(t, "astflat.Builder.Num: Exp is 4294967296, ", func() { b.Num(0, 1<<32, nil) })
	mustPanic(t, "astflat.Builder.Num: Sub is 8, and 3 bits hold 0 to 7", func() { b.Num(0, 0, &sub) })
	num := b.Num(63, -1024, nil).AsNum()
	mustPanic(t, "astflat.Num.SetExp: Exp is -1025, ", func() { num.SetExp(-1025) })
	mustPanic(t, "astflat.Num.SetBase: Base is 64, ", func() { num.SetBase(64) })
	if num.Base() != 63 || num.Exp() != -1024 {
		t.Error(num)
	}
	for want, x := range map[string]*ast.File{
		"File.Line is -524289, and 20 bits hold -524288 to 524287": {Content: ast.Content{Pos: ast.Pos{Line: -1<<19 - 1}}},
		"Scope.Tag is 1073741824, ":                                {First: &ast.Scope{Tag: new(int)}},
	} {
		if x.First != nil {
			*x.First.Tag = 1 << 30
		}
		if _, err := astflat.FromTree(x, flat.LoadLimits{}); !errors.Is(err, flat.ErrRange) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// If int has 32 bits, a larger value in a tree must be an error of ToTree and a panic of its
// accessor.
func TestNumbersThatTheMachineCannotHold(t *testing.T) {
	b := astflat.NewBuilder(flat.BuilderOptions{})
	n := b.Int(-1, nil, nil, [2]uint{})
	data := takeApart(fileOf(must(b.Finish(b.File(astflat.FileFields{List: []astflat.Stmt{b.Func(astflat.FuncFields{Params: astflat.ParamsFields{Rest: n}})}}))).Flat()))
	data.Words[1+1], data.Words[1+2] = 0, 1 // the words of the value
	tree := must(astflat.Load(data.bytes(), flat.LoadLimits{}))
	value := tree.Root().ListAt(0).AsFunc().Params().Rest().AsInt()
	_, err := astflat.ToTree(tree, flat.LoadLimits{})
	if math.MaxInt > math.MaxInt32 {
		if err != nil || int64(value.Value()) != 1<<32 {
			t.Error(err)
		}
		return
	}
	const want = "flat: the number 0x100000000 in the tree needs 64 bits, and this machine's int and uint have 32"
	if !errors.Is(err, flat.ErrRange) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	mustPanic(t, want, func() { value.Value() })
}

// A field whose Go type is a node struct, not a pointer, is a reference in the tree, which may be
// nil.
func TestNodesByValue(t *testing.T) {
	b := astflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.File(astflat.FileFields{List: []astflat.Stmt{b.Func(astflat.FuncFields{Name: "f"})}})))
	f := tree.Root().ListAt(0).AsFunc()
	if !f.Body().IsNil() || !tree.Root().First().IsNil() {
		t.Error(tree)
	}
	back := must(astflat.ToTree(tree, flat.LoadLimits{}))
	if want := (&ast.File{Content: ast.Content{List: []ast.Stmt{&ast.Func{Name: "f"}}}}); !reflect.DeepEqual(back, want) {
		t.Errorf("%+v", back)
	}
}

// Rewrite must move references in lists of structs that are in lists themselves. The test compares
// a rewriting pass with a model that changes the pointer tree.
func TestRewriteSlicesInStructs(t *testing.T) {
	b := astflat.NewBuilder(flat.BuilderOptions{})
	for seed := range uint64(200) {
		x := random.Tree[*ast.File](rand.New(rand.NewPCG(seed, 26)), int(seed)%40, astVariants)
		if x == nil {
			continue
		}
		tree := must(astflat.FromTree(x, flat.LoadLimits{}))
		got := must(b.Rewrite(tree, astflat.Rewriter{
			Num:  func(b *astflat.Builder, n astflat.Num) astflat.Expr { return b.Call(n.AsExpr(), astflat.ArgsFields{}) },
			Int:  func(*astflat.Builder, astflat.Int) astflat.Expr { return astflat.Expr{} },
			Nest: func(b *astflat.Builder, n astflat.Nest) astflat.Nest { n.SetName("new"); return n },
		}))
		replaced := replaceNums(reflect.ValueOf(x))
		want := must(astflat.FromTree(replaced.Interface().(*ast.File), flat.LoadLimits{}))
		if again, err := astflat.Load(fileOf(got.Flat()), flat.LoadLimits{}); err != nil || !reflect.DeepEqual(fileOf(again.Compact().Flat()), fileOf(want.Compact().Flat())) {
			t.Fatalf("tree %d: %v\n%v\nwant\n%v", seed, err, got, want)
		}
	}
}

// replaceNums returns a copy of v in which each Num is the argument of a Call, Ints are removed,
// and Nests have new names.
func replaceNums(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.Interface:
		switch x := v.Interface().(type) {
		case nil:
		case *ast.Num:
			to.Set(reflect.ValueOf(&ast.Call{Fn: x}))
		case *ast.Int:
			to.SetZero()
		default:
			to.Set(replaceNums(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(replaceNums(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			to.Field(i).Set(replaceNums(v.Field(i)))
		}
		if n, is := to.Interface().(ast.Nest); is {
			n.Name = "new"
			to.Set(reflect.ValueOf(n))
		}
	case reflect.Array:
		for i := range v.Len() {
			to.Index(i).Set(replaceNums(v.Index(i)))
		}
	case reflect.Slice:
		if v.Len() > 0 {
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				to.Index(i).Set(replaceNums(v.Index(i)))
			}
		}
	}
	return to
}
