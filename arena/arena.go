package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// An Arena hands out values of any types that live until Reset. The zero Arena is empty and
// ready to use. An Arena must not be copied after first use. Only one goroutine may use it at
// a time.
//
// A nil *Arena is the Go heap: its values are those of new, make and append, any number of
// goroutines may use it, and Reset, Release and Rewind do nothing. So one function serves callers
// with an arena and callers without one.
type Arena struct {
	_ layout.NoCopy

	// Options may be set before the first use.
	Options Options

	guard  checks.Guard  // empty outside checked builds
	budget checks.Budget // for verify; empty too

	plain   plain         // memory of all plain types
	types   table         // finds a type's slab
	slabs   []member      // the slabs of plain, then those of table in the order of their first use
	account owner.Account // which of slabs are used in this phase, and what all of them hold
	phase   uint64        // counts Resets and Releases
	waiting int           // phases that were not cleared yet
	look    int           // the next of slabs that a Reset looks at whether it is idle
	marks   []moment
	seen    []slab.Mark // of all marks, one behind the other
	state   uint64      // changes with each Reset, Release and Rewind
}

// A member is a slab of an arena.
type member struct {
	owned
	last  uint64 // the last phase that used it
	holds bool   // whether it has had chunks since it was last dropped
}

// ofSlab is what a new slab is to its arena.
func ofSlab(made any) member { return member{owned: made.(owned)} }

// drop releases the slab's memory.
func (m *member) drop() {
	m.holds = false
	m.Release()
}

// owned is what the Arena asks of a slab whose type it need not know.
type owned interface {
	source
	Reset()
	Release()
	Mark() slab.Mark
	Rewind(slab.Mark)
	Restart()
	Stats() slab.Stats
	Spans([]owner.Span) []owner.Span
}

// Options sets what an Arena does with its memory. The zero Options is a good default.
type Options struct {
	// Keep is the greatest count of bytes that Reset keeps, in whole chunks. 0 means no
	// bound but the one that Reset documents. A Reset panics if Keep is negative.
	Keep int

	// Defer lets Reset leave the values of small phases as they are, and clear those of several
	// phases together: of so many, or of fewer if they come to more than 32 KiB. So a small phase
	// costs little beside its values. 0 and 1 mean that each Reset clears; 16 is enough for phases
	// of some dozen values. A Reset panics if Defer is negative.
	//
	// Until it is cleared, the collector sees a value, and keeps what it points to, also of an
	// Arena that rests; a stale pointer shows the old value, and not zero. Phases that are cleared
	// together count as one for what Reset keeps and drops. An Arena that holds more than 512 KiB
	// or more than Keep clears in each Reset, and so does a checked build.
	Defer int
}

// Of returns the arena's slab for T, so that a hot loop need not look for it each time. The values
// of the slab are the arena's: do not call Reset, Release or Rewind of the slab. A T without
// pointers gets a slab of its own by this call. Of returns the same slab for the life of the arena.
// Of a nil arena it returns a new Slab each time, which nobody resets.
func Of[T any](a *Arena) *slab.Slab[T] {
	if a == nil {
		return new(slab.Slab[T])
	}
	if checks.Enabled {
		a.guard.Enter("arena.Of")
		defer a.guard.Leave()
	}
	return typed[T](a)
}

// idle is how many phases a type may stay unused before its memory is dropped.
const idle = 64

// Reset takes every value of every type back and zeroes it, or lets small phases wait for that as
// Options.Defer says. All pointers, slices and strings from the arena are stale from now on. The
// collector can free at once what the values that are zeroed pointed to.
//
// Reset keeps memory for the next phases. So phases of equal size allocate nothing, and phases of
// mixed size allocate little. For each type, and for all types without pointers together, it keeps
// at most twice what the largest of the last 64 phases needed that used the type, or 256 bytes if
// that is more. So the memory of one large phase is dropped after 64 small phases. What a type
// holds that phases do not use any more is dropped too: each Reset looks at one type, in turns, and
// whether the last 64 phases used it. Options.Keep bounds the sum.
//
// Reset costs the zeroing of what was used, and some 10 ns for each type that was used since the
// last Reset; other types cost nothing. A Reset that must drop memory for Options.Keep looks at all
// types.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	if checks.Enabled {
		a.guard.Enter("arena.Arena.Reset")
		defer a.guard.Leave()
		checks.MustHold("arena.Arena.Reset", a.verify())
	}
	a.phase++
	if a.mayWait() {
		a.waiting++
		a.endPhase()
		return
	}
	a.takeBack()
}

