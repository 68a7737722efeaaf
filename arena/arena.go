package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// An Arena allocates values of any types that live until Reset. The zero Arena is empty and ready
// to use. An Arena must not be copied after first use. Only one goroutine may use it at a time.
//
// A nil *Arena allocates on the Go heap, with new, make and append. Any number of goroutines may
// use it, and its methods Reset, Release and Rewind do nothing. The same function can therefore
// serve callers with an arena and callers without one.
type Arena struct {
	_ layout.NoCopy

	// Options configures the arena. Set it before the first use.
	Options Options

	guard  checks.Guard  // an empty struct outside checked builds
	budget checks.Budget // for verify; also an empty struct outside checked builds

	plain   plain         // slabs for values of plain types
	types   table         // maps a type to its slab
	slabs   []member      // slabs in plain, then slabs in types in the order of their first use
	account owner.Account // slabs that this phase has used, and the total size of all slabs
	phase   uint64        // number of calls to Reset and Release
	waiting int           // number of ended phases whose values are not cleared yet
	look    int           // index of the slab that Reset last checked for idleness
	marks   []moment
	seen    []slab.Mark // the slab Marks of all arena Marks, concatenated
	state   uint64      // changes with each Reset, Release and Rewind
}

// A member is a slab that belongs to an arena, with a record of when the arena last used it.
type member struct {
	owned
	last  uint64 // number of the last phase that used the slab
	holds bool   // whether the slab has allocated a chunk since it was last dropped
}

// ofSlab wraps a new slab in a member. made is a pointer to the slab.
func ofSlab(made any) member { return member{owned: made.(owned)} }

// drop releases the memory of the slab.
func (m *member) drop() {
	m.holds = false
	m.Release()
}

// owned is the interface through which an Arena uses its slabs, whose element types differ.
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

// Options controls how an Arena manages its memory. The zero Options is a good default.
type Options struct {
	// Keep is the maximum number of bytes that Reset keeps for later phases. Reset keeps or drops
	// whole chunks. If Keep is 0, only the limit documented at Reset applies. Reset panics if Keep
	// is negative.
	Keep int

	// Defer is the maximum number of small phases whose values are cleared together. Reset then
	// postpones the clearing until Defer phases have ended or their values total more than 32 KiB.
	// This lowers the cost of a small phase. If Defer is 0 or 1, each Reset clears immediately. 16
	// is enough for phases of a few dozen values. Reset panics if Defer is negative.
	//
	// Until a value is cleared, the collector keeps alive everything that the value points to, even
	// if the Arena is idle. A stale pointer reads the old value instead of zero. Phases that are
	// cleared together count as one phase for the limits that Reset documents. Reset clears
	// immediately in a checked build, and if the Arena holds more than 512 KiB or more than Keep.
	Defer int
}

// Of returns the slab from which the arena allocates values of type T. A hot loop that uses the
// slab directly saves a lookup for each value. The arena manages the slab: do not call its Reset,
// Release or Rewind method. If T has no pointers, this call creates a slab for T alone. Of returns
// the same slab for the life of the arena. If the arena is nil, each call returns a new Slab, which
// is never reset.
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

// idle is the number of phases after which the memory of an unused type is dropped.
const idle = 64

// Reset frees every value of every type and zeroes it. Options.Defer can postpone the zeroing of
// small phases. All pointers, slices and strings from the arena are then stale. Once the values are
// zeroed, the collector can free what they pointed to.
//
// Reset keeps memory for the next phases. Phases of equal size therefore allocate nothing, and
// phases of mixed size allocate little. For each type, and for all types without pointers or bools
// together, Reset keeps at most twice the memory needed by the largest of the last 64 phases that
// used the type, with a minimum of 256 bytes. The memory of one large phase is thus dropped after
// 64 small phases. The memory of types that are no longer used is dropped too: each Reset checks
// one type, in turn, and drops its memory if the last 64 phases did not use the type. Options.Keep
// limits the total.
//
// Reset takes as long as zeroing the used memory, plus about 10 ns for each type used since the
// last Reset. Other types cost nothing. Only a Reset that drops memory because of Options.Keep
// visits all types.
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

// deferredBytes is the maximum total size, in bytes, of the values whose clearing may be postponed.
const deferredBytes = 32 << 10

// deferredHeld is the maximum number of bytes that an arena may hold while clearing is postponed.
// An arena that holds more has had a large phase. Each of its Resets must measure how much of that
// memory is still needed.
const deferredHeld = 16 * deferredBytes

// mayWait reports whether the clearing of this phase may be postponed.
func (a *Arena) mayWait() bool {
	if checks.Enabled || a.waiting+1 >= a.Options.Defer || a.account.Held > deferredHeld {
		return false
	}
	if keep := a.Options.Keep; keep != 0 && (keep < 0 || a.account.Held > uint64(keep)) {
		return false
	}
	return a.account.Entered <= deferredBytes || a.used() <= deferredBytes
}

// used returns the number of bytes that are allocated and not yet cleared.
func (a *Arena) used() uint64 {
	sum := uint64(0)
	for _, place := range a.account.Used {
		st := a.slabs[place].Stats()
		sum += uint64(st.Len) * (st.Size / uint64(max(1, st.Cap)))
	}
	return sum
}

// takeBack clears the values of this phase and of the earlier phases whose clearing was postponed.
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

// resetIdle resets the slabs that this phase did not use, so that their quarantined memory is
// checked too. It is called only in checked builds.
func (a *Arena) resetIdle() {
	for i := range a.slabs {
		if a.slabs[i].last != a.phase {
			a.slabs[i].Reset()
		}
	}
}

// dropIdle checks one slab, the next in turn, and releases it if the last 64 phases did not use it.
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

// Release drops all memory and leaves the arena empty. Unlike Reset, it does not zero values: a
// value that is still referenced stays alive and keeps its contents. The collector frees the rest.
// The cost of Release grows with the number of types that the arena has seen.
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

// Size returns the total size in bytes of the chunks that the arena holds. Its cost does not depend
// on the number of types.
func (a *Arena) Size() uint64 {
	if a == nil {
		return 0
	}
	return a.account.Held
}

// Stats describes the memory of an Arena.
type Stats struct {
	Types  int    // number of types that have their own slab
	Chunks int    // number of chunks that the arena holds
	Used   uint64 // bytes allocated and not yet cleared; a value without pointers or bools takes whole words
	Wasted uint64 // free bytes that slices skipped; they are available again after Reset
	Size   uint64 // total size of all chunks in bytes
}

// Stats returns the current statistics of the arena. It takes about 10 ns for each type. If only
// the size is needed, use Size.
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
