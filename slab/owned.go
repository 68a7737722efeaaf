package slab

import (
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/owner"
)

// Package arena uses these methods to own slabs. Users cannot call them.
func init() {
	owner.Join = func(slab any, arena owner.Membership) (any, *owner.Head) {
		return slab.(interface{ known() *core }).known().join(arena)
	}
	owner.NewSlab = func(t reflect.Type, arena owner.Membership) (any, *owner.Head) {
		s := new(core)
		s.kind = kindOf(t)
		return s.join(arena)
	}
}

// join adds an unused slab to an arena. If the arena stores strings in the slab, its values are of
// type uint64. In checked builds, its quarantined memory then reads as a repetition of "<stale!>".
//
//go:noinline
func (s *core) join(arena owner.Membership) (*core, *owner.Head) {
	s.member, s.resting.text = arena, arena.Text
	return s, s.head()
}

// Refill makes another chunk the current one. The current chunk must have no free slot left. Refill
// panics only if a user has set contradictory options in a slab that arena.Of returned.
func (s *core) Refill() {
	last := len(s.kept) - 1
	if checks.Enabled || s.chunk != nil || last < 0 {
		s.enter(s.take("a slab of an arena", 1))
		return
	}
	c := s.kept[last] // the usual first chunk of a phase
	s.kept[last] = nil
	s.kept = s.kept[:last]
	s.begin(len(c))
	s.chunk, s.rest, s.left = c, c, uint(len(c))
}

// Restart frees every value of this phase, as a Rewind to its start does. Unlike Reset it does not
// end the phase: the slab keeps all memory.
func (s *core) Restart() {
	s.goBack(&position{}, 0)
}

// Spans appends the address range of each chunk that this phase uses to list, and returns the
// extended list.
func (s *core) Spans(list []owner.Span) []owner.Span {
	for _, c := range s.used {
		list = s.appendSpan(list, c)
	}
	return s.appendSpan(list, s.chunk)
}

func (s *core) appendSpan(list []owner.Span, c []slot) []owner.Span {
	if len(c) == 0 || s.kind.size == 0 {
		return list
	}
	start := address(c)
	return append(list, owner.Span{Start: start, End: start + uintptr(len(c))*s.kind.size})
}
