package slab

import (
	"fmt"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Mark records a point in a phase of a Slab, to which Rewind can return. It is valid for that
// Slab only, and only until a Reset, a Release or a Rewind to an earlier Mark. The zero Mark is
// never valid.
type Mark struct {
	serial uint64 // unique in this process, from 1, so that a slab rejects the Marks of other slabs
	depth  int    // 1 + index in the slab's marks; 0 for the start of a phase
}

// serials is the number of serial numbers that a slab reserves at a time. Because it reserves many,
// slabs of different goroutines rarely contend. A process can make 1<<54 reservations, which is
// enough for centuries.
const serials = 1 << 10

var lastSerial atomic.Uint64

// A position is the state of a slab that a Mark records. At the start of a phase, it is zero.
type position struct {
	serial      uint64
	left        uint
	rest, chunk []slot
	used        int // number of chunks in books.used
	passed      int
	lost        int
}

// Mark records the current point in the phase, for Rewind. Each Mark uses one element of a list in
// the Slab. A Mark at the start of a phase uses none, and neither does a second Mark if no value
// was allocated since the first.
func (s *Slab[T]) Mark() Mark { return s.core().Mark() }

// Mark implements Slab.Mark.
//
//go:noinline
func (s *core) Mark() Mark {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Mark")
		defer s.guard.Leave()
	}
	now := position{left: s.left, rest: s.rest, chunk: s.chunk, used: len(s.used), passed: s.passed, lost: s.lost}
	top := len(s.marks)
	if top > 0 && s.marks[top-1].same(&now) {
		return Mark{s.marks[top-1].serial, top}
	}
	if now.same(&position{}) {
		if s.start == 0 {
			s.start = s.nextSerial()
		}
		return Mark{s.start, 0}
	}
	now.serial = s.nextSerial()
	s.marks = append(s.marks, now)
	return Mark{now.serial, top + 1}
}

// nextSerial returns a serial number that is unique in this process.
func (s *core) nextSerial() uint64 {
	if s.serial%serials == 0 { // the reserved numbers are used up
		s.serial = lastSerial.Add(serials) - serials
	}
	s.serial++
	return s.serial
}

// same reports whether no value was allocated between p and q, which are positions in the same
// phase of the same slab.
func (p *position) same(q *position) bool {
	return p.left == q.left && len(p.rest) == len(q.rest) && len(p.chunk) == len(q.chunk) &&
		p.used == q.used && p.passed == q.passed
}

// Rewind frees every value that was allocated since m was made. Pointers to these values are stale,
// as after Reset. Older values do not change. The slab keeps all memory for the rest of the phase.
// Rewind takes as long as zeroing the memory that it frees. If the slab has begun another chunk
// since m was made, Rewind also zeroes the slots that were then free in the current chunk. Rewind
// panics in all builds, and frees nothing, if m belongs to another slab or phase, if a Rewind has
// returned to a point before m, or if m is zero.
func (s *Slab[T]) Rewind(m Mark) { s.known().Rewind(m) }

// Rewind implements Slab.Rewind.
//
//go:noinline
func (s *core) Rewind(m Mark) {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Rewind")
		defer s.guard.Leave()
		s.verifyIfCheap("slab.Slab.Rewind")
	}
	to, ok := s.at(m)
	if !ok {
		panic(fmt.Sprintf("slab.Slab.Rewind: the Mark is not one of this phase of this Slab[%s], or a Rewind went back beyond it",
			s.kind.typ))
	}
	s.goBack(&to, m.depth)
}

// goBack frees every value that was allocated after the given position, and drops all Marks but the
// first depth ones.
func (s *core) goBack(to *position, depth int) {
	if checks.Enabled {
		s.rewound = checks.Caller()
	}
	s.wanted = max(s.wanted, s.needed()) // Reset must keep what the phase needed at its peak
	s.takeBack(to)
	s.left, s.rest, s.chunk, s.passed, s.lost = to.left, to.rest, to.chunk, to.passed, to.lost
	s.forgetMarks(depth)
}

// at returns the position of m and true, or false if m is not valid for this slab and phase.
func (s *core) at(m Mark) (to position, ok bool) {
	switch {
	case m.depth == 0:
		return to, m.serial == s.start && m.serial != 0
	case m.depth > len(s.marks):
		return to, false
	}
	to = s.marks[m.depth-1]
	return to, m.serial == to.serial
}

// takeBack zeroes all slots that were allocated after the given position, and frees the chunks that
// were not in use at that position.
func (s *core) takeBack(to *position) {
	met := sameChunk(s.chunk, to.chunk)
	switch {
	case !met:
		s.kind.zero(s.kind.part(to.rest, 0, int(to.left)))
		s.used = append(s.used, s.chunk)
	case s.kind.size > 0:
		s.kind.zero(s.kind.part(to.rest, 0, len(to.rest)-len(s.rest)))
		s.kind.zero(s.kind.part(s.rest, int(s.left), len(s.rest)-len(to.rest)+int(to.left)))
	}
	for _, c := range s.used[to.used:] {
		if !met && sameChunk(c, to.chunk) {
			met = true // c becomes the current chunk again
			continue
		}
		s.kind.zero(c)
		s.wait(c)
	}
	clear(s.used[to.used:])
	s.used = s.used[:to.used]
}

// sameChunk reports whether a and b are the same chunk or both empty. All chunks of zero-size
// values have the same address, but such chunks are interchangeable if they have the same length.
func sameChunk(a, b []slot) bool {
	return len(a) == len(b) && address(a) == address(b)
}

// keptMarks is the capacity above which the list of Marks is not kept for the next phase.
const keptMarks = 1 << 12

// forgetMarks drops all Marks after the first n, and their references to chunks.
func (s *core) forgetMarks(n int) {
	if n == 0 && cap(s.marks) > keptMarks {
		s.marks = nil
		return
	}
	clear(s.marks[n:])
	s.marks = s.marks[:n]
}
