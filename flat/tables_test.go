package flat_test

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// If a tree is freed during a walk, the walk panics at its next step and never yields nodes of
// another tree.
func TestWalksOfFreedTreesPanic(t *testing.T) {
	for name, walk := range map[string]func(exprflat.Tree) func(func(exprflat.Any) bool){
		"all":       func(t exprflat.Tree) func(func(exprflat.Any) bool) { return t.All },
		"preorder":  func(t exprflat.Tree) func(func(exprflat.Any) bool) { return t.Root().Preorder },
		"postorder": func(t exprflat.Tree) func(func(exprflat.Any) bool) { return t.Root().Postorder },
		"items": func(t exprflat.Tree) func(func(exprflat.Any) bool) {
			return func(yield func(exprflat.Any) bool) {
				for e := range t.Root().AsCall().Args {
					yield(e.AsAny())
				}
			}
		},
	} {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree := must(b.Finish(b.Call("f", []exprflat.Expr{b.Num(1), b.Num(2), b.Num(3)}, nil)))
		met := 0
		mustPanic(t, staleRead(), func() {
			for range walk(tree) {
				met++
				b.Reuse(tree)
			}
		})
		if met != 1 {
			t.Errorf("%s: %d nodes are met", name, met)
		}
	}
}

// A postorder walk visits nodes in order even if their path exceeds its initial capacity.
func TestPostorderOfDeepTrees(t *testing.T) {
	tree := chain(3000)
	numbers, next := tree.Numbers(), 0
	for n := range tree.Root().Postorder {
		if numbers.Of(n) != next {
			t.Fatalf("node %d is met after %d nodes", numbers.Of(n), next)
		}
		next++
	}
	if next != 3000 {
		t.Errorf("%d nodes", next)
	}
}

// A preorder walk visits nodes in order even if more nodes are pending than its stack holds
// initially.
func TestPreorderOfWideTrees(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	var args []exprflat.Expr
	args = slices.Grow(args, 200)
	for i := range 200 {
		args = append(args, b.Call("g", []exprflat.Expr{b.Num(float64(2 * i)), b.Num(float64(2*i + 1))}, nil))
	}
	tree, next := must(b.Finish(b.Call("f", args, nil))), 0.0
	for n := range tree.Root().Preorder {
		if n.Kind() == exprflat.KindNum {
			if n.AsNum().Value() != next {
				t.Fatalf("%v comes after %v numbers", n, next)
			}
			next++
		}
	}
	if next != 400 {
		t.Errorf("%v numbers", next)
	}
}

// Numbers, side tables and parent tables agree with maps that have handles as keys, even after
// random changes to the tree.
func TestTablesAgainstModel(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		model := expressions(4).Draw(t, "tree")
		tree := must(exprflat.FromTree(model, flat.LoadLimits{}))
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			var nodes []exprflat.Any
			for n := range tree.Root().Preorder {
				nodes = append(nodes, n)
			}
			if len(nodes) > 0 {
				i := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
				change(t, nodes[i], modelNodes(model)[i])
			}
			if rapid.Bool().Draw(t, "compact") {
				tree = tree.Compact()
			}
		}
		checkTables(t, tree)
	})
}

func checkTables(t *rapid.T, tree exprflat.Tree) {
	numbers := tree.Numbers()
	table, parents := exprflat.NewSideTable[int](numbers), tree.Parents(numbers)
	want, of := map[exprflat.Any]int{}, map[exprflat.Any]exprflat.Any{}
	i := 0
	for n := range tree.All {
		if got := numbers.Of(n); got != i || table.Of(n) != 0 {
			t.Fatalf("node %d has number %d and value %d", i, got, table.Of(n))
		}
		i++
		switch n.Kind() {
		case exprflat.KindBin:
			of[n.AsBin().L().AsAny()], of[n.AsBin().R().AsAny()] = n, n
		case exprflat.KindCall:
			for a := range n.AsCall().Args {
				of[a.AsAny()] = n
			}
		}
		want[n] = rapid.Int().Draw(t, "value")
		table.Set(n, want[n]-1)
		*table.At(n)++
	}
	if i != numbers.Len() || i != tree.NumNodes() {
		t.Fatalf("%d nodes, %d numbers", i, numbers.Len())
	}
	for n, v := range want {
		if table.Of(n) != v || parents.Of(n) != of[n] {
			t.Fatalf("%v: value %d, want %d; parent %v, want %v", n, table.Of(n), v, parents.Of(n), of[n])
		}
	}
}

