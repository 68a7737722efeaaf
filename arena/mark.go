package arena

import (
	"slices"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Mark is a moment in a phase of one Arena, for Rewind to go back to. It is valid for that
// Arena only, and until a Rewind to an earlier Mark, a Reset or a Release. The zero Mark is
// never valid.
type Mark struct {
	serial uint64 // of all Marks of this process, from 1: no arena takes another's for its own
	depth  int    // its place in the arena's marks
}

var lastMark atomic.Uint64

// A moment is what a Mark stands for: the Marks of the slabs that there were then, the words
// first. A slab that came later was empty.
type moment struct {
	serial uint64
	seen   int // the Marks of the slabs are Arena.seen from here to the next moment's
}

// Mark returns the present moment, for Rewind. It costs a few nanoseconds for each type that
// the arena has met, and stores a Mark for each of them. A second Mark stores nothing if no
// value was handed out since the first.
func (a *Arena) Mark() Mark {
	if checks.Enabled {
		a.guard.Enter("arena.Mark")
		defer a.guard.Leave()
	}
	start := len(a.seen)
	for s := range a.all {
		a.seen = append(a.seen, s.Mark())
	}
	if top := len(a.marks) - 1; top >= 0 && slices.Equal(a.seen[a.marks[top].seen:start], a.seen[start:]) {
		a.seen = a.seen[:start]
		return Mark{a.marks[top].serial, top}
	}
	a.marks = append(a.marks, moment{lastMark.Add(1), start})
	return Mark{a.marks[len(a.marks)-1].serial, len(a.marks) - 1}
}

// Rewind takes back every value that was handed out since m was made. Pointers to them are
// stale, as after Reset. Older values are not changed. A slice that grew in place since m keeps
// the elements that it had at m; if its type has no pointers, it does not grow in place again. The
// arena keeps all memory for the rest of the phase. For each type Rewind costs what slab.Slab.Rewind
// says. It panics, in all builds, and takes back nothing, if m is of another arena or phase, if a
// Rewind went back to before m, or if m is zero.
func (a *Arena) Rewind(m Mark) {
	if checks.Enabled {
		a.guard.Enter("arena.Rewind")
		defer a.guard.Leave()
		if a.budget.Affords(len(a.slabs) + len(a.marks)) {
			checks.MustHold("arena.Rewind", a.verify())
		}
	}
	depth := m.depth
	if depth >= len(a.marks) || a.marks[depth].serial != m.serial {
		panic("arena.Rewind: the Mark is not one of this phase of this Arena, or a Rewind went back beyond it")
	}
	start := a.marks[depth].seen
	seen := a.seen[start:]
	if depth+1 < len(a.marks) {
		seen = seen[:a.marks[depth+1].seen-start]
	}
	known := len(seen)
	came := a.came[known-plainSlabs:] // after m, so in this phase
	for s := range a.all {
		if len(seen) > 0 {
			s.Rewind(seen[0])
			seen = seen[1:]
		} else {
			s.Rewind(came[0])
			came = came[1:]
		}
	}
	a.plain.forget()
	a.marks = a.marks[:depth+1]
	a.seen = a.seen[:start+known]
}

// keptMarks is how many Marks of slabs may wait, as room for those of the next phase.
const keptMarks = 1 << 16

// forget drops all Marks.
func (a *Arena) forget() {
	a.plain.forget()
	a.marks, a.seen = a.marks[:0], a.seen[:0]
	if cap(a.seen) > keptMarks {
		a.marks, a.seen = nil, nil
	}
}
