package arena

import (
	"slices"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// A Mark is a moment in a phase of one Arena, to which Rewind goes back. The zero Mark is the
// start of the phase. A Mark is worth nothing after a Rewind to an earlier one, a Reset or
// a Release.
type Mark struct {
	serial uint64 // of all Marks of this process: no arena takes another's for its own
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
// the arena has met, and remembers a Mark for each, unless nothing happened since the last.
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

// Rewind takes back every value handed out since m was made: pointers to them are stale, as
// after Reset. Values from before are left alone, and those that grew in place since keep
// what they had at m, but do not grow in place again if their type has no pointers. All memory
// is kept for the rest of the phase. For each type Rewind costs what slab.Slab.Rewind says. It
// panics if m is not of this arena and phase, or a Rewind went back further.
func (a *Arena) Rewind(m Mark) {
	if checks.Enabled {
		a.guard.Enter("arena.Rewind")
		defer a.guard.Leave()
	}
	var seen []slab.Mark
	depth := -1
	if m != (Mark{}) {
		depth = m.depth
		if depth >= len(a.marks) || a.marks[depth].serial != m.serial {
			panic("arena.Rewind: the Mark is not one of this phase of this Arena, or a Rewind went back beyond it")
		}
		seen = a.seen[a.marks[depth].seen:]
		if depth+1 < len(a.marks) {
			seen = seen[:a.marks[depth+1].seen-a.marks[depth].seen]
		}
	}
	known := len(seen)
	for s := range a.all {
		var to slab.Mark // the start of the phase, for a slab that came later
		if len(seen) > 0 {
			to, seen = seen[0], seen[1:]
		}
		s.Rewind(to)
	}
	a.plain.forget()
	a.marks = a.marks[:depth+1]
	a.seen = a.seen[:0]
	if depth >= 0 {
		a.seen = a.seen[:a.marks[depth].seen+known]
	}
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
