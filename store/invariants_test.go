package store

import (
	"fmt"
	"slices"
)

// Invariants says which of those that core.go states does not hold, if any.
func (s *Store[T]) Invariants() error {
	c := s.own.core
	free := make(map[uint32]string)
	add := func(first, last uint32, where string) error {
		if first == 0 || first > last || last > c.top {
			return fmt.Errorf("%s has the slots %d to %d of %d", where, first, last, c.top)
		}
		for slot := first; slot <= last; slot++ {
			if other, taken := free[slot]; taken {
				return fmt.Errorf("slot %d is in %s and in %s", slot, other, where)
			}
			free[slot] = where
		}
		return nil
	}
	holes := 0
	for _, r := range c.free {
		if err := add(r.first, r.last, "the holes"); err != nil {
			return err
		}
		holes = len(free)
	}
	if holes != int(c.holes) {
		return fmt.Errorf("%d slots are dead, and %d are counted", holes, c.holes)
	}
	for slot := range 64 * uint32(len(c.dead)) {
		if isHole := free[slot] != ""; isHole != c.dead.has(slot) {
			return fmt.Errorf("slot %d is in the holes: %v; in the bitmap: %v", slot, isHole, c.dead.has(slot))
		}
	}
	if holes > 0 && int(slices.MaxFunc(c.free, func(a, b run) int { return int(a.last) - int(b.last) }).last) >= 64*len(c.dead) {
		return fmt.Errorf("the bitmap has %d words, too few for the holes", len(c.dead))
	}
	for i, w := range append(slices.Clone(c.open), c.own) {
		if w.left() > 0 {
			if err := add(*w.last+1, *w.end, fmt.Sprintf("window %d", i)); err != nil {
				return err
			}
		}
	}
	return s.freeIsZero(free)
}

// freeIsZero says which free slot is not zero, if any. In large stores it looks at a few.
func (s *Store[T]) freeIsZero(free map[uint32]string) error {
	c := s.own.core
	looked := 0
	check := func(slot uint32, where string) error {
		looked += int(c.size)
		for _, b := range bytesOf(c.region, uintptr(slot)*c.size, c.end(slot)) {
			if b != 0 {
				return fmt.Errorf("slot %d, in %s, is not zero", slot, where)
			}
		}
		return nil
	}
	for slot, where := range free {
		if err := check(slot, where); err != nil || looked > 1<<18 {
			return err
		}
	}
	for slot := c.dirty + 1; c.end(slot) <= c.region.Committed() && looked < 1<<18; slot++ {
		if err := check(slot, "what is clean"); err != nil {
			return err
		}
	}
	return nil
}
