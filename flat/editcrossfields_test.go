package flat_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
)

// The following functions make the same changes as set_fields and edited in
// cpp/test/flat_edits.hpp.

// setEvery sets fields of a node that belongs to the schema every.
func setEvery(b *everyflat.Builder, n everyflat.Any) {
	at := func(n int) int { return n - 1 }
	switch n.Kind() {
	case everyflat.KindScalars:
		setScalars(n.AsScalars())
	case everyflat.KindNamed:
		n := n.AsNamed()
		n.SetFlag(!n.Flag())
		n.SetLevel(-128)
		n.SetShort(-1)
		n.SetName("named")
		n.SetBlob(nil)
		n.SetReal(2.5)
		n.SetVecAt(1, 1.5)
		if i := at(n.NumRefs()); i >= 0 {
			n.SetRef(i, b.Null())
		}
	case everyflat.KindOptional:
		setOptional(n.AsOptional())
	case everyflat.KindInterned:
		n := n.AsInterned()
		n.SetS("set")
		n.SetT([]byte("set"))
		if i := at(n.NumList()); i >= 0 {
			n.SetListAt(i, "an item")
		}
		n.SetTwiceAt(1, "set")
	case everyflat.KindLinks:
		n := n.AsLinks()
		n.SetNull(everyflat.Null{})
		n.SetNull(b.Null().AsNull())
		leaf := n.Leaf()
		n.SetLeaf(everyflat.Leaf{})
		n.SetLeave(1, leaf)
	case everyflat.KindLists:
		setLists(n.AsLists())
	case everyflat.KindArrays:
		n := n.AsArrays()
		n.SetBool(8, true)
		n.SetByte(4, 77)
		n.SetI16At(2, -77)
		n.SetU32At(1, 77)
		n.SetF64At(1, 77)
		n.SetString(0, "in an array")
		n.SetBlob(1, every.Blob("in an array"))
		n.SetGridAt(1, [3]int8{-1, -2, -3})
		n.SetVec(1, every.Vec{-1, -2, -3})
		n.NestedAt(1)[0].SetKey("nested")
	case everyflat.KindInline:
		n := n.AsInline()
		n.SetOn(!n.On())
		end, big, note := uint32(6), int64(-1), "a note"
		n.At().SetLine(5)
		n.At().SetEnd(&end)
		n.At().SetHint(nil)
		n.At().SetNote(&note)
		n.At().SetBig(&big)
		n.Pair().SetValue(everyflat.Node{})
		n.Pair().SetValue(b.Null())
		n.Pair().Spot().SetOn(true)
	}
}

func setScalars(n everyflat.Scalars) {
	n.SetB(!n.B())
	n.SetI8(-7)
	n.SetU8(250)
	n.SetI16(-3000)
	n.SetU16(60_000)
	n.SetI32(-7)
	n.SetU32(0xfffffff0)
	n.SetF32(0.5)
	n.SetI64(-(1 << 40))
	n.SetU64(1 << 63)
	n.SetF64(-0.25)
	n.SetS("set")
	n.SetT([]byte("bytes"))
}

func setOptional(n everyflat.Optional) {
	b, i16, f32, i64, s, l := true, int16(-5), float32(1), int64(-9), "", every.Level(3)
	n.SetB(&b)
	n.SetI8(nil)
	n.SetI16(&i16)
	n.SetU32(nil)
	n.SetF32(&f32)
	n.SetI64(&i64)
	n.SetF64(nil)
	n.SetS(&s)
	n.SetName(nil)
	n.SetL(&l)
}

func setLists(n everyflat.Lists) {
	n.SetSmall(1)
	for _, one := range []struct {
		count int
		set   func(i int)
	}{
		{n.NumBools(), func(i int) { n.SetBool(i, true) }},
		{n.NumOctets(), func(i int) { n.SetOctet(i, 200) }},
		{n.NumI8(), func(i int) { n.SetI8At(i, -100) }},
		{n.NumI16(), func(i int) { n.SetI16At(i, -100) }},
		{n.NumU16(), func(i int) { n.SetU16At(i, 65_000) }},
		{n.NumI32(), func(i int) { n.SetI32At(i, -100) }},
		{n.NumF32(), func(i int) { n.SetF32At(i, -100) }},
		{n.NumI64(), func(i int) { n.SetI64At(i, -100) }},
		{n.NumF64(), func(i int) { n.SetF64At(i, -100) }},
		{n.NumStrings(), func(i int) { n.SetString(i, "an item") }},
		{n.NumBlobs(), func(i int) { n.SetBlob(i, []byte("a blob")) }},
		{n.NumVecs(), func(i int) { n.SetVec(i, every.Vec{1, 2, 3}) }},
		{n.NumGrids(), func(i int) { n.SetGrid(i, [2][2]int16{{1, -2}, {3, -4}}) }},
		{n.NumPairs(), func(i int) { n.Pair(i).SetKey("a key") }},
		{n.NumSpots(), func(i int) { n.Spot(i).SetCol(9) }},
		{n.NumArms(), func(i int) { n.SetArm(i, [2]everyflat.Leaf{}) }},
	} {
		if one.count > 0 {
			one.set(one.count - 1)
		}
	}
}

