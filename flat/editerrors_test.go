package flat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// edited returns an edited tree, in which a child has a higher index than its parent.
func edited(b *exprflat.Builder) exprflat.Tree {
	tree := sumOf(3)
	b.Edit(tree)
	tree.Root().AsBin().SetR(b.Num(4))
	return must(b.Finish(tree.Root()))
}

// TestEditRefuses verifies that misuse of Edit panics with a message that describes the mistake.
func TestEditRefuses(t *testing.T) {
	b, other := exprflat.NewBuilder(flat.BuilderOptions{}), exprflat.NewBuilder(flat.BuilderOptions{})
	gone := sumOf(3)
	gone.Free()
	mustPanic(t, "exprflat.Builder.Edit: the tree was freed", func() { b.Edit(gone) })
	tree := sumOf(3)
	b.Edit(tree)
	const open = "a Builder is editing the tree; call Finish first"
	for want, f := range map[string]func(){
		"exprflat.Builder.Edit: a Builder is changing the tree already": func() { other.Edit(tree) },
		"exprflat.Builder.Edit: the Builder has begun another tree":     func() { b.Edit(sumOf(3)) },
		"exprflat.Builder.Rewrite: the Builder has begun another tree":  func() { b.Rewrite(sumOf(3), exprflat.Rewriter{}) },
		"exprflat.Builder.Rewrite: " + open:                             func() { other.Rewrite(tree, crossExprFold) },
		"flat.Tree.WriteTo: " + open:                                    func() { fileOf(tree.Flat()) },
		"flat.Tree.Clone: " + open:                                      func() { tree.Clone() },
		"flat.Tree.CloneInto: " + open:                                  func() { tree.CloneInto(sumOf(3)) },
		"flat.Tree.Compact: " + open:                                    func() { tree.Compact() },
		"flat.Tree.Dump: " + open:                                       func() { tree.Dump(new(strings.Builder)) },
		"flat: All and Fold: " + open: func() {
			for range tree.All {
			}
		},
		"which has a parent": func() { b.Finish(tree.Root().AsBin().L()) },
	} {
		mustPanic(t, want, f)
	}
	if got := must(b.Finish(tree.Root())); got != tree || got.String() != sumOf(3).String() {
		t.Errorf("nothing was changed, and it is %v", got)
	}
	mustPanic(t, "exprflat.Builder.Edit: a Builder is changing", func() {
		b.Rewrite(tree, exprflat.Rewriter{Bin: func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			other.Edit(tree)
			other.Edit(tree)
			return n.AsExpr()
		}})
	})
	mustPanic(t, "exprflat.Builder.Edit: called by", func() {
		b.Rewrite(sumOf(3), exprflat.Rewriter{Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { b.Edit(tree); return n.AsExpr() }})
	})
}

// Operations that need children before their parents must reject an edited tree, and must accept
// its canonical form.
func TestEditedTreesAreRefusedWhereOrderMatters(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for _, tree := range []exprflat.Tree{edited(b), edited(b).Clone(), edited(b).CloneInto(sumOf(9))} {
		mustPanic(t, "flat.Tree.WriteTo: the tree was edited", func() { fileOf(tree.Flat()) })
		mustPanic(t, "flat: All and Fold: the tree was edited", func() {
			for range tree.All {
			}
		})
		mustPanic(t, "flat: All and Fold: the tree was edited", func() {
			exprflat.Fold(tree, func(exprflat.Any, exprflat.Results[int]) int { return 0 })
		})
		mustLoad(t, exprflat.Load, tree.Compact().Flat())
		if len(forward(tree.Flat())) != 1 {
			t.Errorf("Dump shows %v", tree)
		}
		next := must(b.Rewrite(tree, crossExprFold))
		if got := next.Root().AsNum().Value(); got != 1+2+4 {
			t.Errorf("it is folded to %v", got)
		}
	}
}

// The setters of an edited tree must detect cycles, and must still work when the tree is edited
// again.
func TestSettersOfAnEditedTree(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := edited(b)
	root := tree.Root().AsBin()
	inner := root.L()
	root.SetL(exprflat.Expr{})
	mustPanic(t, "which is the parent, or is above it; a tree has no cycles", func() { inner.AsBin().SetL(inner) })
	mustPanic(t, "has a parent already, or is the root", func() { root.SetL(root.R()) })
	b.Edit(tree)
	around := b.Bin(expr.Mul, inner, exprflat.Expr{})
	mustPanic(t, "a tree has no cycles", func() { inner.AsBin().SetL(around) })
	mustPanic(t, "which has a parent already", func() { root.SetL(inner) })
	root.SetL(around)
	tree = must(b.Finish(root.AsExpr()))
	const want = `Bin{Op: 0, L: Bin{Op: 2, L: Bin{Op: 0, L: Num{Value: 1}, R: Num{Value: 2}}, R: nil}, R: Num{Value: 4}}`
	if tree.String() != want {
		t.Errorf("%v, want %s", tree, want)
	}
	mustPanic(t, "a tree has no cycles", func() { around.AsBin().SetR(root.AsExpr()) })
}

