// Command gods fills a red-black tree of github.com/emirpasic/gods. The problem is in
// ../spec.md. With -store the tree is our own: the same algorithm on records of a store.
package main

import (
	"flag"
	"math/rand/v2"
	"runtime"

	"github.com/emirpasic/gods/trees/redblacktree"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	trees = 8       // number of trees of a run at the default depth
	keys  = 200_000 // number of keys in each tree
)

func main() {
	stored := flag.Bool("store", false, "use our tree in a store")
	driver.Main("gods", &program{stored: stored})
}

// A program fills one tree after another.
type program struct {
	stored *bool
	order  []int // the keys in insertion order
	tree   *redblacktree.Tree
	own    *refTree
}

// Load generates the keys.
func (p *program) Load(depth int) (int, error) {
	p.order = rand.New(rand.NewPCG(1, 2)).Perm(keys)
	return driver.Operations(depth, trees), nil
}

// Operate fills a tree, and forces a collection while the tree is live.
func (p *program) Operate() error {
	if *p.stored {
		return p.operateStored()
	}
	p.tree = redblacktree.NewWithIntComparator()
	for i, key := range p.order {
		p.tree.Put(key, i)
	}
	runtime.GC()
	return nil
}

func (p *program) operateStored() (err error) {
	if p.own == nil {
		p.own, err = newRefTree()
		if err != nil {
			return err
		}
	}
	p.own.reset()
	for i, key := range p.order {
		p.own.put(int64(key), int64(i))
	}
	runtime.GC()
	return nil
}

// Sum traverses the tree in preorder, so that the sum depends on the shape of the tree.
func (p *program) Sum() (uint64, error) {
	s := driver.NewSum()
	if *p.stored {
		p.own.add(&s, p.own.root)
		return uint64(s), p.own.nodes.Close()
	}
	add(&s, p.tree.Root)
	return uint64(s), nil
}

func add(s *driver.Sum, n *redblacktree.Node) {
	if n == nil {
		s.Number(-1)
		return
	}
	s.Number(n.Key.(int))
	s.Number(n.Value.(int))
	add(s, n.Left)
	add(s, n.Right)
}
