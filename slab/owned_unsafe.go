package slab

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// The following methods implement New, Make and Extend for an arena, which knows T only as a
// reflect.Type. A panic message begins with where, the name of the caller.

// NewSlot implements New for an arena in checked builds: it returns the address of a zeroed slot.
// In other builds the arena takes the slot directly from the owner.Head.
func (s *core) NewSlot(where string) unsafe.Pointer {
	s.guard.Enter(where)
	defer s.guard.Leave()
	if s.left == 0 {
		s.Refill()
	}
	s.left--
	slot := s.kind.part(s.rest, int(s.left), int(s.left)+1)
	s.mustBeZero(where, slot)
	return first(slot)
}

// MakeSlots returns the address of n ≥ 1 zeroed slots. It panics if they exceed the address space.
func (s *core) MakeSlots(where string, n int) unsafe.Pointer {
	if checks.Enabled {
		s.guard.Enter(where)
		defer s.guard.Leave()
	}
	if uint(n) > s.left {
		c := s.take(where, n)
		if s.pass(c, n) {
			return first(c)
		}
		s.enter(c)
	}
	made := s.rest
	if checks.Enabled {
		s.mustBeZero(where, s.kind.part(made, 0, n))
	}
	s.left -= uint(n)
	s.rest = s.kind.part(made, n, len(made))
	return first(made)
}

// ExtendSlots lengthens the slice at v, which has the given length, by n slots. It returns true if
// the slice is the last that MakeSlots returned and the n slots after it are free.
func (s *core) ExtendSlots(where string, v unsafe.Pointer, length, n int) bool {
	if checks.Enabled {
		s.guard.Enter(where)
		defer s.guard.Leave()
	}
	front := len(s.chunk) - len(s.rest)
	// Safety: addresses are compared as numbers. If they are equal, v is in the chunk and ends
	// where rest begins.
	if uint(n) > s.left || length == 0 || length > front || uintptr(v) != address(s.chunk)+uintptr(front-length)*s.kind.size {
		return false
	}
	if checks.Enabled {
		s.mustBeZero(where, s.kind.part(s.rest, 0, n))
	}
	s.left -= uint(n)
	s.rest = s.kind.part(s.rest, n, len(s.rest))
	return true
}