// If the Builder is full, the tree must keep the changes that the setters made.
func TestEditOfAFullBuilder(t *testing.T) {
	tree := sumOf(3)
	b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 4 * int64(tree.NumWords())})
	b.Edit(tree)
	tree.Root().AsBin().SetOp(expr.Mul)
	if made := b.Num(1); !made.IsNil() {
		t.Errorf("%v is made beyond the limit", made)
	}
	if _, err := b.Finish(tree.Root()); !errors.Is(err, flat.ErrFull) {
		t.Error(err)
	}
	if tree.Root().AsBin().Op() != expr.Mul || tree.NumNodes() != 5 || len(fileOf(tree.Flat())) == 0 {
		t.Errorf("%v is left", tree)
	}
	if again, err := b.Finish(b.Num(1)); err != nil || again.NumNodes() != 1 {
		t.Error(err)
	}
}

// An abandoned edit, or a panic that was recovered, must not affect the later work of the Builder.
func TestEditThatIsGivenUp(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := sumOf(3)
	b.Edit(tree)
	b.Num(1)
	tree.Free()
	mustPanic(t, "the tree that it edits was freed", func() { b.Num(2) })
	mustPanic(t, "the tree that it edits was freed", func() { b.Finish(exprflat.Expr{}) })
	b.Reset()
	tree = sumOf(3)
	b.Edit(tree)
	l := tree.Root().AsBin().L()
	mustPanic(t, "which has a parent already", func() { b.Bin(0, b.Num(1), l) })
	b.Reset()
	mustLoad(t, exprflat.Load, tree.Flat())
	b.Edit(tree)
	b.Reuse(tree)
	if again := must(b.Finish(b.Num(1))); again.NumNodes() != 1 || tree.NumNodes() != 0 {
		t.Errorf("%v and %v", again, tree)
	}
}

// A reference in a struct that is stored inside a record may refer to a later node, but not to its
// own record.
func TestEditOfInlineStructs(t *testing.T) {
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	inline := func(value everyflat.Node) everyflat.Node {
		return b.Inline(true, everyflat.SpotFields{}, everyflat.PairFields{Value: value}, nil)
	}
	tree := must(b.Finish(inline(inline(b.Null()))))
	b.Edit(tree)
	root := tree.Root().AsInline()
	inner := root.Pair().Value()
	root.Pair().SetValue(everyflat.Node{})
	mustPanic(t, "a tree has no cycles", func() { inner.AsInline().Pair().SetValue(inner) })
	around := inline(everyflat.Node{})
	around.AsInline().Pair().SetValue(inner)
	mustPanic(t, "a tree has no cycles", func() { inner.AsInline().Pair().SetValue(around) })
	root.Pair().SetValue(around)
	next := inline(everyflat.Node{})
	mustPanic(t, "a tree has no cycles", func() { next.AsInline().Pair().SetValue(next) })
	inner.AsInline().Pair().SetValue(next)
	tree = must(b.Finish(tree.Root()))
	mustLoad(t, everyflat.Load, tree.Compact().Flat())
	if n := tree.Compact().NumNodes(); n != 4 {
		t.Errorf("%d nodes: %v", n, tree)
	}
}

// A Builder that edits a tree must intern strings in the string table of the tree. Clones made
// before must not change.
func TestEditKeepsStrings(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.Bin(0, b.Var("x"), b.Var("y"))))
	clone := tree.Clone()
	b.Edit(tree)
	tree.Root().AsBin().SetL(b.Var("y"))
	tree.Root().AsBin().SetR(b.Var("z"))
	tree = must(b.Finish(tree.Root()))
	var dump strings.Builder
	tree.Dump(&dump)
	if !strings.Contains(dump.String(), "3 strings of 3 bytes") {
		t.Errorf("x, y and z are\n%s", dump.String())
	}
	clone.Root().AsBin().L().AsVar().SetName("clone")
	if got := tree.String() + clone.String(); got != `Bin{Op: 0, L: Var{Name: "y"}, R: Var{Name: "z"}}Bin{Op: 0, L: Var{Name: "clone"}, R: Var{Name: "y"}}` {
		t.Error(got)
	}
}

// A rewrite must not visit nodes that an edit has added but not used.
func TestEditLeavesNodesThatNobodyUses(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for added := range 12 {
		tree := must(exprflat.Load(fileOf(sumOf(1).Flat()), flat.LoadLimits{}))
		b.Edit(tree)
		for range added {
			b.Num(2)
		}
		tree = must(b.Finish(tree.Root()))
		mustLoad(t, exprflat.Load, tree.Flat())
		calls := 0
		next := must(b.Rewrite(tree, exprflat.Rewriter{Num: func(_ *exprflat.Builder, n exprflat.Num) exprflat.Expr { calls++; return n.AsExpr() }}))
		if calls != 1 || next.NumNodes() != 1 {
			t.Errorf("with %d more: %d calls, %d nodes", added, calls, next.NumNodes())
		}
	}
}

