// Package stale has what rule stalevalue must report.
package stale

import (
	"fmt"

	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

type node struct{ left, right store.Ref[node] }

type tree struct {
	nodes  *store.Store[node]
	leaves slab.Slab[leaf]
}

type leaf struct {
	next  *leaf
	value int
}

func afterReset(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	return l.value // want `the \*leaf of a slab.Slab is used after Reset ended it in line 25`
}

func write(s *slab.Slab[leaf]) {
	l := s.New()
	s.Reset()
	l.value = 1 // want `is used after Reset`
}

func local() int {
	var s slab.Slab[leaf]
	all := s.Make(10)
	s.Reset()
	sum := len(all)
	for i := range all {
		sum += all[i].value // want `the \[\]leaf of a slab.Slab is used after Reset`
	}
	return sum
}

func afterDel(s *store.Store[node], r store.Ref[node]) store.Ref[node] {
	n := s.At(r)
	s.Delete(r)
	return n.left // want `the \*node of a store.Store is used after Delete`
}

func refAfterDel(s *store.Store[node]) *node {
	r := s.Alloc(node{})
	s.Delete(r)
	return s.At(r) // want `the store.Ref\[node\] of a store.Store is used after Delete`
}

func twice(s *store.Store[node], r store.Ref[node]) {
	s.Delete(r)
	s.Delete(r) // want `is used after Delete`
}

func refAfterReset(s *store.Store[node]) *node {
	r, _ := s.New()
	s.Reset()
	return s.At(r) // want `the store.Ref\[node\] of a store.Store is used after Reset`
}

func afterClose() (int, error) {
	s, err := store.New[node](store.Options{})
	if err != nil {
		return 0, err
	}
	all := s.Slice()
	if err := s.Close(); err != nil {
		return 0, err
	}
	return int(all[1].left), nil // want `the \[\]node of a store.Store is used after Close`
}

func deferred() *node {
	s, err := store.New[node](store.Options{})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	_, n := s.New()
	return n // want `the \*node of a store.Store is returned, and the deferred Close ends it`
}

func field(t *tree) int {
	l := t.leaves.New()
	t.leaves.Reset()
	return l.value // want `is used after Reset`
}

func pointerField(t *tree, r store.Ref[node]) store.Ref[node] {
	n := t.nodes.At(r)
	t.nodes.Reset()
	return n.left // want `is used after Reset`
}

func nextTurn(s *slab.Slab[leaf]) {
	first := s.New()
	for range 3 {
		first.value++ // want `is used after Reset`
		s.Reset()
	}
}

func oneBranch(s *slab.Slab[leaf], full bool) int {
	l := s.New()
	if full {
		s.Reset()
	}
	return l.value // want `is used after Reset`
}

func captured(s *slab.Slab[leaf]) int {
	l := s.New()
	show := func() { fmt.Println(l.value) }
	show()
	s.Reset()
	return l.value // want `is used after Reset`
}

func inClosure(s *slab.Slab[leaf]) func() int {
	return func() int {
		l := s.New()
		s.Reset()
		return l.value // want `is used after Reset`
	}
}

func handedOn(s *slab.Slab[leaf]) {
	l := s.New()
	s.Reset()
	fmt.Println(l) // want `is used after Reset`
}

func kept(s *slab.Slab[leaf], all []*leaf) []*leaf {
	l := s.New()
	s.Reset()
	return append(all, l) // want `is used after Reset`
}

func text(s *store.Store[node]) string {
	t := s.AllocText("ash")
	s.Reset()
	return s.Text(t) // want `the store.Text of a store.Store is used after Reset`
}

func textBytes(s *store.Store[node]) string {
	b := s.TextBytes(s.AllocText("ash"))
	s.Reset()
	return string(b) // want `the \[\]byte of a store.Store is used after Reset`
}

func writer(s *store.Store[node]) store.Ref[node] {
	w := s.Writer()
	_, n := w.New()
	w.Close()
	s.Reset()
	return n.left // want `is used after Reset`
}

func handles(h *store.Handles[node]) store.Ref[node] {
	handle, n := h.New()
	h.Delete(handle)
	return n.left // want `the \*node of a store.Handles is used after Delete`
}

func copied(to, from *store.Store[node]) (store.Ref[node], error) {
	n := to.At(1)
	if err := to.CopyFrom(from); err != nil {
		return 0, err
	}
	return n.left, nil // want `is used after CopyFrom`
}

func generic[T any](s *slab.Slab[T]) T {
	v := s.New()
	s.Reset()
	return *v // want `the \*T of a slab.Slab is used after Reset`
}

type nodes struct{ slab.Slab[leaf] }

func embedded(n *nodes) int {
	l := n.New()
	n.Reset()
	return l.value // want `is used after Reset`
}

func withoutReason(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	//coppice:ignore stalevalue
	return l.value // want `is used after Reset`
}

func anotherRule(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	//coppice:ignore foreignref it is about another rule
	return l.value // want `is used after Reset`
}

func tried(s *store.Store[node]) *node {
	w := s.Writer()
	r, err := w.TryAlloc(node{})
	if err != nil {
		return nil
	}
	s.Reset()
	return s.At(r) // want `is used after Reset`
}

func triedText(s *store.Store[node]) string {
	text, err := s.TryAllocText("a")
	if err != nil {
		return ""
	}
	s.Reset()
	return s.Text(text) // want `is used after Reset`
}