// deferredBytes is how many bytes of values may wait to be cleared.
const deferredBytes = 32 << 10

// deferredHeld is how many bytes the chunks of an arena may have while phases wait. What holds more
// has had a large phase: it shall be seen in each Reset how much of that is needed.
const deferredHeld = 16 * deferredBytes

// mayWait tells whether this phase may be cleared later.
func (a *Arena) mayWait() bool {
	if checks.Enabled || a.waiting+1 >= a.Options.Defer || a.account.Held > deferredHeld {
		return false
	}
	if keep := a.Options.Keep; keep != 0 && (keep < 0 || a.account.Held > uint64(keep)) {
		return false
	}
	return a.account.Entered <= deferredBytes || a.used() <= deferredBytes
}

// used is how many bytes were handed out and not cleared yet.
func (a *Arena) used() uint64 {
	sum := uint64(0)
	for _, place := range a.account.Used {
		st := a.slabs[place].Stats()
		sum += uint64(st.Len) * (st.Size / uint64(max(1, st.Cap)))
	}
	return sum
}

// takeBack takes back what this phase and those that wait have handed out.
func (a *Arena) takeBack() {
	for _, place := range a.account.Used {
		m := &a.slabs[place]
		m.last, m.holds = a.phase, true
		m.Reset()
	}
	if checks.Enabled {
		a.resetIdle()
	}
	a.forget()
	a.dropIdle()
	if a.Options.Defer < 0 {
		panic(fmt.Sprintf("arena.Arena.Reset: negative Defer %d", a.Options.Defer))
	}
	if keep := a.Options.Keep; keep != 0 {
		a.trim(keep)
	}
}

// resetIdle resets, in checked builds, the slabs that this phase did not use, so that what rests
// there is looked at.
func (a *Arena) resetIdle() {
	for i := range a.slabs {
		if a.slabs[i].last != a.phase {
			a.slabs[i].Reset()
		}
	}
}

// dropIdle looks at the next slab, and releases it if it has been idle for long.
func (a *Arena) dropIdle() {
	if len(a.slabs) == 0 {
		return
	}
	if a.look++; a.look >= len(a.slabs) {
		a.look = 0
	}
	if m := &a.slabs[a.look]; m.holds && a.phase-m.last >= idle {
		m.drop()
	}
}

// trim releases the largest slabs until the arena holds no more than keep bytes.
func (a *Arena) trim(keep int) {
	if keep < 0 {
		panic(fmt.Sprintf("arena.Arena.Reset: negative Keep %d", keep))
	}
	for a.account.Held > uint64(keep) {
		largest, most := 0, uint64(0)
		for i, m := range a.slabs {
			if held := m.Stats().Size; held > most {
				largest, most = i, held
			}
		}
		a.slabs[largest].drop()
	}
}

// Release drops all memory. The arena is then as empty as a new one. Unlike Reset, Release changes
// no value: a value that something still points to stays alive and keeps its contents. The
// collector frees the rest. Release looks at each type that the arena has met.
func (a *Arena) Release() {
	if a == nil {
		return
	}
	if checks.Enabled {
		a.guard.Enter("arena.Arena.Release")
		defer a.guard.Leave()
		checks.MustHold("arena.Arena.Release", a.verify())
	}
	a.phase++
	for i := range a.slabs {
		a.slabs[i].drop()
	}
	a.forget()
}

// Size is the size of all chunks that the arena holds, in bytes. It costs the same however many
// types the arena has met.
func (a *Arena) Size() uint64 {
	if a == nil {
		return 0
	}
	return a.account.Held
}

// Stats describes what an Arena holds.
type Stats struct {
	Types  int    // types with a slab of their own
	Chunks int    // chunks held
	Used   uint64 // bytes handed out and not cleared yet, values without pointers in whole words
	Wasted uint64 // free bytes that a slice skipped; they are free again after Reset
	Size   uint64 // bytes of all chunks
}

// Stats returns what the arena holds now. It costs some 10 ns for each type; Size alone costs
// nothing.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	if checks.Enabled {
		a.guard.Enter("arena.Arena.Stats")
		defer a.guard.Leave()
	}
	sum := Stats{Types: max(0, len(a.slabs)-plainSlabs), Size: a.account.Held}
	for _, m := range a.slabs {
		st := m.Stats()
		if st.Cap == 0 {
			continue
		}
		size := st.Size / uint64(st.Cap)
		sum.Chunks += st.Chunks
		sum.Used += uint64(st.Len) * size
		sum.Wasted += uint64(st.Wasted) * size
	}
	return sum
}