// TestEditLeavesTheBuilderItsMemory verifies that a Builder keeps its own memory for the next tree
// when it edits another.
func TestEditLeavesTheBuilderItsMemory(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	b.Reuse(buildFlat(16))
	tree := sumOf(3)
	b.Edit(tree)
	must(b.Finish(tree.Root()))
	bytes := allocated(func() {
		for range 40_000 { // 12 bytes each
			b.Num(1)
		}
	})
	if bytes > 64<<10 && !compiler.ChecksPointers() { // the checks allocate
		t.Errorf("%d bytes are allocated", bytes)
	}
	d := dagflat.NewBuilder(flat.BuilderOptions{})
	shared := must(d.Finish(d.Atom("a")))
	d.Edit(shared)
	must(d.Finish(d.Pair(shared.Root(), shared.Root())))
}

// A mapped tree is read-only, so it cannot be edited.
func TestEditOfAMappedTree(t *testing.T) {
	if !canMap(t) {
		t.Skip("files are not mapped here")
	}
	mapped := must(exprflat.Open(saved(t, fileOf(sumOf(3).Flat())), flat.LoadLimits{}))
	defer mapped.Close()
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	mustPanic(t, "exprflat.Builder.Edit: the tree is mapped or belongs to a forest, and is read-only; edit a Clone of it", func() { b.Edit(mapped) })
	clone := mapped.Clone()
	b.Edit(clone)
	clone.Root().AsBin().SetR(b.Num(5))
	if got := must(b.Finish(clone.Root())).Root().AsBin().R().AsNum().Value(); got != 5 {
		t.Error(got)
	}
}

// If an edit puts the root below a new node and is then abandoned, the tree must keep its root. A
// file may not contain such a root, which has a parent, so WriteTo rejects the tree and Compact
// repairs it.
func TestEditGivenUpWithTheRootBelow(t *testing.T) {
	for what, giveUp := range map[string]func(b *exprflat.Builder, t exprflat.Tree){
		"Reset": func(b *exprflat.Builder, _ exprflat.Tree) { b.Reset() },
		"Reuse": func(b *exprflat.Builder, _ exprflat.Tree) { b.Reuse(sumOf(2)) },
		"Finish": func(b *exprflat.Builder, tree exprflat.Tree) {
			mustPanic(t, "which has a parent", func() { b.Finish(tree.Root()) })
			b.Reset()
		},
		"ErrFull": func(b *exprflat.Builder, tree exprflat.Tree) {
			for b.Err() == nil {
				b.Num(1)
			}
			if _, err := b.Finish(tree.Root()); !errors.Is(err, flat.ErrFull) {
				t.Error(err)
			}
		},
	} {
		tree := sumOf(3)
		want := tree.String()
		b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 1000})
		b.Edit(tree)
		above := b.Bin(expr.Mul, tree.Root(), exprflat.Expr{})
		giveUp(b, tree)
		for _, tree := range []exprflat.Tree{tree, tree.Clone()} {
			mustPanic(t, "flat.Tree.WriteTo: the tree was edited", func() { fileOf(tree.Flat()) })
			mustLoad(t, exprflat.Load, tree.Compact().Flat())
			mustLoad(t, exprflat.Load, must(exprflat.NewBuilder(flat.BuilderOptions{}).Rewrite(tree, exprflat.Rewriter{})).Flat())
			if tree.String() != want || tree.Compact().String() != want {
				t.Errorf("%s leaves %v", what, tree)
			}
		}
		b = exprflat.NewBuilder(flat.BuilderOptions{})
		b.Edit(tree)
		mustLoad(t, exprflat.Load, must(b.Finish(above)).Flat())
	}
}

// A setter of a list or a struct in a new node must not search the subtree of the child for cycles.
// A search would record the children, and so allocate memory for 100,000 numbers.
func TestEditSetsListsOfNewNodesWithoutASearch(t *testing.T) {
	const numbers, most = 100_000, 64 << 10
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	args := make([]exprflat.Expr, numbers)
	for i := range args {
		args[i] = b.Num(1)
	}
	tree := must(b.Finish(b.Call("f", args, nil)))
	b = exprflat.NewBuilder(flat.BuilderOptions{})
	b.Edit(tree)
	root := tree.Root()
	call := b.Call("g", make([]exprflat.Expr, 3), nil).AsCall()
	bytes := allocated(func() {
		for i := range 3 {
			call.SetArg(i, root)
			call.SetArg(i, exprflat.Expr{})
		}
	})
	if bytes > most {
		t.Errorf("%d bytes are allocated above %d nodes, want at most %d", bytes, numbers, most)
	}
}
