package flat_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// binPass returns a Rewriter that calls f for every Bin.
func binPass(f func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr) exprflat.Rewriter {
	return exprflat.Rewriter{Bin: f}
}

// same is a function for binPass that changes nothing.
func same(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return n.AsExpr() }

// Misuse during a pass panics with a message that describes the mistake. The tree is lost, but the
// Builder is empty and remains usable.
func TestRewriteInPlaceRefuses(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	other := exprflat.NewBuilder(flat.BuilderOptions{}).Num(1)
	for _, c := range []struct {
		want string
		f    func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr
	}{
		{"exprflat.Builder.RewriteInPlace: want nil or a node of the new tree to replace Bin #7; found Num #1 of another tree",
			func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { return other }},
		{"exprflat.Builder.Bin: want nil or a node as a child, ", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.L(), other) }},
		{"exprflat.Builder.RewriteInPlace: want each node once; found", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.L(), n.L()) }},
		{"has a second parent", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(0, n.AsExpr(), n.R()) }},
		{"has a second parent", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // wrapped twice
			return b.Bin(0, b.Bin(1, n.AsExpr(), exprflat.Expr{}), n.AsExpr())
		}},
		{"has a second parent", func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			if n.L().Kind() == exprflat.KindBin {
				n.SetR(n.L().AsBin().L())
			}
			return n.AsExpr()
		}},
		{"which comes after its parent, or is the parent", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			n.SetL(b.Num(1))
			return n.AsExpr()
		}},
		{"which comes after its parent, or is the parent", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			n.SetL(n.AsExpr())
			return n.AsExpr()
		}},
		{"exprflat.Builder.Finish: called by a function that RewriteInPlace has called", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			b.Finish(n.AsExpr())
			return n.AsExpr()
		}},
		{"exprflat.Builder.RewriteInPlace: called by", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			b.RewriteInPlace(sumOf(2), exprflat.Rewriter{})
			return n.AsExpr()
		}},
		{"exprflat.Builder.Rewrite: called by", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			b.Rewrite(sumOf(2), exprflat.Rewriter{})
			return n.AsExpr()
		}},
		{"exprflat.Builder.Edit: called by", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Edit(sumOf(2)); return n.AsExpr() }},
		{"exprflat.Builder.Reset: called by", func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Reset(); return n.AsExpr() }},
		{"my own", func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { panic("my own") }},
	} {
		tree := sumOf(3)
		root, seen := tree.Root(), exprflat.Expr{}
		mustPanic(t, c.want, func() {
			b.RewriteInPlace(tree, binPass(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
				seen = n.AsExpr()
				return c.f(b, n)
			}))
		})
		mustPanic(t, "", func() { _ = root.Kind() })
		mustPanic(t, "", func() { _ = seen.Kind() })
		if got := must(b.RewriteInPlace(sumOf(3), binPass(same))); got.String() != sumOf(3).String() {
			t.Errorf("after a panic with %q, the next pass makes %v", c.want, got)
		}
		if got := must(b.Finish(b.Bin(expr.Add, b.Num(1), b.Num(2)))); got.NumNodes() != 3 {
			t.Errorf("after a panic with %q, the Builder makes %v", c.want, got)
		}
	}
}

// Nodes that were replaced in passes that panicked do not fill up the Builder's table.
func TestRewriteInPlaceAfterManyPanics(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	right := func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return n.R() }
	must(b.RewriteInPlace(sumOf(2), binPass(right)))
	must(b.RewriteInPlace(sumOf(2), binPass(same)))
	const each = 20 // replaced nodes of a pass; each pass replaces different ones
	for first := 0; first < 10*each; first += each {
		met := 0
		mustPanic(t, "given up", func() {
			b.RewriteInPlace(sumOf(first+2*each), binPass(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
				met++
				switch {
				case met <= first:
					return n.AsExpr()
				case met > first+each:
					panic("given up")
				default:
					return right(b, n)
				}
			}))
		})
	}
	if got := must(b.RewriteInPlace(sumOf(2), binPass(right))); got.String() != "Num{Value: 2}" {
		t.Errorf("the next pass makes %v", got)
	}
}

