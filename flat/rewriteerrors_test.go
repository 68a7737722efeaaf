package flat_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// sumOf returns the tree of the sum 1 + 2 + ... with the given number of summands, grouped from the
// left.
func sumOf(numbers int) exprflat.Tree {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	sum := b.Num(1)
	for i := 2; i <= numbers; i++ {
		sum = b.Bin(expr.Add, sum, b.Num(float64(i)))
	}
	return must(b.Finish(sum))
}

// Misuse panics with a message that describes the mistake. Afterwards the Builder is empty and
// remains usable.
func TestRewriteRefuses(t *testing.T) {
	tree, b := sumOf(3), exprflat.NewBuilder(flat.BuilderOptions{})
	bin := func(f func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr) exprflat.Rewriter {
		return exprflat.Rewriter{Bin: f}
	}
	other := exprflat.NewBuilder(flat.BuilderOptions{}).Num(1)
	var stale exprflat.Expr
	for _, c := range []struct {
		want    string
		rewrite func()
	}{
		{"exprflat.Builder.Rewrite: want nil or a node of the new tree to replace Bin #7; found Num #1 of another tree", func() {
			b.Rewrite(tree, bin(func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { return other }))
		}},
		{"of another tree", func() {
			b.Rewrite(tree, bin(func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { return tree.Root().AsBin().L() }))
		}},
		{"exprflat.Builder.Bin: want nil or a node as a child, ", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.L(), other) }))
		}},
		{"has a second parent", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.L(), n.L()) }))
		}},
		{"has a second parent", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.AsExpr(), n.R()) }))
		}},
		{"has a second parent", func() {
			b.Rewrite(tree, bin(func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
				if n.L().Kind() == exprflat.KindBin {
					n.SetR(n.L().AsBin().L())
				}
				return n.AsExpr()
			}))
		}},
		{"exprflat.Builder.Finish: called by a function that Rewrite has called", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Finish(n.AsExpr()); return n.AsExpr() }))
		}},
		{"exprflat.Builder.Rewrite: called by", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
				b.Rewrite(tree, exprflat.Rewriter{})
				return n.AsExpr()
			}))
		}},
		{"exprflat.Builder.Reset: called by", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Reset(); return n.AsExpr() }))
		}},
		{"exprflat.Builder.Reuse: called by", func() {
			b.Rewrite(tree, bin(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Reuse(tree); return n.AsExpr() }))
		}},
		{"my own", func() {
			b.Rewrite(tree, bin(func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { panic("my own") }))
		}},
		{"", func() { // a handle is used after its rewrite has ended
			must(b.Rewrite(tree, bin(func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { stale = n.AsExpr(); return stale })))
			_ = stale.Kind()
		}},
	} {
		mustPanic(t, c.want, c.rewrite)
		if got := must(b.Rewrite(tree, exprflat.Rewriter{})); got.String() != tree.String() {
			t.Errorf("after a panic with %q, %v is copied as %v", c.want, tree, got)
		}
	}
	b.Num(1)
	mustPanic(t, "exprflat.Builder.Rewrite: the Builder has begun another tree", func() { b.Rewrite(tree, exprflat.Rewriter{}) })
	b.Reset()
	tree.Free()
	mustPanic(t, "exprflat.Builder.Rewrite: the tree was freed", func() { b.Rewrite(tree, exprflat.Rewriter{}) })
}

// If a function of the Rewriter recovers from a panic of the Builder, the new tree is not affected.
func TestRewriteAfterARecoveredPanic(t *testing.T) {
	tree, b := sumOf(4), exprflat.NewBuilder(flat.BuilderOptions{})
	next := must(b.Rewrite(tree, exprflat.Rewriter{Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		func() {
			defer func() { recover() }()
			b.Bin(expr.Mul, n.L(), tree.Root())
		}()
		return n.AsExpr()
	}}))
	if next.String() != tree.String() || next.NumNodes() != tree.NumNodes() {
		t.Errorf("%v became %v, of %d nodes", tree, next, next.NumNodes())
	}
}

// Rewrite rejects a replacement that its parent does not accept, whether the child is in a field,
// an array or a slice.
func TestRewriteChecksKinds(t *testing.T) {
	build := func(links func(b *everyflat.Builder, null everyflat.Null) everyflat.Node) everyflat.Tree {
		b := everyflat.NewBuilder(flat.BuilderOptions{})
		return must(b.Finish(links(b, b.Null().AsNull())))
	}
	for where, tree := range map[string]everyflat.Tree{
		"field": build(func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Links(everyflat.LinksFields{Leaf: null.AsLeaf()})
		}),
		"pointer": build(func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Links(everyflat.LinksFields{Null: null})
		}),
		"array": build(func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Links(everyflat.LinksFields{Leaves: [2]everyflat.Leaf{{}, null.AsLeaf()}})
		}),
		"item": build(func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			none := everyflat.Leaf{}
			return b.Lists(everyflat.ListsFields{Nodes: []everyflat.Node{{}}, Arms: [][2]everyflat.Leaf{{none, none}, {none, null.AsLeaf()}}})
		}),
	} {
		b := everyflat.NewBuilder(flat.BuilderOptions{})
		mustPanic(t, " as a child of Li", func() {
			b.Rewrite(tree, everyflat.Rewriter{Null: func(b *everyflat.Builder, _ everyflat.Null) everyflat.Any {
				return b.Value(everyflat.Leaf{}).AsAny() // a Value is not a Leaf
			}})
			t.Errorf("%s: it is accepted", where)
		})
		must(b.Rewrite(tree, everyflat.Rewriter{Null: func(*everyflat.Builder, everyflat.Null) everyflat.Any { return everyflat.Any{} }}))
	}
}