func setNarrow(_ *narrowflat.Builder, n narrowflat.Any) {
	switch n.Kind() {
	case narrowflat.KindIdent:
		n.AsIdent().SetAt(0xffffff)
	case narrowflat.KindMove:
		n := n.AsMove()
		n.SetBy(-(1 << 23))
		n.SetFast(!n.Fast())
		n.SetBack(-1)
		n.SetFrom(1)
		n.SetLevel(-1)
	case narrowflat.KindOptional:
		i := flat.Int24(-2)
		n.AsOptional().SetU(nil)
		n.AsOptional().SetI(&i)
	case narrowflat.KindLists:
		n := n.AsLists()
		if i := n.NumU() - 1; i >= 0 {
			n.SetUAt(i, 3)
		}
		if i := n.NumI() - 1; i >= 0 {
			n.SetIAt(i, -3)
		}
		if i := n.NumGrid() - 1; i >= 0 {
			n.SetGridAt(i, [2]flat.Int24{-4, 4})
		}
		if i := n.NumSpans() - 1; i >= 0 {
			n.Span(i).SetBy(-5)
		}
	}
}

func setAst(b *astflat.Builder, n astflat.Any) {
	switch n.Kind() {
	case astflat.KindNum:
		n.AsNum().SetBase(63)
		n.AsNum().SetExp(-1024)
		n.AsNum().SetSub(nil)
	case astflat.KindCall:
		n := n.AsCall()
		fn := n.Fn()
		n.SetFn(astflat.Expr{})
		n.SetFn(b.Call(fn, astflat.ArgsFields{}))
		if i := n.Args().NumList() - 1; i >= 0 {
			n.Args().SetListAt(i, astflat.Expr{})
		}
	case astflat.KindFunc:
		n := n.AsFunc()
		n.SetLine(9)
		n.SetName("a function")
		n.SetBody(astflat.Block{})
		n.SetBody(b.Block(astflat.BlockFields{Line: 1, Names: []string{"a name"}}).AsBlock())
		params := n.Params()
		if i := params.NumKind() - 1; i >= 0 {
			params.SetKindAt(i, -1)
		}
		if i := params.NumBits() - 1; i >= 0 {
			params.SetBit(i, true)
		}
		if i := params.NumList() - 1; i >= 0 {
			params.ListAt(i).SetName("a parameter")
		}
	}
}

func setLinks(b *linksflat.Builder, n linksflat.Any) {
	switch n.Kind() {
	case linksflat.KindGroup:
		n := n.AsGroup()
		n.SetPairAt(0, n.AsNode())
		if i := n.NumUses() - 1; i >= 0 {
			n.SetUse(i, linksflat.Use{})
		}
		use := b.Use(linksflat.Var{})
		n.SetPairAt(1, use)
		if i := n.NumItems() - 1; i >= 0 {
			n.SetItem(i, linksflat.Node{})
			n.SetItem(i, use)
		}
	case linksflat.KindScope:
		n := n.AsScope()
		n.SetUp(n)
		n.Last().SetAt(-3)
		if i := n.Last().NumVars() - 1; i >= 0 {
			n.Last().SetVar(i, linksflat.Var{})
		}
	}
}

// crossEdited sets fields of all nodes of a tree and returns the canonical form of the result. It
// returns nil for schemas without such edits.
func crossEdited(name string, data []byte) []byte {
	limits := flat.LoadLimits{}
	switch first, _, _ := strings.Cut(name, "-"); first {
	case "every":
		tree, b := must(everyflat.Load(data, limits)), everyflat.NewBuilder(flat.BuilderOptions{})
		root := tree.Root()
		return editedFile(root.AsAny().Preorder, func() { b.Edit(tree) }, func(n everyflat.Any) { setEvery(b, n) }, func() *flat.Tree { return must(b.Finish(root)).Flat() })
	case "narrow":
		tree, b := must(narrowflat.Load(data, limits)), narrowflat.NewBuilder(flat.BuilderOptions{})
		root := tree.Root()
		return editedFile(root.AsAny().Preorder, func() { b.Edit(tree) }, func(n narrowflat.Any) { setNarrow(b, n) }, func() *flat.Tree { return must(b.Finish(root)).Flat() })
	case "ast":
		tree, b := must(astflat.Load(data, limits)), astflat.NewBuilder(flat.BuilderOptions{})
		root := tree.Root()
		return editedFile(root.AsAny().Preorder, func() { b.Edit(tree) }, func(n astflat.Any) { setAst(b, n) }, func() *flat.Tree { return must(b.Finish(root)).Flat() })
	case "links":
		tree, b := must(linksflat.Load(data, limits)), linksflat.NewBuilder(flat.BuilderOptions{})
		root := tree.Root()
		return editedFile(root.AsAny().Preorder, func() { b.Edit(tree) }, func(n linksflat.Any) { setLinks(b, n) }, func() *flat.Tree { return must(b.Finish(root)).Flat() })
	default:
		return nil
	}
}

// editedFile edits all nodes that walk yields, and returns the file of the result's canonical form.
func editedFile[A any](walk func(func(A) bool), edit func(), set func(A), finish func() *flat.Tree) []byte {
	edit()
	var nodes []A
	for n := range walk {
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		set(n)
	}
	return fileOf(finish().Compact())
}

// The setters of all field types have the same effect in Go and C++.
func TestEditSetsTheSameInCpp(t *testing.T) {
	files := valid()
	for name, data := range randomFiles() {
		files[name] = data
	}
	want, dir := map[string][]byte{}, t.TempDir()
	for name, data := range files {
		if edited := crossEdited(name, data); edited != nil {
			want[name] = edited
			writeVector(t, dir, name, ".flat", data)
		}
	}
	if len(want) < 80 {
		t.Errorf("%d trees are edited", len(want))
	}
	if *cpp == "" {
		t.Skip("it needs -cpp; make cpp runs this test with it")
	}
	runTool(t, dir)
	for name, w := range want {
		if got := readVector(t, dir, name, ".edited"); !bytes.Equal(got, w) {
			t.Errorf("%s: C++ has edited it to\n%x, Go to\n%x", name, got, w)
		}
	}
}
