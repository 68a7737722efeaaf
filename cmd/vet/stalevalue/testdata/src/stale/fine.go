package stale

import (
	"errors"
	"testing"

	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

func before(s *slab.Slab[leaf]) int {
	l := s.New()
	v := l.value
	s.Reset()
	return v
}

func branchThatReturns(s *slab.Slab[leaf], full bool) int {
	l := s.New()
	if full {
		s.Reset()
		return 0
	}
	return l.value
}

func branchThatPanics(s *slab.Slab[leaf], full bool) int {
	l := s.New()
	if full {
		s.Reset()
		panic("full")
	}
	return l.value
}

func branchThatFails(t *testing.T, s *store.Store[node]) {
	_, n := s.New()
	if n.left != 0 {
		s.Reset()
		t.Fatal("not zero")
	}
	n.left = 1
}

func sameCondition(s *slab.Slab[leaf], full bool) int {
	l := s.New()
	if full {
		s.Reset()
	}
	if !full {
		return l.value
	}
	return 0
}

func sameError(s *store.Store[node], err error) {
	n := s.At(1)
	if err != nil {
		_ = s.Close()
	}
	if err == nil {
		n.left = 1
	}
}

func everyTurn(s *slab.Slab[leaf]) (sum int) {
	for range 10 {
		l := s.New()
		sum += l.value
		s.Reset()
	}
	return sum
}

func lastOne(s *slab.Slab[leaf]) (sum int) {
	var last *leaf
	for i := range 10 {
		if last != nil {
			sum += last.value
		}
		last = s.New()
		if i%3 == 0 {
			s.Reset()
			last = nil
		}
	}
	return sum
}

func reassigned(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	l = s.New()
	return l.value
}

func shadowed(s *slab.Slab[leaf]) int {
	l := s.New()
	{
		l := s.Make(2)
		_ = l
		s.Reset()
	}
	l = &leaf{}
	return l.value
}

func deferredReset(s *slab.Slab[leaf]) int {
	defer s.Reset()
	l := s.New()
	return l.value
}

func anotherSlab(a, b *slab.Slab[leaf]) int {
	l := a.New()
	b.Reset()
	return l.value
}

func twoFields(t *tree, r store.Ref[node]) store.Ref[node] {
	n := t.nodes.At(r)
	t.leaves.Reset()
	return n.left
}

func anotherRecord(s *store.Store[node], a, b store.Ref[node]) store.Ref[node] {
	n := s.At(a)
	s.Delete(b)
	return n.left
}

func deleteList(s *store.Store[node], r store.Ref[node]) {
	for r != 0 {
		next := s.At(r).right
		s.Delete(r)
		r = next
	}
}

func oneOfMany(s *store.Store[node]) store.Ref[node] {
	first, all := s.Make(3)
	s.Delete(first + 1)
	return all[2].left + s.At(first).left
}

func released(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Release() // what is held stays as it is
	return l.value
}

func replaced(t *tree, r store.Ref[node]) store.Ref[node] {
	n := t.nodes.At(r)
	t.renew()
	t.nodes.Reset()
	return n.left
}

func (t *tree) renew() { t.nodes, _ = store.New[node](store.Options{}) }

func replacedHere(t *tree, other *store.Store[node], r store.Ref[node]) store.Ref[node] {
	n := t.nodes.At(r)
	t.nodes = other
	t.nodes.Reset()
	return n.left
}

func staleHandle(h *store.Handles[node]) bool {
	handle := h.Alloc(node{})
	h.Delete(handle)
	_, ok := h.Get(handle)
	return ok || h.Delete(handle)
}

func comparison(s *store.Store[node]) bool {
	a, n := s.New()
	s.Delete(a)
	b, m := s.New()
	return a == b && n == m && n != nil
}

func manyStores(all []*slab.Slab[leaf]) int {
	l := all[0].New()
	all[1].Reset()
	return l.value
}

func freshEachTurn(sizes []int) error {
	var previous *store.Store[node]
	for range sizes {
		s, err := store.New[node](store.Options{})
		if err != nil {
			return err
		}
		if previous != nil {
			if previous.Len() > s.Len() {
				return errors.New("shrinks")
			}
			_ = previous.Close()
		}
		_, n := s.New()
		n.left = 1
		previous = s
	}
	return nil
}

func wanted(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	return l.value //coppice:ignore stalevalue it shows what a stale pointer reads
}

func text2(s *store.Store[node]) string {
	copied := s.Text(s.AllocText("ash"))
	s.Reset()
	return copied
}

func deleteRow(s *store.Store[node]) {
	first, _ := s.Make(8)
	for r := first; r < first+8; r++ {
		s.Delete(r)
	}
}

// A comment before a function covers all of it.
//
//coppice:ignore stalevalue it shows what a stale pointer reads
func wantedAll(s *slab.Slab[leaf]) int {
	l := s.New()
	s.Reset()
	return l.value
}
