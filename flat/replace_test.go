package flat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// TestReplaceFindsEveryPlace verifies that Replace finds the reference to a node in every position
// where one can be: in fields, inline structs and arrays, and in slices in records and in structs.
// The parents of other nodes must not change.
func TestReplaceFindsEveryPlace(t *testing.T) {
	trees, accepted, refused := uint64(120), 0, 0
	if testing.Short() {
		trees = 30
	}
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	for seed := range trees {
		tree := must(everyflat.FromTree(random.Tree[every.Node](rand.New(rand.NewPCG(seed, 61)), 40, everyVariants), flat.LoadLimits{}))
		numbers := tree.Numbers()
		parents := tree.Parents(numbers)
		k := 0
		for n := range tree.All {
			clone := tree.Clone()
			same := sameNode(clone, k)
			b.Edit(clone)
			if clone.Replace(same, everyflat.Any{}) == parents.Of(n).IsNil() {
				t.Fatalf("seed %d: %v is replaced, and its parent is %v", seed, n, parents.Of(n))
			}
			clone = must(b.Finish(clone.Root()))
			after := clone.Parents(clone.Numbers())
			i := 0
			for other := range tree.All {
				want := parents.Of(other)
				if other == n {
					want = everyflat.Any{}
				}
				if got := after.Of(sameNode(clone, i)); got.IsNil() != want.IsNil() || !got.IsNil() && clone.Numbers().Of(got) != numbers.Of(want) {
					t.Fatalf("seed %d: without %v, the parent of %v is %v, want %v", seed, n, other, got, want)
				}
				i++
			}
			if parents.Of(n).IsNil() {
				k++
				continue
			}
			if replacedByNull(t, b, tree.Clone(), k) {
				accepted++
			} else {
				refused++
			}
			k++
		}
	}
	t.Logf("%d nodes are replaced, %d refuse", accepted, refused)
	if accepted < int(trees) || refused < int(trees)/10 {
		t.Errorf("%d nodes are replaced by another one, %d places refuse it: the trees have little", accepted, refused)
	}
}

// sameNode returns the node with the index k in the order of All.
func sameNode(tree everyflat.Tree, k int) everyflat.Any {
	for n := range tree.All {
		if k == 0 {
			return n
		}
		k--
	}
	return everyflat.Any{}
}

// replacedByNull replaces a node with a Null, and reports whether the type of the reference permits
// that.
func replacedByNull(t *testing.T, b *everyflat.Builder, tree everyflat.Tree, k int) (accepted bool) {
	t.Helper()
	n, p := sameNode(tree, k), program{}
	b.Edit(tree)
	p.try(t, func() { accepted = tree.Replace(n, b.Null().AsAny()) })
	mustLoad(t, everyflat.Load, must(b.Finish(tree.Root())).Compact().Flat())
	return accepted
}

// TestReplaceFindsWhatIsFar verifies that Replace finds nodes in long lists and nodes that are far
// from their parent, even if setters or Replace have moved them before.
func TestReplaceFindsWhatIsFar(t *testing.T) {
	const items = 20_000
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	args := make([]exprflat.Expr, items)
	for i := range args {
		args[i] = b.Bin(expr.Add, b.Num(float64(i)), b.Var("x"))
	}
	tree := must(b.Finish(b.Call("f", args, nil)))
	r := rand.New(rand.NewPCG(1, 62))
	for range 2 { // the second time, the Builder still has the first table
		b.Edit(tree)
		call := tree.Root().AsCall()
		replaceBelowNew(t, b, tree)
		for _, i := range r.Perm(items) {
			now := b.Num(float64(-i))
			if !tree.Replace(call.Arg(i).AsAny(), now.AsAny()) || call.Arg(i) != now {
				t.Fatalf("item %d is %v", i, call.Arg(i))
			}
			if i%4000 == 0 { // also replace a node that a setter has set
				call.SetArg(i, exprflat.Expr{})
				call.SetArg(i, b.Num(1))
				if !tree.Replace(call.Arg(i).AsAny(), b.Num(float64(-i)).AsAny()) {
					t.Fatalf("item %d, which a setter has set, is not found", i)
				}
			}
			if i%4000 == 1 && !tree.Replace(call.Arg(i).AsAny(), b.Num(float64(-i)).AsAny()) {
				t.Fatalf("item %d, which Replace has set, is not found", i)
			}
		}
		third, fourth := call.Arg(3), call.Arg(4)
		call.SetArg(3, exprflat.Expr{})
		call.SetArg(4, third)
		call.SetArg(3, fourth)
		tree.Replace(third.AsAny(), b.Num(-4).AsAny())
		tree.Replace(fourth.AsAny(), b.Num(-3).AsAny())
		tree = must(b.Finish(tree.Root()))
		i := 0
		for arg := range tree.Root().AsCall().Args {
			if arg.Kind() != exprflat.KindNum || arg.AsNum().Value() != float64(-i) {
				t.Fatalf("item %d became %v", i, arg)
			}
			i++
		}
	}
	mustLoad(t, exprflat.Load, tree.Compact().Flat())
	for i := range args[:100] {
		args[i] = b.Num(float64(i))
	}
	tree = must(b.Finish(b.Call("g", args[:100], nil)))
	b.Edit(tree)
	if !tree.Replace(tree.Root().AsCall().Arg(0).AsAny(), b.Num(1).AsAny()) || tree.Root().AsCall().Arg(0).AsNum().Value() != 1 {
		t.Errorf("after an edit of another tree, %v has no parent", tree.Root().AsCall().Arg(0))
	}
}