// RewriteInPlace rejects a tree that it cannot take over, and does not change it.
func TestRewriteInPlaceRefusesTrees(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := sumOf(3)
	b.Num(1)
	mustPanic(t, "exprflat.Builder.RewriteInPlace: the Builder has begun another tree", func() { b.RewriteInPlace(tree, exprflat.Rewriter{}) })
	b.Reset()
	editor := exprflat.NewBuilder(flat.BuilderOptions{})
	editor.Edit(tree)
	mustPanic(t, "exprflat.Builder.RewriteInPlace: a Builder is editing the tree", func() { b.RewriteInPlace(tree, exprflat.Rewriter{}) })
	must(editor.Finish(tree.Root()))
	if canMap(t) {
		mapped := must(exprflat.Open(saved(t, fileOf(tree.Flat())), flat.LoadLimits{}))
		mustPanic(t, "exprflat.Builder.RewriteInPlace: the tree is mapped or belongs to a forest, and is read-only; give it to Rewrite", func() { b.RewriteInPlace(mapped, exprflat.Rewriter{}) })
		if mapped.String() != tree.String() {
			t.Errorf("%v is left of a mapped tree", mapped)
		}
		if err := mapped.Close(); err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(t.TempDir(), "forest")
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	if err := errors.Join(w.Add("tree", tree), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	mustPanic(t, "mapped or belongs to a forest", func() { b.RewriteInPlace(must(r.At(0)), exprflat.Rewriter{}) })
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := must(b.RewriteInPlace(tree, exprflat.Rewriter{})); got.String() != sumOf(3).String() {
		t.Errorf("what was refused before is %v", got)
	}
	mustPanic(t, "exprflat.Builder.RewriteInPlace: the tree was freed", func() { b.RewriteInPlace(tree, exprflat.Rewriter{}) })
}

// Handles that are read during a pass stay valid, and records do not move. A tree to which no node
// was added has as many words as before.
func TestRewriteInPlaceKeepsHandles(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	var seen []exprflat.Bin
	tree := sumOf(4)
	root, words := tree.Root(), tree.NumWords()
	next := must(b.RewriteInPlace(tree, binPass(func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		seen = append(seen, n)
		n.SetOp(expr.Mul)
		return n.AsExpr()
	})))
	if next.NumWords() != words || next.Root().AsBin() != seen[2] || seen[2].L().AsBin() != seen[1] || seen[0].Op() != expr.Mul {
		t.Errorf("%d words of %d, and %v", next.NumWords(), words, next)
	}
	mustPanic(t, "", func() { _ = root.Kind() }) // the old tree was taken over
	mustLoad(t, exprflat.Load, next.Flat())
}

// If all references still lead backward, the result is an ordinary tree. Otherwise it must be
// passed through Compact.
func TestRewriteInPlaceNeedsCompactOnlyForNewNodes(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	removed := must(b.RewriteInPlace(sumOf(4), binPass(func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return n.L() })))
	if removed.Root().Kind() != exprflat.KindNum {
		t.Errorf("%v", removed)
	}
	mustLoad(t, exprflat.Load, removed.Flat())
	atRoot := must(b.RewriteInPlace(sumOf(2), binPass(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(expr.Mul, n.R(), n.L()) })))
	mustLoad(t, exprflat.Load, atRoot.Flat())
	for range atRoot.All {
	}
	added := must(b.RewriteInPlace(sumOf(4), exprflat.Rewriter{Num: func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr { return b.Num(n.Value() + 1) }}))
	mustPanic(t, "use the result of Compact", func() { fileOf(added.Flat()) })
	mustPanic(t, "use the result of Compact", func() {
		for range added.All {
		}
	})
	if added.NumNodes() != 11 || added.Compact().NumNodes() != 7 {
		t.Errorf("%d nodes, %d of them reachable", added.NumNodes(), added.Compact().NumNodes())
	}
	mustLoad(t, exprflat.Load, added.Compact().Flat())
	set := must(b.RewriteInPlace(sumOf(3), binPass(func() func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		var made exprflat.Expr
		return func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // sets the node that the previous visit has made
			if !made.IsNil() {
				n.SetR(made)
			}
			made = b.Num(5)
			return n.AsExpr()
		}
	}())))
	mustPanic(t, "use the result of Compact", func() { fileOf(set.Flat()) })
}