// Rewrite respects MaxBytes. If it fails with ErrFull, the Builder is empty afterwards.
func TestRewriteOfAFullBuilder(t *testing.T) {
	tree := sumOf(1000)
	b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 4 * int64(tree.NumWords())})
	grow := exprflat.Rewriter{Num: func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr {
		return b.Bin(expr.Add, n.AsExpr(), b.Var("a variable"))
	}}
	for range 2 {
		if _, err := b.Rewrite(tree, grow); !errors.Is(err, flat.ErrFull) {
			t.Errorf("a tree that grows: %v", err)
		}
		if copied, err := b.Rewrite(tree, exprflat.Rewriter{}); err != nil || copied.NumNodes() != tree.NumNodes() {
			t.Errorf("a copy: %v", err)
		}
	}
	small := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 100})
	if _, err := small.Rewrite(tree, exprflat.Rewriter{}); !errors.Is(err, flat.ErrFull) {
		t.Errorf("a copy of a large tree: %v", err)
	}
}

// Rewrite does not recurse, so it can rewrite a tree with a million levels. It also accepts a tree
// without a root.
func TestRewriteOfDeepAndEmptyTrees(t *testing.T) {
	levels := float64(manyLevels())
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	next := must(b.Rewrite(sumOf(manyLevels()), crossExprFold))
	if root := next.Root(); next.NumNodes() != 1 || root.AsNum().Value() != levels*(levels+1)/2 {
		t.Errorf("%d nodes, %v", next.NumNodes(), root)
	}
	empty := must(b.Rewrite(must(b.Finish(exprflat.Expr{})), crossExprFold))
	if !empty.Root().IsNil() || empty.NumNodes() != 0 {
		t.Errorf("nothing became %v", empty)
	}
	gone := must(b.Rewrite(sumOf(2), exprflat.Rewriter{Bin: func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { return exprflat.Expr{} }}))
	if !gone.Root().IsNil() || gone.NumNodes() != 0 || gone.NumWords() != 1 {
		t.Errorf("%v is left of a tree without a root", gone)
	}
}

var crossExprFold = exprflat.Rewriter{Bin: crossExpr.Bin}

// A function may change the node that it rewrites by setters, and may insert a node of an earlier
// call anywhere in the new tree.
func TestRewriteWithSettersAndHoisting(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	f := b.Call("f", []exprflat.Expr{b.Var("x"), b.Num(1)}, nil)
	tree := must(b.Finish(b.Call("main", []exprflat.Expr{f, b.Num(2)}, nil)))
	var hoisted []exprflat.Expr
	next := must(b.Rewrite(tree, exprflat.Rewriter{
		Var: func(_ *exprflat.Builder, n exprflat.Var) exprflat.Expr {
			hoisted = append(hoisted, n.AsExpr())
			return exprflat.Expr{}
		},
		Call: func(b *exprflat.Builder, n exprflat.Call) exprflat.Expr {
			if n.Fn() == "main" {
				return b.Call("let", append(hoisted, n.AsExpr()), nil)
			}
			n.SetFn("g")
			n.SetArg(1, exprflat.Expr{})
			return n.AsExpr()
		},
	}))
	const want = `Call{Fn: "let", Args: [Var{Name: "x"}, Call{Fn: "main", Args: [Call{Fn: "g", Args: [nil, nil], Doc: nil}, Num{Value: 2}], Doc: nil}], Doc: nil}`
	if next.String() != want || next.NumNodes() != 5 {
		t.Errorf("%d nodes, %v", next.NumNodes(), next)
	}
}

// The strings of a tree never change, whatever happens to other trees that share their memory.
func TestRewriteNeverChangesStrings(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	rename := func(to string) exprflat.Rewriter {
		return exprflat.Rewriter{Var: func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr {
			if to == "" {
				b.Var("lost")
				panic("given up")
			}
			return b.Var(n.Name() + to)
		}}
	}
	first := must(b.Rewrite(must(b.Finish(b.Var("x"))), rename("1")))
	second := must(b.Rewrite(first, rename("2")))
	other := must(b.Rewrite(first, rename("3")))
	mustPanic(t, "given up", func() { b.Rewrite(other, rename("")) })
	third := must(b.Rewrite(other, rename("4")))
	clone := third.Clone()
	fourth := must(b.Rewrite(third, rename("5")))
	clone.Root().AsVar().SetName("clone")
	for _, c := range []struct {
		tree exprflat.Tree
		want string
	}{{first, "x1"}, {second, "x12"}, {other, "x13"}, {third, "x134"}, {clone, "clone"}, {fourth, "x1345"}} {
		if got := c.tree.Root().AsVar().Name(); got != c.want {
			t.Errorf("the name is %q, want %q", got, c.want)
		}
	}
	if compact := fourth.Compact(); strings.Contains(string(fileOf(compact.Flat())), "clone") {
		t.Error("a clone's string is in another tree")
	}
}