// replaceBelowNew replaces an old node that has become a child of a new node without a call of a
// setter. Then it makes the new node a child of the old parent.
func replaceBelowNew(t *testing.T, b *exprflat.Builder, tree exprflat.Tree) {
	t.Helper()
	old := tree.Root().AsCall().Arg(5)
	hole := b.Num(0)
	tree.Replace(old.AsAny(), hole.AsAny())
	around, now := b.Bin(expr.Mul, old, exprflat.Expr{}), b.Var("y")
	if !tree.Replace(old.AsAny(), now.AsAny()) || around.AsBin().L() != now {
		t.Fatalf("%v of %v is not found", old, around)
	}
	tree.Replace(hole.AsAny(), around.AsAny())
}

// TestReplaceRefuses verifies that Replace panics if a reference cannot refer to the new node, or
// if no Builder is editing the tree.
func TestReplaceRefuses(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree, other := sumOf(3), sumOf(3)
	inner := tree.Root().AsBin().L()
	mustPanic(t, "exprflat.Tree.Replace: no Builder is editing the tree; call Edit first", func() { tree.Replace(inner.AsAny(), exprflat.Any{}) })
	b.Edit(tree)
	for want, f := range map[string]func(){
		"exprflat.Tree.Replace: want a node to replace; found nil":                                                   func() { tree.Replace(exprflat.Any{}, b.Num(1).AsAny()) },
		"exprflat.Tree.Replace: want a node of this tree to replace; found Bin #13 of another tree":                  func() { tree.Replace(other.Root().AsAny(), b.Num(1).AsAny()) },
		"exprflat.Tree.Replace: want nil or one of Num, Var, Bin, Call of this tree that is not above its parent; f": func() { tree.Replace(inner.AsAny(), other.Root().AsAny()) },
		"which has a parent already": func() { tree.Replace(inner.AsAny(), tree.Root().AsBin().R().AsAny()) },
		"a tree has no cycles":       func() { tree.Replace(inner.AsAny(), tree.Root().AsAny()) },
	} {
		mustPanic(t, want, f)
	}
	if tree.Replace(tree.Root().AsAny(), b.Num(1).AsAny()) {
		t.Error("the root has a parent")
	}
	if got := must(b.Finish(tree.Root())).String(); got != sumOf(3).String() {
		t.Errorf("what was refused left %s", got)
	}
	links := everyflat.NewBuilder(flat.BuilderOptions{})
	self := links.Links(everyflat.LinksFields{})
	typed := must(links.Finish(links.Links(everyflat.LinksFields{Self: self.AsLinks()})))
	links.Edit(typed)
	mustPanic(t, "everyflat.Tree.Replace: want nil or one of Links of this tree", func() {
		typed.Replace(typed.Root().AsLinks().Self().AsAny(), links.Null().AsAny())
	})
}