// A node that becomes unreachable gives up its children. A later edit treats them as having one
// parent, which is true.
func TestRewriteInPlaceLeavesOneParent(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.RewriteInPlace(sumOf(4), binPass(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		b.Call("unused", []exprflat.Expr{n.L(), n.R()}, nil)
		return b.Bin(expr.Mul, n.R(), n.L())
	})))
	b.Edit(tree)
	root := tree.Root().AsBin()
	mustPanic(t, "which has a parent already", func() { b.Call("f", []exprflat.Expr{root.L()}, nil) })
	l := root.L()
	root.SetL(exprflat.Expr{})
	root.SetL(b.Call("f", []exprflat.Expr{l}, nil))
	tree = must(b.Finish(root.AsExpr()))
	if got := tree.Root().AsBin().L().AsCall().Arg(0); got != l || tree.Compact().NumNodes() != 8 {
		t.Errorf("%v", tree)
	}
}

// RewriteInPlace rejects a replacement that its parent does not accept, whether the child is in a
// field, an array or a slice.
func TestRewriteInPlaceChecksKinds(t *testing.T) {
	none := everyflat.Leaf{}
	for where, links := range map[string]func(b *everyflat.Builder, null everyflat.Null) everyflat.Node{
		"field": func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Links(everyflat.LinksFields{Leaf: null.AsLeaf()})
		},
		"array": func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Links(everyflat.LinksFields{Leaves: [2]everyflat.Leaf{{}, null.AsLeaf()}})
		},
		"item": func(b *everyflat.Builder, null everyflat.Null) everyflat.Node {
			return b.Lists(everyflat.ListsFields{Nodes: []everyflat.Node{{}}, Arms: [][2]everyflat.Leaf{{none, none}, {none, null.AsLeaf()}}})
		},
	} {
		b := everyflat.NewBuilder(flat.BuilderOptions{})
		tree := must(b.Finish(links(b, b.Null().AsNull())))
		mustPanic(t, " as a child of Li", func() {
			b.RewriteInPlace(tree, everyflat.Rewriter{Null: func(b *everyflat.Builder, _ everyflat.Null) everyflat.Any {
				return b.Value(everyflat.Leaf{}).AsAny() // a Value is not a Leaf
			}})
			t.Errorf("%s: it is accepted", where)
		})
	}
}

// RewriteInPlace respects MaxBytes. If it fails with ErrFull, the Builder is empty, and the tree is
// lost.
func TestRewriteInPlaceOfAFullBuilder(t *testing.T) {
	tree := sumOf(1000)
	b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 4*int64(tree.NumWords()) + 100})
	for range 2 {
		lost := tree.Clone()
		root := lost.Root()
		if _, err := b.RewriteInPlace(lost, exprflat.Rewriter{Num: func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr {
			return b.Bin(expr.Add, n.AsExpr(), b.Var("a variable"))
		}}); !errors.Is(err, flat.ErrFull) {
			t.Errorf("a tree that grows: %v", err)
		}
		mustPanic(t, "", func() { _ = root.Kind() })
		if next, err := b.RewriteInPlace(tree.Clone(), binPass(same)); err != nil || next.String() != tree.String() {
			t.Errorf("a tree that stays: %v", err)
		}
	}
}

