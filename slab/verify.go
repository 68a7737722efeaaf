package slab

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify checks the invariants in the package documentation. It returns an error that describes the
// violated invariant and its likely cause, or nil if all invariants hold. It checks every chunk and
// every Mark, but not the values, which mustBeZero checks.
func (s *core) verify() error {
	front := len(s.chunk) - len(s.rest)
	switch {
	case s.left > uint(len(s.rest)):
		return fmt.Errorf("%d free slots are recorded, but New may take only %d; %s", s.left, len(s.rest), checks.Misused)
	case front < 0 || len(s.rest) > 0 && address(s.rest) != address(s.kind.part(s.chunk, front, len(s.chunk))):
		return errors.New("the slots for New are not the end of the current chunk; " + checks.Misused)
	}
	if err := s.verifyChunks(); err != nil {
		return err
	}
	return s.verifyMarks()
}

// verifyChunks verifies the lists of chunks, and the counts that must match them.
func (s *core) verifyChunks() error {
	used, held := 0, len(s.chunk)
	for _, c := range s.used {
		used += len(c)
	}
	if s.passed < 0 || s.lost < 0 || s.passed+s.lost != used {
		return fmt.Errorf("%d values and %d lost slots are recorded in full chunks of %d slots; %s", s.passed, s.lost, used, checks.Misused)
	}
	held += used + s.resting.slots()
	for i, c := range s.kept {
		held += len(c)
		if i > 0 && len(s.kept[i-1]) > len(c) {
			return errors.New("the chunks that wait are out of order; " + checks.Misused)
		}
	}
	if s.held != held {
		return fmt.Errorf("%d slots are recorded in chunks of %d; %s", s.held, held, checks.Misused)
	}
	if s.kind.size == 0 {
		return nil // all chunks of zero-size values have the same address
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

// verifyMarks verifies that each Mark records a later position than the Mark before it.
func (s *core) verifyMarks() error {
	var before position
	used, slots := 0, 0 // numbers of chunks and of slots checked so far
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

// verifyIfCheap panics if verify returns an error. It skips most calls of verify, so that its
// average time is constant. The parameter where names the caller, for the panic message.
func (s *core) verifyIfCheap(where string) {
	if s.budget.Affords(len(s.used) + len(s.kept) + len(s.resting.chunks) + len(s.marks)) {
		checks.MustHold(where, s.verify())
	}
}

// freeMustBeZero panics if a free slot was written to after a Rewind of this phase freed it. The
// parameter where names the caller, for the panic message.
func (s *core) freeMustBeZero(where string) {
	if s.rewound == (checks.Place{}) {
		return
	}
	s.mustBeZero(where, s.kind.part(s.rest, 0, int(s.left)))
	for _, c := range s.kept {
		s.mustBeZero(where, c)
	}
}

// mustBeZero panics if one of the given free slots is not zero, because a stale pointer was used to
// write to it. The parameter where names the caller, for the panic message.
func (s *core) mustBeZero(where string, slots []slot) {
	switch {
	case !s.kind.nonZero(slots):
	case s.rewound != (checks.Place{}):
		panic(fmt.Sprintf("%s: a %s was written after the Rewind at %s had taken it back",
			where, s.kind.typ, s.rewound))
	default:
		panic(fmt.Sprintf("%s: a %s was written before it was handed out, most likely through a pointer or slice obtained before a Reset",
			where, s.kind.typ))
	}
}
