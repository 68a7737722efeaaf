package flat_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// The functions below do what those of cpp/test/flat_edits.hpp do.

// A crossEditor edits a tree whose nodes have the type N.
type crossEditor[N any] struct {
	nodes  []N // all nodes, in the order of the tree
	edit   func()
	finish func(root N)
	make   func(what, c int, x, y N) N
	set    func(n N, c int, child N) bool
}

// refused runs f, and reports whether it panics.
func refused(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// run runs a program of edits, six bytes for each.
func (e *crossEditor[N]) run(text []byte) string {
	var log strings.Builder
	var none N
	open := false
	finish := func() {
		open = false
		for i := len(e.nodes) - 1; i >= 0; i-- {
			if !refused(func() { e.finish(e.nodes[i]) }) {
				fmt.Fprintf(&log, "|%d", i)
				return
			}
		}
		e.finish(none)
		log.WriteString("|nil")
	}
	pick := func(one int) N {
		if i := one % (len(e.nodes) + 1); i < len(e.nodes) {
			return e.nodes[i]
		}
		return none
	}
	const step = 6
	for ; len(text) >= step; text = text[step:] {
		what, i, k, c := int(text[0]), int(text[1])+256*int(text[2]), int(text[3])+256*int(text[4]), int(text[5])
		if !open {
			e.edit()
			open = true
		}
		if what%32 == 31 {
			finish()
			continue
		}
		has := true
		switch {
		case refused(func() {
			if len(e.nodes) == 0 || what%4 == 0 {
				e.nodes = append(e.nodes, e.make(what/4, c, pick(i), pick(k)))
				return
			}
			has = e.set(e.nodes[i%len(e.nodes)], c, pick(k))
		}):
			log.WriteByte('r')
		case has:
			log.WriteByte('.')
		default:
			log.WriteByte('-')
		}
	}
	if open {
		finish()
	}
	return log.String()
}

// editExpr runs a program of edits on an expression.
func editExpr(data, text []byte) (*flat.Tree, string) {
	tree, b := must(exprflat.Load(data, flat.LoadLimits{})), exprflat.NewBuilder(flat.BuilderOptions{})
	e := crossEditor[exprflat.Expr]{
		edit:   func() { b.Edit(tree) },
		finish: func(root exprflat.Expr) { tree = must(b.Finish(root)) },
		make: func(what, c int, x, y exprflat.Expr) exprflat.Expr {
			switch what % 3 {
			case 0:
				return b.Num(float64(c))
			case 1:
				return b.Bin(expr.Op(c), x, y)
			default:
				return b.Call("", []exprflat.Expr{{}, y}, nil)
			}
		},
		set: func(n exprflat.Expr, c int, child exprflat.Expr) bool {
			switch n.Kind() {
			case exprflat.KindNum:
				n.AsNum().SetValue(float64(c))
			case exprflat.KindBin:
				switch c % 3 {
				case 0:
					n.AsBin().SetL(child)
				case 1:
					n.AsBin().SetR(child)
				default:
					n.AsBin().SetOp(expr.Op(c))
				}
			case exprflat.KindCall:
				if n.AsCall().NumArgs() == 0 {
					return false
				}
				n.AsCall().SetArg(c%n.AsCall().NumArgs(), child)
			default:
				return false
			}
			return true
		},
	}
	for n := range tree.All {
		e.nodes = append(e.nodes, n.AsExpr())
	}
	log := e.run(text)
	return tree.Flat(), log
}

// editTerm runs a program of edits on a graph.
func editTerm(data, text []byte) (*flat.Tree, string) {
	tree, b := must(dagflat.Load(data, flat.LoadLimits{MaxWalk: math.MaxInt})), dagflat.NewBuilder(flat.BuilderOptions{})
	e := crossEditor[dagflat.Term]{
		edit:   func() { b.Edit(tree) },
		finish: func(root dagflat.Term) { tree = must(b.Finish(root)) },
		make: func(what, _ int, x, y dagflat.Term) dagflat.Term {
			switch what % 3 {
			case 0:
				return b.Atom("")
			case 1:
				return b.Pair(x, y)
			default:
				return b.List([]dagflat.Term{{}, y})
			}
		},
		set: func(n dagflat.Term, c int, child dagflat.Term) bool {
			switch n.Kind() {
			case dagflat.KindPair:
				if c%2 == 0 {
					n.AsPair().SetA(child)
				} else {
					n.AsPair().SetB(child)
				}
			case dagflat.KindList:
				if n.AsList().NumItems() == 0 {
					return false
				}
				n.AsList().SetItem(c%n.AsList().NumItems(), child)
			default:
				return false
			}
			return true
		},
	}
	for n := range tree.All {
		e.nodes = append(e.nodes, n.AsTerm())
	}
	log := e.run(text)
	return tree.Flat(), log
}

// The same edits of the same tree have the same results in Go and C++: what is refused, the words
// of the tree, whether it is a file, and its canonical form.
func TestEditIsTheSameInCpp(t *testing.T) {
	dir := t.TempDir()
	type result struct {
		tree *flat.Tree
		log  string
	}
	want := map[string]result{}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 19))
		text := randomText(seed, 6*(1+int(seed)%120))
		e := random.Tree[expr.Expr](r, int(seed), []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)})
		for name, data := range map[string][]byte{
			"expr": fileOf(must(exprflat.FromTree(e, flat.LoadLimits{})).Flat()),
			"dag":  fileOf(must(dagflat.FromTree(randomDag(r, 1+int(seed)/4), flat.LoadLimits{})).Flat()),
		} {
			run := either(name == "expr", editExpr, editTerm)
			name += fmt.Sprintf("-edits%d", seed)
			tree, log := run(data, text)
			want[name] = result{tree, log}
			writeVector(t, dir, name, ".flat", data)
			writeVector(t, dir, name, ".program", text)
		}
	}
	if *cpp == "" {
		t.Skip("it needs -cpp; make cpp runs this test with it")
	}
	runTool(t, dir)
	files, made, refusals := 0, 0, 0
	for name, w := range want {
		made += strings.Count(w.log, ".")
		refusals += strings.Count(w.log, "r")
		if got := string(readVector(t, dir, name, ".log")); got != w.log {
			t.Errorf("%s: C++ does %s, Go %s", name, got, w.log)
		}
		if got := string(readVector(t, dir, name, ".after-dump")); got != dumpOf(w.tree) {
			t.Errorf("%s: C++ has made\n%s, Go\n%s", name, got, dumpOf(w.tree))
		}
		if got := readVector(t, dir, name, ".after"); !bytes.Equal(got, fileOf(w.tree.Compact())) {
			t.Errorf("%s: C++ has another canonical form", name)
		}
		var file []byte
		if !refused(func() { file = fileOf(w.tree) }) {
			files++
		}
		if got := readVector(t, dir, name, ".after-file"); !bytes.Equal(got, file) {
			t.Errorf("%s: C++ writes\n%x, Go\n%x", name, got, file)
		}
	}
	t.Logf("%d edits, %d refused; %d trees of %d are files", made, refusals, files, len(want))
	if made < 5000 || refusals < 1000 || files < 10 || files == len(want) {
		t.Error("the programs try little")
	}
}

// setEvery sets fields of a node of the schema every.
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

// crossEdited is the canonical form of a tree whose fields Go has set; nil for other schemas.
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

// editedFile edits all nodes of a walk, and returns the file of the canonical form.
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

// Setters of all types do the same in Go and C++.
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
