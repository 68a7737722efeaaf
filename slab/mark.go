package slab

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Mark is a moment in a phase of one Slab, to which Rewind goes back. The zero Mark is
// the start of the phase. A Mark is worth nothing after a Rewind to an earlier one, a Reset
// or a Release.
type Mark struct {
	serial uint64 // of all Marks of this process: no slab takes another's for its own
	depth  int    // its place in the slab's marks
}

var lastMark atomic.Uint64

// A position is what a Mark stands for.
type position[T any] struct {
	serial      uint64
	left        uint
	rest, chunk []T
	used        int // chunks in used
	passed      int
	lost        int
}

// Mark returns the present moment, for Rewind. It allocates nothing but a place in a list of
// Marks, and not even that if nothing was handed out since the last Mark.
func (s *Slab[T]) Mark() Mark {
	if checks.Enabled {
		s.guard.Enter("slab.Mark")
		defer s.guard.Leave()
	}
	now := position[T]{left: s.left, rest: s.rest, chunk: s.chunk, used: len(s.used), passed: s.passed, lost: s.lost}
	top := len(s.marks) - 1
	if top >= 0 && s.marks[top].same(&now) {
		return Mark{s.marks[top].serial, top}
	}
	if now.same(&position[T]{}) {
		return Mark{}
	}
	now.serial = lastMark.Add(1)
	s.marks = append(s.marks, now)
	return Mark{now.serial, top + 1}
}

// same tells whether nothing was handed out between p and q, of one phase and one slab.
func (p *position[T]) same(q *position[T]) bool {
	return p.left == q.left && len(p.rest) == len(q.rest) && len(p.chunk) == len(q.chunk) &&
		p.used == q.used && p.passed == q.passed
}

// Rewind takes back every value handed out since m was made: pointers to them are stale, as
// after Reset. Values from before are left alone. All memory is kept for the rest of the
// phase. Rewind costs the zeroing of what it takes back, and, if a chunk was full since, of
// what the chunk at m had free. It panics if m is not of this slab and phase, or a Rewind went
// back further.
func (s *Slab[T]) Rewind(m Mark) {
	if checks.Enabled {
		s.guard.Enter("slab.Rewind")
		defer s.guard.Leave()
		s.rewound = checks.Caller()
	}
	var to position[T]
	depth := -1
	if m != (Mark{}) {
		depth = m.depth
		if depth >= len(s.marks) || s.marks[depth].serial != m.serial {
			panic(fmt.Sprintf("slab.Rewind: the Mark is not one of this phase of this Slab[%s], or a Rewind went back beyond it",
				reflect.TypeFor[T]()))
		}
		to = s.marks[depth]
	}
	s.wanted = max(s.wanted, s.needed()) // Reset shall keep what the phase needed at its height
	s.takeBack(&to)
	s.left, s.rest, s.chunk, s.passed, s.lost = to.left, to.rest, to.chunk, to.passed, to.lost
	s.forgetMarks(depth + 1)
}

// takeBack zeroes everything handed out since the position, and lets the chunks wait that
// were not in use then.
func (s *Slab[T]) takeBack(to *position[T]) {
	met := sameChunk(s.chunk, to.chunk)
	switch {
	case !met:
		clear(to.rest[:to.left])
		s.used = append(s.used, s.chunk)
	case reflect.TypeFor[T]().Size() > 0:
		clear(to.rest[:len(to.rest)-len(s.rest)])
		clear(s.rest[s.left : uint(len(s.rest))-uint(len(to.rest))+to.left])
	}
	waiting := len(s.kept)
	for _, c := range s.used[to.used:] {
		if !met && sameChunk(c, to.chunk) {
			met = true // it becomes the current one again
			continue
		}
		clear(c)
		s.kept = append(s.kept, c)
	}
	clear(s.used[to.used:])
	s.used = s.used[:to.used]
	if len(s.kept) > waiting {
		slices.SortFunc(s.kept, func(a, b []T) int { return cmp.Compare(len(a), len(b)) })
	}
}

// sameChunk tells whether a and b are one chunk, or both none. Chunks of values without a
// size have one address; those of one length are as good as one.
func sameChunk[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// keptMarks is how long a list of Marks may be that waits for the next phase.
const keptMarks = 1 << 12

// forgetMarks drops all Marks but the first n, and what they hold.
func (s *Slab[T]) forgetMarks(n int) {
	if n == 0 && cap(s.marks) > keptMarks {
		s.marks = nil
		return
	}
	clear(s.marks[n:])
	s.marks = s.marks[:n]
}

// verifyRewound panics, in checked builds, if a slot that is free was written since a Rewind of
// this phase took it back.
func (s *Slab[T]) verifyRewound(where string) {
	s.verify(where, s.rest[:s.left])
	for _, c := range s.kept {
		s.verify(where, c)
	}
}

// verify panics, in checked builds, if one of the free slots was written since a Rewind
// took it back.
func (s *Slab[T]) verify(where string, slots []T) {
	if s.rewound == (checks.Place{}) {
		return
	}
	values := reflect.ValueOf(slots)
	for i := range slots {
		if !values.Index(i).IsZero() {
			panic(fmt.Sprintf("%s: a %s was written after the Rewind at %s had taken it back",
				where, reflect.TypeFor[T](), s.rewound))
		}
	}
}
