package slab

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// The following methods implement New, Make and Extend for an arena, which knows T only as a
// reflect.Type. Their parameter where is the name of the caller, for panic messages.

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

// MakeSlots implements Make for an arena: it returns the address of n ≥ 1 zeroed slots. It panics
// if they exceed the address space.
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

// ExtendSlots implements Extend for an arena: it adds n slots to the slice that begins at address v
// and has length slots. It fails and returns false unless the slice ends where the last slice of
// MakeSlots ends and the n slots after it are free.
func (s *core) ExtendSlots(where string, v unsafe.Pointer, length, n int) bool {
	if checks.Enabled {
		s.guard.Enter(where)
		defer s.guard.Leave()
	}
	front := len(s.chunk) - len(s.rest)
	// Safety: the addresses are only compared, as integers. If they are equal, the slice at v is in
	// the chunk and ends where rest begins.
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
