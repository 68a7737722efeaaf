package slab

import (
	"reflect"

	"github.com/coppice-go/coppice/internal/owner"
)

// owned is a Slab as the arena sees it that owns it.
type owned[T any] struct{ *Slab[T] }

// Join makes the Slab, which is unused, one of an arena's. It is for package arena: nobody else can
// name the type of its parameter. text says that T is uint64, of which the arena makes strings; in checked
// builds the bytes of those read "<stale!>", again and again, while their memory rests.
func (s *Slab[T]) Join(arena owner.Membership, text bool) owned[T] {
	s.member, s.resting.text = arena, text
	return owned[T]{s}
}

// Restart takes back every value of this phase. Unlike Reset it does not end the phase: the slab keeps
// all memory.
func (o owned[T]) Restart() {
	o.goBack(&position[T]{}, 0)
}

// Spans appends where the values of this phase are.
func (o owned[T]) Spans(list []owner.Span) []owner.Span {
	size := reflect.TypeFor[T]().Size()
	for _, c := range o.used {
		list = appendSpan(list, c, size)
	}
	return appendSpan(list, o.chunk, size)
}

func appendSpan[T any](list []owner.Span, c []T, size uintptr) []owner.Span {
	if len(c) == 0 || size == 0 {
		return list
	}
	start := reflect.ValueOf(c).Pointer()
	return append(list, owner.Span{Start: start, End: start + uintptr(len(c))*size})
}
