// Command inline is what a user's hot loops look like to the compiler.
package main

import "github.com/coppice-go/coppice/store"

type node struct{ left, right store.Ref[node] }

func build(s *store.Store[node], depth int) store.Ref[node] {
	r, n := s.New()
	if depth > 0 {
		n.left, n.right = build(s, depth-1), build(s, depth-1)
	}
	return r
}

func put(s *store.Store[node]) store.Ref[node] { return s.Alloc(node{}) }

func at(s *store.Store[node], r store.Ref[node]) *node { return s.At(r) }

func slice(s *store.Store[node]) []node { return s.Slice() }

func write(w *store.Writer[node]) store.Ref[node] {
	w.New()
	return w.Alloc(node{})
}

func count(nodes []node, r store.Ref[node]) int {
	n := &nodes[r]
	if n.left == 0 {
		return 1
	}
	return 1 + count(nodes, n.left) + count(nodes, n.right)
}

func get(h *store.Handles[node], handle store.Handle[node]) bool {
	_, ok := h.Get(handle)
	return ok
}

func main() {
	handles, err := store.NewHandles[node](store.Options{})
	if err != nil {
		panic(err)
	}
	println(get(handles, handles.Alloc(node{})))
	s, err := store.New[node](store.Options{})
	if err != nil {
		panic(err)
	}
	root := build(s, 10)
	println(count(slice(s), root), at(s, put(s)), write(s.Writer()))
}
