package binarytrees

import (
	"bytes"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/store"
)

// The tests in this file check work that a program could skip and still print the right answer.

// walk adds the addresses of root and of all nodes below it to the set. The first two fields of a
// node must be its links.
func walk(root reflect.Value, into map[uintptr]bool) {
	if root.IsNil() {
		return
	}
	into[root.Pointer()] = true
	walk(root.Elem().Field(0), into)
	walk(root.Elem().Field(1), into)
}

func TestEveryNodeIsItsOwn(t *testing.T) {
	const depth = 9
	pool, _ := newPooled(NewShape(depth))
	roots := map[string]any{
		"naive":    buildNaive(depth),
		"buffered": new(buffered).tree(depth),
		"chunked":  new(chunked).build(depth),
		"pooled":   pool.(pooled).build(depth),
		"slab":     buildSlab(&new(slabbed).nodes, depth),

		"slab-plain":   buildSlabPlain(&new(slabPlain).nodes, depth),
		"arena":        buildArena(&new(inArena).memory, depth),
		"arena-shaped": buildArenaShaped(&new(arenaShaped).memory, depth),
		"naive-shaped": buildNaiveShaped(depth),
	}
	for name, root := range roots {
		seen := map[uintptr]bool{}
		walk(reflect.ValueOf(root), seen)
		if len(seen) != 2<<depth-1 {
			t.Errorf("%s: a tree of depth %d has %d nodes, want %d", name, depth, len(seen), 2<<depth-1)
		}
	}
	// Nodes in stores are checked below. The strategies flat and unrolled have their own tests.
	for _, s := range Strategies {
		if roots[s.Name] == nil && !slices.Contains([]string{"indexed", "indexed-plain", "unrolled", "flat"}, s.Name) {
			t.Errorf("%s: no test looks at its nodes; add it here", s.Name)
		}
	}
	everySlot(t, "indexed", buildIndexed, depth, func(n pairNode) (pairRef, pairRef) { return n.left(), n.right() })
	everySlot(t, "indexed-plain", buildIndexedPlain, depth, func(n indexedNode) (left, right store.Ref[indexedNode]) {
		return n.left, n.right
	})
}

// everySlot verifies that a tree in a store has the number of nodes of a full tree of this depth,
// each in its own slot.
func everySlot[T any](
	t *testing.T, name string, build func(*store.Store[T], int) store.Ref[T], depth int, links func(T) (left, right store.Ref[T]),
) {
	t.Helper()
	nodes, err := store.New[T](store.Options{Max: NewShape(depth).greatestTree()})
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Close()
	seen := map[store.Ref[T]]bool{}
	var collect func(store.Ref[T])
	collect = func(r store.Ref[T]) {
		if r != 0 {
			seen[r] = true
			left, right := links(*nodes.At(r))
			collect(left)
			collect(right)
		}
	}
	collect(build(nodes, depth))
	if len(seen) != 2<<depth-1 {
		t.Errorf("%s: a tree of depth %d has %d nodes, want %d", name, depth, len(seen), 2<<depth-1)
	}
}

// TestTreesAreTakenBack verifies that each tree is freed after it is counted, so that the next one
// reuses its memory.
func TestTreesAreTakenBack(t *testing.T) {
	var s slabbed
	s.count(9)
	if s.nodes.Len() != 0 {
		t.Errorf("slab: %d nodes are left of a tree that was counted", s.nodes.Len())
	}
	var a inArena
	a.count(9)
	if used := a.memory.Stats().Used; used != 0 {
		t.Errorf("arena: %d bytes are left of a tree that was counted", used)
	}
	w, err := newIndexed(NewShape(9))
	if err != nil {
		t.Fatal(err)
	}
	x := w.(*indexed)
	defer x.Close()
	x.count(9)
	if x.nodes.Len() != 0 {
		t.Errorf("indexed: %d nodes are left of a tree that was counted", x.nodes.Len())
	}
	if checks.Enabled {
		return // under the race detector, a sync.Pool drops values at random
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p, err := newPooled(NewShape(9))
	if err != nil {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(10, func() { p.count(9) }); allocs > 100 {
		t.Errorf("pooled: a tree costs %v allocations although the last was put back", allocs)
	}
}

// TestKeptTreesAreWalked verifies that counting a kept tree walks it: if the root's links are
// cleared, the count is 1.
func TestKeptTreesAreWalked(t *testing.T) {
	w, err := newUnrolled(NewShape(9))
	if err != nil {
		t.Fatal(err)
	}
	u := w.(*unrolled)
	defer u.Close()
	count := u.keep(9)
	before := count()
	u.nodes.Slice()[u.root] = 0
	if after := count(); before != 2<<9-1 || after != 1 {
		t.Errorf("unrolled: %d nodes, and %d without the links of the root", before, after)
	}
}

func TestWorkersAreClosed(t *testing.T) {
	for _, s := range Strategies {
		if err := (Run{Strategy: s, Shape: NewShape(6), Workers: 2}).Do(t.Context(), new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
		if open := store.Totals(); len(open) > 0 {
			t.Errorf("%s: after the run %+v are open", s.Name, open)
		}
	}
}

// TestShapedCountsWhatIsThere verifies the counting functions that look at several nodes before
// they recurse. They must return the right count whichever node has lost its children.
func TestShapedCountsWhatIsThere(t *testing.T) {
	const depth = 5
	nodes, err := store.New[pairNode](store.Options{Max: 2 << depth})
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Close()
	for cut := range 2<<depth - 1 {
		nodes.Reset()
		root := buildIndexed(nodes, depth)
		*nodes.At(pairRef(cut + 1)) = 0
		if got, want := countIndexed(nodes.Slice(), *nodes.At(root)), countPairs(nodes.Slice(), root); got != want {
			t.Errorf("indexed: %d nodes without the children of slot %d, want %d", got, cut+1, want)
		}
		s, visited := slabbed{}, 0
		tree := buildSlab(&s.nodes, depth)
		var plain func(n *slabNode) int
		plain = func(n *slabNode) int {
			if visited++; visited == cut+1 {
				*n = slabNode{}
			}
			if n.left == nil {
				return 1
			}
			return 1 + plain(n.left) + plain(n.right)
		}
		if want, got := plain(tree), tree.count(); got != want {
			t.Errorf("slab: %d nodes without the children of node %d, want %d", got, cut+1, want)
		}
	}
}

// TestShapedCountsBelowTheLastLevel verifies that two extra nodes below any leaf of the last level
// are counted.
func TestShapedCountsBelowTheLastLevel(t *testing.T) {
	const depth = 4
	nodes, err := store.New[pairNode](store.Options{Max: 4 << depth})
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Close()
	for slot := range 2<<depth - 1 {
		nodes.Reset()
		root := buildIndexed(nodes, depth)
		if *nodes.At(pairRef(slot + 1)) != 0 {
			continue // not a leaf
		}
		left, _ := nodes.New()
		right, _ := nodes.New()
		*nodes.At(pairRef(slot + 1)) = pair(left, right)
		if got, want := countIndexed(nodes.Slice(), *nodes.At(root)), 2<<depth+1; got != want {
			t.Errorf("indexed: %d nodes with two below slot %d, want %d", got, slot+1, want)
		}
	}
}

// countPairs is the textbook recursion, as a reference.
func countPairs(nodes []pairNode, at pairRef) int {
	n := nodes[at]
	if n == 0 {
		return 1
	}
	return 1 + countPairs(nodes, n.left()) + countPairs(nodes, n.right())
}