// A string that was read from an abandoned new tree does not change when the Builder is used again.
func TestRewriteNeverChangesStringsOfATreeGivenUp(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	lost := ""
	rename := func(to string, giveUp bool) exprflat.Rewriter {
		return exprflat.Rewriter{Var: func(b *exprflat.Builder, _ exprflat.Var) exprflat.Expr {
			made := b.Var(to)
			if giveUp {
				lost = made.AsVar().Name()
				panic("given up")
			}
			return made
		}}
	}
	tree := must(b.Rewrite(must(b.Finish(b.Var(strings.Repeat("x", 1000)))), rename("y", false))) // has room for more strings
	mustPanic(t, "given up", func() { b.Rewrite(tree, rename("lost", true)) })
	must(b.Rewrite(tree, rename("found", false)))
	if lost != "lost" {
		t.Errorf("the string has become %q", lost)
	}
}

// Passes that alternate between two trees allocate only the values of type Tree, because each of
// these has its own identity.
func TestRewriteInTwoBuffersDoesNotAllocate(t *testing.T) {
	tree := buildFlat(12)
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	pass := exprflat.Rewriter{Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(n.Op(), n.R(), n.L()) }}
	next := func() {
		old := tree
		tree = must(b.Rewrite(old, pass))
		b.Reuse(old)
	}
	for range 4 {
		next()
	}
	const most = 2 // the Tree of the result, and the next Tree of the Builder
	if allocs := testing.AllocsPerRun(10, next); allocs > most {
		t.Errorf("%v allocations in a pass, want at most %d", allocs, most)
	}
}

// forward returns the lines of the dump of tree for records that refer to themselves or to later
// records.
func forward(tree *flat.Tree) (found []string) {
	var dump strings.Builder
	if err := tree.Dump(&dump); err != nil {
		panic(err)
	}
	for line := range strings.Lines(dump.String()) {
		indices := indexInDump.FindAllStringSubmatch(line, -1)
		for k := 1; strings.HasPrefix(line, "#") && k < len(indices); k++ {
			if must(strconv.Atoi(indices[k][1])) >= must(strconv.Atoi(indices[0][1])) {
				found = append(found, line)
			}
		}
	}
	return found
}

var indexInDump = regexp.MustCompile(`#(\d+)`)

// Rewrite copies a mapped tree before it reads it. If the file is changed meanwhile, Rewrite may
// panic or return some tree, but never a tree with a cycle.
func TestRewriteOfAMappedFile(t *testing.T) {
	if !canMap(t) {
		t.Skip("files are not mapped here")
	}
	b, shared := exprflat.NewBuilder(flat.BuilderOptions{}), dagflat.NewBuilder(flat.BuilderOptions{})
	flipWhileMapped(t, fileOf(sumOf(20).Flat()), func(path string) (*flat.Tree, func() *flat.Tree) {
		tree := must(exprflat.Open(path, flat.LoadLimits{}))
		return tree.Flat(), func() *flat.Tree { return must(b.Rewrite(tree, exprflat.Rewriter{})).Flat() }
	})
	flipWhileMapped(t, fileOf(pairs(10).Flat()), func(path string) (*flat.Tree, func() *flat.Tree) {
		tree := must(dagflat.Open(path, flat.LoadLimits{}))
		return tree.Flat(), func() *flat.Tree { return must(shared.Rewrite(tree, dagflat.Rewriter{})).Flat() }
	})
}

// flipWhileMapped calls open and rewrite once for each bit of a file, and flips the bit between the
// two calls.
func flipWhileMapped(t *testing.T, data []byte, open func(path string) (tree *flat.Tree, rewrite func() *flat.Tree)) {
	t.Helper()
	path := saved(t, data)
	step := 1
	if testing.Short() {
		step = 5 // odd, so that each bit position is covered
	}
	for bit := 0; bit < 8*len(data); bit += step {
		tree, rewrite := open(path)
		at := bit / 8
		putInPlace(t, path, at, []byte{data[at] ^ 1<<(bit%8)})
		func() {
			defer func() { recover() }()
			for _, ref := range forward(rewrite()) {
				t.Errorf("with bit %d flipped: %s", bit, ref)
			}
		}()
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
		putInPlace(t, path, at, data[at:at+1])
	}
	tree, rewrite := open(path)
	next := rewrite()
	if err := tree.Close(); err != nil || string(fileOf(next)) != string(data) {
		t.Errorf("%v; a copy of a mapped tree differs", err)
	}
}
