package main

import (
	"math/rand/v2"
	"testing"

	"github.com/emirpasic/gods/trees/redblacktree"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestTree(t *testing.T) {
	stored := false
	p := &program{stored: &stored}
	drivertest.Check(t, p, func() { p.tree.Put(keys+1, 0) })
}

// TestTreesAreEqual verifies that our tree has the same shape as the library's after any sequence
// of keys, including duplicates.
func TestTreesAreEqual(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		theirs := redblacktree.NewWithIntComparator()
		ours, err := newRefTree()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1 + random.IntN(500) {
			key := random.IntN(300)
			theirs.Put(key, i)
			ours.put(int64(key), int64(i))
			a, b := driver.NewSum(), driver.NewSum()
			add(&a, theirs.Root)
			ours.add(&b, ours.root)
			if a != b {
				t.Fatalf("seed %d: the trees differ after %d keys", seed, i+1)
			}
		}
		if err := ours.nodes.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
