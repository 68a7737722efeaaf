package slab

import "github.com/coppice-go/coppice/internal/owner"

// Join makes the Slab, which is unused, one of an arena's. It is for package arena: nobody else can
// name the type of its parameter. text says that T is uint64, of which the arena makes strings; in checked
// builds the bytes of those read "<stale!>", again and again, while their memory rests.
func (s *Slab[T]) Join(arena owner.Membership, text bool) *core {
	return s.known().join(arena, text)
}

// join is Join.
//
//go:noinline
func (s *core) join(arena owner.Membership, text bool) *core {
	s.member, s.resting.text = arena, text
	return s
}

// Restart takes back every value of this phase. Unlike Reset it does not end the phase: the slab keeps
// all memory.
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
