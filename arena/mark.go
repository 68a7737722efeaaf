package arena

import (
	"slices"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Mark records a point in a phase of an Arena, to which Rewind can return. It is valid for that
// Arena only, and only until a Reset, a Release or a Rewind to an earlier Mark. The zero Mark is
// never valid.
type Mark struct {
	serial uint64 // unique in this process, from 1, so that an arena rejects Marks of other arenas
	depth  int    // index of the moment in Arena.marks
}

var lastMark atomic.Uint64

// A moment holds the state of the arena that a Mark records: a slab.Mark for each slab that was in
// use. All other slabs were empty.
type moment struct {
	serial uint64
	state  uint64 // Arena.state when the Mark was made, or after the last Rewind to it
	seen   int    // start of its slab Marks in Arena.seen; they end where the next moment's start
}

// Mark records the current point in the phase, for Rewind. It takes a few nanoseconds, and stores
// one slab.Mark, for each type used since the last Reset. A second Mark stores nothing if no value
// was allocated since the first. The Mark of a nil arena is zero.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	if checks.Enabled {
		a.guard.Enter("arena.Arena.Mark")
		defer a.guard.Leave()
	}
	start := len(a.seen)
	for _, place := range a.account.Used {
		a.seen = append(a.seen, a.slabs[place].Mark())
	}
	if top := len(a.marks) - 1; top >= 0 && slices.Equal(a.seen[a.marks[top].seen:start], a.seen[start:]) {
		a.seen = a.seen[:start]
		return Mark{a.marks[top].serial, top}
	}
	a.marks = append(a.marks, moment{lastMark.Add(1), a.state, start})
	return Mark{a.marks[len(a.marks)-1].serial, len(a.marks) - 1}
}

// Rewind frees every value that was allocated since m was made. Pointers to these values are stale,
// as after Reset. Older values do not change. A slice that has grown in place since m was made
// keeps the elements that it had then; if its type has no pointers, it does not grow in place
// again. The arena keeps all memory for the rest of the phase. Rewind calls slab.Slab.Rewind for
// each type used since the last Reset. It panics in all builds, and frees nothing, if m belongs to
// another arena or phase, if a Rewind has returned to a point before m, or if m is zero. Rewind of
// a nil arena does nothing.
func (a *Arena) Rewind(m Mark) {
	if a == nil {
		return
	}
	if checks.Enabled {
		a.guard.Enter("arena.Arena.Rewind")
		defer a.guard.Leave()
		if a.budget.Affords(len(a.slabs) + len(a.marks)) {
			checks.MustHold("arena.Arena.Rewind", a.verify())
		}
	}
	depth := m.depth
	if depth >= len(a.marks) || a.marks[depth].serial != m.serial {
		panic("arena.Arena.Rewind: the Mark is not one of this phase of this Arena, or a Rewind went back beyond it")
	}
	start := a.marks[depth].seen
	seen := a.seen[start:]
	if depth+1 < len(a.marks) {
		seen = seen[:a.marks[depth+1].seen-start]
	}
	for i, place := range a.account.Used {
		if i < len(seen) {
			a.slabs[place].Rewind(seen[i])
		} else {
			a.slabs[place].Restart()
		}
	}
	a.plain.forget()
	a.marks = a.marks[:depth+1]
	a.seen = a.seen[:start+len(seen)]
	a.state++
	a.marks[depth].state = a.state
}

// keptMarks is the capacity above which the list of slab Marks is not kept for the next phase.
const keptMarks = 1 << 16

// forget empties the list of used slabs and ends the phase.
func (a *Arena) forget() {
	a.waiting, a.account.Entered, a.account.Used = 0, 0, a.account.Used[:0]
	a.endPhase()
}

// endPhase invalidates all Marks and prevents the last slice from growing in place again.
func (a *Arena) endPhase() {
	a.state++
	a.plain.forget()
	a.marks, a.seen = a.marks[:0], a.seen[:0]
	if cap(a.seen) > keptMarks {
		a.marks, a.seen = nil, nil
	}
}
