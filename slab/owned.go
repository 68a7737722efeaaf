package slab

import (
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/owner"
)

// Package arena makes slabs its own by these, which no user can call.
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

// join makes a slab, which is unused, one of an arena's. If the arena makes strings of its values,
// which are of type uint64, their bytes read "<stale!>", again and again, in checked builds, while
// their memory rests.
//
//go:noinline
func (s *core) join(arena owner.Membership) (*core, *owner.Head) {
	s.member, s.resting.text = arena, arena.Text
	return s, s.head()
}

// Refill makes another chunk the current one, of which there is nothing left. It panics only if
// somebody has set options of a slab from arena.Of that contradict themselves.
func (s *core) Refill() {
	last := len(s.kept) - 1
	if checks.Enabled || s.chunk != nil || last < 0 {
		s.enter(s.take("a slab of an arena", 1))
		return
	}
	c := s.kept[last] // what most phases begin with
	s.kept[last] = nil
	s.kept = s.kept[:last]
	s.begin(len(c))
	s.chunk, s.rest, s.left = c, c, uint(len(c))
}

// Restart takes back every value of this phase. Unlike Reset it does not end the phase: the slab
// keeps all memory.
func (s *core) Restart() {
	s.goBack(&position{}, 0)
}

// Spans appends where the values of this phase are.
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