// RewriteInPlace does not recurse, so it can rewrite a tree with a million levels. It also accepts
// a tree without a root.
func TestRewriteInPlaceOfDeepAndEmptyTrees(t *testing.T) {
	levels := float64(manyLevels())
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	next := must(b.RewriteInPlace(sumOf(manyLevels()), crossExprFold)).Compact()
	if root := next.Root(); next.NumNodes() != 1 || root.AsNum().Value() != levels*(levels+1)/2 {
		t.Errorf("%d nodes, %v", next.NumNodes(), root)
	}
	empty := must(b.RewriteInPlace(must(b.Finish(exprflat.Expr{})), crossExprFold))
	if !empty.Root().IsNil() || empty.NumNodes() != 0 {
		t.Errorf("nothing became %v", empty)
	}
	gone := must(b.RewriteInPlace(sumOf(2), binPass(func(*exprflat.Builder, exprflat.Bin) exprflat.Expr { return exprflat.Expr{} })))
	if !gone.Root().IsNil() || gone.Compact().NumWords() != 1 {
		t.Errorf("%v is left of a tree without a root", gone)
	}
}

// A pass does not change the strings of clones of the tree that was taken over, the strings of a
// lost tree, or strings that were read from handles.
func TestRewriteInPlaceNeverChangesStrings(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	rename := func(to string) exprflat.Rewriter {
		return exprflat.Rewriter{Var: func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr {
			made := b.Var(n.Name() + to)
			if to == "lost" {
				panic("given up")
			}
			return made
		}}
	}
	first := must(b.Rewrite(must(b.Finish(b.Var(strings.Repeat("x", 100)))), rename("1")))
	clone, other := first.Clone(), first.Clone()
	second := must(b.RewriteInPlace(first, rename("2")))
	name := second.Root().AsVar().Name()
	third := must(b.Rewrite(clone, rename("3")))
	mustPanic(t, "given up", func() { b.RewriteInPlace(second, rename("lost")) })
	fourth := must(b.RewriteInPlace(other, rename("4")))
	must(b.Finish(b.Var("another")))
	clone.Root().AsVar().SetName("clone")
	for _, c := range []struct{ got, want string }{{name, "12"}, {third.Root().AsVar().Name(), "13"}, {fourth.Root().AsVar().Name(), "14"}, {clone.Root().AsVar().Name(), "clone"}} {
		if strings.TrimLeft(c.got, "x") != c.want {
			t.Errorf("the name is %q, want %q", c.got, c.want)
		}
	}
}

// A shared node is visited once. Afterwards all its parents refer to its replacement.
func TestRewriteInPlaceKeepsSharing(t *testing.T) {
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	atom := b.Atom("a")
	tree := must(b.Finish(b.Pair(b.Pair(atom, atom), b.List([]dagflat.Term{atom, b.Atom("b"), atom}))))
	calls := 0
	next := must(b.RewriteInPlace(tree, dagflat.Rewriter{Atom: func(b *dagflat.Builder, n dagflat.Atom) dagflat.Term {
		calls++
		return b.Atom(n.Name() + "'")
	}}))
	root := next.Root().AsPair()
	made := root.A().AsPair().A()
	if calls != 2 || made.AsAtom().Name() != "a'" || root.A().AsPair().B() != made || root.B().AsList().Item(0) != made || root.B().AsList().Item(2) != made {
		t.Errorf("%d calls, %v", calls, next)
	}
}

// A pass that adds no nodes allocates only the Tree of its result. A pass that adds nodes uses
// memory kept by Reuse.
func TestRewriteInPlaceDoesNotAllocate(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds, and such as check pointers, allocate where others do not")
	}
	tree := buildFlat(12)
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	pass := binPass(func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { n.SetOp(n.Op() + 1); return n.AsExpr() })
	quiet := testing.AllocsPerRun(10, func() { tree = must(b.RewriteInPlace(tree, pass)) })
	if quiet > 1 {
		t.Errorf("%v allocations in a pass that adds nothing", quiet)
	}
	more := binPass(func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(n.Op(), n.R(), n.L()) })
	next := tree.Clone()
	step := func() {
		result := must(b.RewriteInPlace(next, more))
		next = tree.CloneInto(next) // next was taken over, so it has no memory
		b.Reuse(result)
	}
	for range 4 {
		step()
	}
	const most = 4 // words and Tree of the clone, Tree of the result, Tree of the Builder
	if allocs := testing.AllocsPerRun(10, step); allocs > most {
		t.Errorf("%v allocations in a pass that adds nodes, want at most %d", allocs, most)
	}
}
