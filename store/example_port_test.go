package store_test

import (
	"fmt"
	"log"

	"github.com/coppice-go/coppice/store"
)

// A word is a node of a long-lived ordered tree. Before the port, it had 48 bytes and three
// pointers, which the collector followed:
//
//	type word struct { key, count int; left, right, parent *word }
//
// As a record, it has 32 bytes, and the collector does not scan it.
type word struct {
	key, count          int64
	left, right, parent store.Ref[word]
}

type words struct {
	nodes *store.Store[word]
	root  store.Ref[word]
}

// add counts a key. The comments show the code before the port.
func (w *words) add(key int64) {
	parent, link := store.Ref[word](0), &w.root
	for *link != 0 { // *link != nil
		parent = *link
		n := w.nodes.At(parent) // n := parent
		switch {
		case key == n.key:
			n.count++
			return
		case key < n.key:
			link = &n.left
		default:
			link = &n.right
		}
	}
	*link = w.nodes.Alloc(word{key: key, count: 1, parent: parent}) // &word{...}
}

func (w *words) print(r store.Ref[word]) {
	if r == 0 {
		return
	}
	n := w.nodes.At(r)
	w.print(n.left)
	fmt.Print(n.key, ":", n.count, " ")
	w.print(n.right)
}

// A tree is ported by replacing its pointers with refs. Records never move. Therefore a pointer
// that At returned, or a pointer into a record such as link here, stays valid while other records
// are stored. The port of the red-black tree of gods in this repository (workloads/foreign/gods)
// was made in this way; docs/benchmarking/programs.md has its results.
func Example_port() {
	nodes, err := store.New[word](store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer nodes.Close() // the collector does not know of this memory
	w := words{nodes: nodes}
	for _, key := range []int64{5, 3, 8, 3, 5, 5} {
		w.add(key)
	}
	w.print(w.root)
	// Output: 3:2 5:3 8:1
}
