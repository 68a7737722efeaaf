package binarytrees

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestPublishedOutput verifies that the published programs print the same output as all others.
func TestPublishedOutput(t *testing.T) {
	for _, depth := range []int{0, 6, 7, 10} {
		want, err := os.ReadFile(fmt.Sprintf("../expected/depth-%02d.txt", depth))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Published {
			for _, workers := range []int{1, 2} {
				var out bytes.Buffer
				if err := (Run{Strategy: s, Shape: NewShape(depth), Workers: workers}).Do(t.Context(), &out); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), want) {
					t.Errorf("%s, depth %d, %d workers printed\n%swant\n%s", s.Name, depth, workers, &out, want)
				}
			}
		}
	}
}

// TestPublishedAllocateAsPublished verifies that the programs allocate as published: two
// allocations per tree for C1's buffered allocator, one per node for a naive program, and one per
// chunk or bucket for the others.
func TestPublishedAllocateAsPublished(t *testing.T) {
	const depth, trees = 12, 300
	const nodes = trees * (2<<depth - 1)
	const buckets = (nodes + c2BucketLen - 1) / c2BucketLen
	want := map[string]uint64{
		"c1-naive": nodes, "c1-buffered": 2 * trees,
		"c2-naive": nodes, "c2-indexed": buckets, "c2-pointers": buckets, "c2-append": 0,
		"c4-naive": nodes, "c4-arena": nodes/c4ArenaLen + 1,
	}
	for _, s := range Published {
		w, err := s.newWorker(NewShape(depth))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range trees {
			w.count(depth)
		}
		runtime.ReadMemStats(&after)
		const stray = 100 // allocations of the runtime, the test, and growing slices
		least, known := want[s.Name]
		if got := after.Mallocs - before.Mallocs; !known || got < least || got > least+stray {
			t.Errorf("%s: %d allocations for %d trees of %d nodes, want %d", s.Name, got, trees, nodes/trees, least)
		}
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes < nodes*2*strconv.IntSize/8 {
			t.Errorf("%s: %d bytes for %d nodes", s.Name, bytes, nodes)
		}
	}
}

func TestPublishedNodesAreTheirOwn(t *testing.T) {
	const depth = 9
	want := 2<<depth - 1
	tree := newC1Tree(depth, newC1AllocatorBuffered(depth))
	seen := map[*c1Tree]bool{}
	var collect func(*c1Tree)
	collect = func(n *c1Tree) {
		if n != nil {
			seen[n] = true
			collect(n.left)
			collect(n.right)
		}
	}
	collect(tree)
	if len(seen) != want {
		t.Errorf("c1-buffered: %d nodes, want %d", len(seen), want)
	}
	for name, root := range map[string]*itemNode{
		"c2-naive, c4-naive": buildItems(5, depth), "c2-pointers": new(c2Pointers).build(5, depth), "c4-arena": new(nodeArena).bottomUpTree(5, depth),
	} {
		seen := map[*itemNode]bool{}
		var collect func(n *itemNode, item int)
		collect = func(n *itemNode, item int) {
			if n == nil {
				return
			}
			if seen[n] = true; n.item != item {
				t.Errorf("%s: an item is %d, want %d", name, n.item, item)
			}
			collect(n.left, 2*item-1)
			collect(n.right, 2*item)
		}
		collect(root, 5)
		if len(seen) != want {
			t.Errorf("%s: %d nodes, want %d", name, len(seen), want)
		}
	}
	buckets, slice := new(c2Buckets), new(c2Slice)
	checkIDs(t, "c2-indexed", buckets.node, buckets.build(5, depth), want)
	checkIDs(t, "c2-append", slice.node, slice.build(5, depth), want)
}

// checkIDs verifies that the tree has the wanted number of nodes, with different IDs from 1 to that
// number, and that the items are numbered as in the published program.
func checkIDs(t *testing.T, name string, node func(c2ID) *c2Node, root c2ID, want int) {
	t.Helper()
	seen := map[c2ID]bool{}
	var collect func(id c2ID, item int)
	collect = func(id c2ID, item int) {
		if id == 0 {
			return
		}
		n := node(id)
		if seen[id] = true; n.item != item || id < 0 || int(id) > want {
			t.Errorf("%s: node %d has item %d, want %d", name, id, n.item, item)
		}
		collect(n.left, 2*item-1)
		collect(n.right, 2*item)
	}
	collect(root, 5)
	if len(seen) != want {
		t.Errorf("%s: %d nodes, want %d", name, len(seen), want)
	}
}

// TestPublishedBucketsFollowEachOther verifies that the IDs continue from one bucket to the next,
// and that nodes do not move when a bucket is added.
func TestPublishedBucketsFollowEachOther(t *testing.T) {
	b := new(c2Buckets)
	first := b.node(b.alloc(7, 0, 0))
	for id := c2ID(2); id <= c2BucketLen+1; id++ {
		if got := b.alloc(7, 0, 0); got != id {
			t.Fatalf("id %d, want %d", got, id)
		}
	}
	if len(b.buckets) != 2 || b.node(1) != first || b.node(c2BucketLen+1) != &b.buckets[1][0] || b.node(c2BucketLen) != &b.buckets[0][c2BucketLen-1] {
		t.Errorf("%d buckets, or a node is not where it was", len(b.buckets))
	}
}

// TestPublishedCheckFindsAWrongItem verifies that counting detects a node with a wrong item.
func TestPublishedCheckFindsAWrongItem(t *testing.T) {
	const depth = 5
	root := new(nodeArena).bottomUpTree(3, depth)
	if got := root.nodesOf(depth); got != 2<<depth-1 {
		t.Fatalf("a whole tree has %d nodes", got)
	}
	root.left.right.item++
	if got := root.nodesOf(depth); got != 0 {
		t.Errorf("a tree with a wrong item has %d nodes, want none", got)
	}
	var arena nodeArena
	first, second := arena.get(), arena.get()
	if rest := arena[:c4ArenaLen]; first != &rest[c4ArenaLen-1] || second != &rest[c4ArenaLen-2] {
		t.Error("a chunk is not taken from its back")
	}
	c := &c4{}
	if got := []int{c.next(), c.next(), c.next(), c.next()}; !reflect.DeepEqual(got, []int{1, -1, 2, -2}) {
		t.Errorf("trees are numbered %v", got)
	}
}

// TestPublishedMemory verifies that MinBytes includes all nodes ever made for the programs that
// never free any, and only the trees that exist at the same time for the others.
func TestPublishedMemory(t *testing.T) {
	const word = 8
	for _, s := range Published {
		shape := NewShape(10)
		got := shape.MinBytes(s, 1)
		if keeps := strings.HasPrefix(s.Name, "c2-") && s.Name != "c2-naive"; keeps && got < 3*word/2*shape.TotalNodes() {
			t.Errorf("%s needs %d bytes for %d nodes that it keeps", s.Name, got, shape.TotalNodes())
		} else if !keeps && got > shape.TotalNodes()*word/2 {
			t.Errorf("%s needs %d bytes of trees that live at once", s.Name, got)
		}
	}
}