// For a node with several parents, Parents records the first parent in buffer order.
func TestParentsOfSharedNodes(t *testing.T) {
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	atom := b.Atom("a")
	first := b.Pair(atom, atom)
	tree := must(b.Finish(b.List([]dagflat.Term{atom, first, first})))
	parents := tree.Parents(tree.Numbers())
	root := tree.Root()
	if got := parents.Of(atom.AsAny()); got != first.AsAny() {
		t.Errorf("the atom is below %v", got)
	}
	if parents.Of(first.AsAny()) != root.AsAny() || !parents.Of(root.AsAny()).IsNil() {
		t.Error("the pair is not below the root, or that is below something")
	}
}

// A table never returns the value of another node: it panics if the node does not belong to it.
func TestTablesRefuseOtherNodes(t *testing.T) {
	build := func(b *exprflat.Builder) exprflat.Tree { return must(b.Finish(b.Bin(0, b.Num(1), b.Num(2)))) }
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree, other := build(b), build(b)
	numbers := tree.Numbers()
	table, parents := exprflat.NewSideTable[int](numbers), tree.Parents(numbers)
	refused := func(what string, n exprflat.Any) {
		for name, use := range map[string]func(){
			"Numbering.Of":   func() { numbers.Of(n) },
			"SideTable.Of":   func() { table.Of(n) },
			"SideTable.Set":  func() { table.Set(n, 1) },
			"SideTable.At":   func() { table.At(n) },
			"ParentTable.Of": func() { parents.Of(n) },
		} {
			mustPanic(t, "a node of another tree or of one that was freed", func() { t.Helper(); use(); t.Errorf("%s accepts %s", name, what) })
		}
	}
	refused("nil", exprflat.Any{})
	refused("a node of another tree", other.Root().AsAny())
	refused("a node of a clone", tree.Clone().Root().AsAny())
	mustPanic(t, "the nodes of another tree were numbered", func() { other.Parents(numbers) })
	root := tree.Root().AsAny()
	table.Set(root, 7)
	value := table.At(root)
	b.Reuse(tree)
	again := build(b) // in the same memory
	refused("a node of a tree that was freed", root)
	refused("a node in the memory of that tree", again.Root().AsAny())
	if *value != 7 {
		t.Error("a value has changed")
	}
	mustPanic(t, "the tree was freed", func() { tree.Numbers() })
	mustPanic(t, "the tree was freed", func() { tree.Parents(numbers) })
}

// Numbers, side tables and parent tables work for an empty tree.
func TestTablesOfEmptyTrees(t *testing.T) {
	tree := must(exprflat.NewBuilder(flat.BuilderOptions{}).Finish(exprflat.Expr{}))
	numbers := tree.Numbers()
	if numbers.Len() != 0 {
		t.Errorf("%d numbers", numbers.Len())
	}
	exprflat.NewSideTable[int](numbers)
	tree.Parents(numbers)
}

// Several goroutines may read a tree and its tables concurrently, and set the values of different
// nodes.
func TestTablesOfManyGoroutines(t *testing.T) {
	tree := buildFlat(smallDepth)
	numbers, strings := tree.Numbers(), tree.Strings()
	table, parents := exprflat.NewSideTable[int](numbers), tree.Parents(numbers)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := range tree.Root().Preorder {
				i := numbers.Of(n)
				if i%4 == worker {
					table.Set(n, i)
				}
				if p := parents.Of(n); !p.IsNil() && numbers.Of(p) < i {
					t.Errorf("node %d is below %d", i, numbers.Of(p))
				}
				if n.Kind() == exprflat.KindVar && strings.Text(n.AsVar().NameNumber(strings)) != n.AsVar().Name() {
					t.Errorf("%v has another name", n)
				}
			}
		})
	}
	all.Wait()
	for n := range tree.All {
		if table.Of(n) != numbers.Of(n) {
			t.Fatalf("%d has %d", numbers.Of(n), table.Of(n))
		}
	}
}
