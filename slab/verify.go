package slab

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify says which invariant of the package document does not hold, if any, and the likely
// cause. It looks at every chunk and every Mark, and at no value: mustBeZero looks at those.
func (s *core) verify() error {
	front := len(s.chunk) - len(s.rest)
	switch {
	case s.left > uint(len(s.rest)):
		return fmt.Errorf("%d slots are free of the %d that New may take; %s", s.left, len(s.rest), checks.Misused)
	case front < 0 || len(s.rest) > 0 && address(s.rest) != address(s.kind.part(s.chunk, front, len(s.chunk))):
		return errors.New("the slots for New are not the end of the current chunk; " + checks.Misused)
	}
	if err := s.verifyChunks(); err != nil {
		return err
	}
	return s.verifyMarks()
}

// verifyChunks is verify for the lists of chunks and what is counted of them.
func (s *core) verifyChunks() error {
	used, held := 0, len(s.chunk)
	for _, c := range s.used {
		used += len(c)
	}
	if s.passed < 0 || s.lost < 0 || s.passed+s.lost != used {
		return fmt.Errorf("%d values and %d lost slots are counted in full chunks of %d slots; %s", s.passed, s.lost, used, checks.Misused)
	}
	held += used + s.resting.slots()
	for i, c := range s.kept {
		held += len(c)
		if i > 0 && len(s.kept[i-1]) > len(c) {
			return errors.New("the chunks that wait are out of order; " + checks.Misused)
		}
	}
	if s.held != held {
		return fmt.Errorf("%d slots are counted in chunks of %d; %s", s.held, held, checks.Misused)
	}
	if s.kind.size == 0 {
		return nil // such chunks all have one address
	}
	seen := map[uintptr]bool{}
	for _, list := range [...][][]slot{{s.chunk}, s.used, s.kept, s.resting.chunks} {
		for _, c := range list {
			if seen[address(c)] {
				return fmt.Errorf("one chunk of %d slots is listed twice; %s", len(c), checks.Misused)
			}
			if len(c) > 0 {
				seen[address(c)] = true
			}
		}
	}
	return nil
}

// verifyMarks is verify for the Marks: each of them is of a moment after the one before.
func (s *core) verifyMarks() error {
	var before position
	used, slots := 0, 0 // chunks looked at, and their slots
	for i, m := range s.marks {
		if m.serial <= before.serial || m.used < before.used || m.used > len(s.used) {
			return fmt.Errorf("Mark %d of %d is out of order; %s", i, len(s.marks), checks.Misused)
		}
		for ; used < m.used; used++ {
			slots += len(s.used[used])
		}
		if m.passed+m.lost != slots || m.left > uint(len(m.rest)) || len(m.rest) > len(m.chunk) {
			return fmt.Errorf("Mark %d of %d counts other slots than there were; %s", i, len(s.marks), checks.Misused)
		}
		before = m
	}
	return nil
}

// verifyIfCheap runs verify in the name of where, as often as costs each call a constant.
func (s *core) verifyIfCheap(where string) {
	if s.budget.Affords(len(s.used) + len(s.kept) + len(s.resting.chunks) + len(s.marks)) {
		checks.MustHold(where, s.verify())
	}
}

// freeMustBeZero panics in the name of where if a slot that is free was written since a Rewind of
// this phase took it back.
func (s *core) freeMustBeZero(where string) {
	if s.rewound == (checks.Place{}) {
		return
	}
	s.mustBeZero(where, s.kind.part(s.rest, 0, int(s.left)))
	for _, c := range s.kept {
		s.mustBeZero(where, c)
	}
}

// mustBeZero panics in the name of where if one of the slots, which are free, was written.
func (s *core) mustBeZero(where string, slots []slot) {
	switch {
	case !s.kind.nonZero(slots):
	case s.rewound != (checks.Place{}):
		panic(fmt.Sprintf("%s: a %s was written after the Rewind at %s had taken it back",
			where, s.kind.typ, s.rewound))
	default:
		panic(fmt.Sprintf("%s: a %s was written before it was handed out, most likely through a pointer or a slice from before a Reset",
			where, s.kind.typ))
	}
}
