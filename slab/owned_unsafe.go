package slab

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// What follows is New, Make and Extend for an arena, which knows T as a reflect.Type.

// NewSlot returns the address of a zeroed slot: New for checked builds. In all others the arena takes it from the Head.
func (s *core) NewSlot() unsafe.Pointer {
	s.guard.Enter("slab.New")
	defer s.guard.Leave()
	if s.left == 0 {
		s.Refill()
	}
	s.left--
	slot := s.kind.part(s.rest, int(s.left), int(s.left)+1)
	s.mustBeZero("slab.New", slot)
	return first(slot)
}

// MakeSlots returns the address of n zeroed slots, of which there is at least one.
func (s *core) MakeSlots(n int) unsafe.Pointer {
	if checks.Enabled {
		s.guard.Enter("slab.Make")
		defer s.guard.Leave()
	}
	if uint(n) > s.left {
		c := s.take("slab.Make", n, false)
		if s.pass(c, n) {
			return first(c)
		}
		s.enter(c)
	}
	made := s.rest
	if checks.Enabled {
		s.mustBeZero("slab.Make", s.kind.part(made, 0, n))
	}
	s.left -= uint(n)
	s.rest = s.kind.part(made, n, len(made))
	return first(made)
}

// ExtendSlots makes the slice of so many slots at v longer by n, and returns true, if it is the last that MakeSlots returned and there
// is room behind it.
func (s *core) ExtendSlots(v unsafe.Pointer, length, n int) bool {
	if checks.Enabled {
		s.guard.Enter("slab.Extend")
		defer s.guard.Leave()
	}
	front := len(s.chunk) - len(s.rest)
	// Safety: addresses are compared as numbers. If they are equal, v lies in the chunk and ends where rest begins.
	if uint(n) > s.left || length == 0 || length > front || uintptr(v) != address(s.chunk)+uintptr(front-length)*s.kind.size {
		return false
	}
	if checks.Enabled {
		s.mustBeZero("slab.Extend", s.kind.part(s.rest, 0, n))
	}
	s.left -= uint(n)
	s.rest = s.kind.part(s.rest, n, len(s.rest))
	return true
}
