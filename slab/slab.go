package slab

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/owner"
)

// A Slab allocates values of type T that live until Reset. The zero Slab is empty and ready to use.
// A Slab must not be copied after first use. Only one goroutine may use it at a time.
type Slab[T any] struct {
	_      layout.NoCopy
	guard  checks.Guard  // empty outside checked builds
	budget checks.Budget // for verify; also empty outside checked builds

	// The fields that New uses, and that Reset uses if there is only one chunk, come first, so that
	// they occupy few cache lines. This matters because an arena has dozens of slabs.

	left  uint // number of free slots in rest; New takes rest[left-1]
	rest  []T  // the current chunk without the slots that Make took from its front
	kind  kind // describes T; left, rest and kind together are an owner.Head
	chunk []T  // the current chunk; nil at first and after Reset
	books

	// Options is read at the first use; later changes have no effect.
	Options Options

	// Slabs of different goroutines are often adjacent in memory, and New writes s.left. The
	// padding prevents them from sharing a cache line.
	_ [layout.CacheLine]byte
}

// books contains the fields of a Slab that do not depend on T, except for the fields that describe
// the current chunk.
type books struct {
	used   [][]slot // other chunks that contain values
	kept   [][]slot // zeroed free chunks, shortest first
	wanted int      // minimum number of slots for this phase, set by Grow and Rewind
	recent peak     // number of slots that recent phases needed
	filled policy
	marks  []position
	start  uint64 // serial of the Mark at the start of this phase, 0 if there is none
	begun  bool   // the owner knows that this phase uses the slab

	held   int // number of slots in chunk, used, kept and resting
	passed int // number of values allocated from used
	lost   int // number of free slots in used, which stay unused until Reset
	member owner.Membership
	serial uint64 // serial of this slab's last Mark

	resting quarantine   // zeroed chunks that the last Reset took back, in checked builds
	rewound checks.Place // call site of the last Rewind of this phase, in checked builds
}

// New returns a pointer to a zeroed T. The pointer is valid until Reset; a stale pointer is
// memory-safe but may alias a later value. New takes about a nanosecond and is inlined into its
// caller. It allocates a chunk when the current chunk is full and no other chunk is free.
func (s *Slab[T]) New() *T {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.New")
		defer s.guard.Leave()
	}
	if s.left == 0 {
		s.refill()
	}
	s.left--
	if checks.Enabled {
		s.core().mustBeZero("slab.Slab.New", erase(s.rest[s.left:s.left+1]))
	}
	return &s.rest[s.left]
}

// Alloc returns a pointer to a copy of v. It combines New and an assignment in one expression:
// f(nodes.Alloc(Node{Kind: k})) replaces f(&Node{Kind: k}).
//
// Alloc is inlined into its caller, which builds v in place. The inlined code contains a single
// call.
func (s *Slab[T]) Alloc(v T) *T {
	p := s.place()
	*p = v
	return p
}

// place calls New and is not inlined itself, so that the assignment in Alloc can be inlined.
//
//go:noinline
func (s *Slab[T]) place() *T { return s.New() }

// SliceOf returns a new slice, allocated with Make, that contains the values. Without values it
// returns nil.
func (s *Slab[T]) SliceOf(values ...T) []T {
	if len(values) == 0 {
		return nil
	}
	made := s.Make(len(values))
	copy(made, values)
	return made
}

// Make returns a slice of n zeroed values, with capacity n. The slice is valid until Reset. Make
// allocates a chunk only if neither the current chunk nor any free chunk has n free slots. If Make
// needs another chunk, the chunk that then has more free slots left becomes or stays the current
// one. The free slots of the other chunk, fewer than n, stay unused until Reset. Make panics if n
// is negative or if n values exceed the address space.
func (s *Slab[T]) Make(n int) []T {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Make")
		defer s.guard.Leave()
	}
	if n <= 0 {
		mustCount("slab.Slab.Make", n)
		return []T{}
	}
	if uint(n) > s.left {
		c := s.take("slab.Slab.Make", n, usual)
		if s.core().pass(c, n) {
			return withType[T](c)[:n:n]
		}
		s.core().enter(c)
	}
	made := s.rest[:n:n]
	if checks.Enabled {
		s.core().mustBeZero("slab.Slab.Make", erase(made))
	}
	s.left -= uint(n)
	s.rest = s.rest[n:]
	return made
}

// Extend increases the capacity of v by n zeroed values, without a copy. It succeeds if v ends
// where the slice of the last Make ends and the n slots after it are free. It then returns the
// larger slice, of the same length, and true. Otherwise it returns v and false. A call of New does
// not prevent this, because New takes slots from the other end of the chunk. Extend does not
// allocate. It panics if n is negative.
func (s *Slab[T]) Extend(v []T, n int) ([]T, bool) {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Extend")
		defer s.guard.Leave()
	}
	mustCount("slab.Slab.Extend", n)
	front := len(s.chunk) - len(s.rest)
	last := cap(v)
	if uint(n) > s.left || last == 0 || last > front || &v[:last][last-1] != &s.chunk[front-1] {
		return v, false
	}
	if checks.Enabled {
		s.core().mustBeZero("slab.Slab.Extend", erase(s.rest[:n]))
	}
	s.left -= uint(n)
	s.rest = s.rest[n:]
	return s.chunk[front-last : front-last+len(v) : front+n], true
}

// Grow makes room for n values, so that New, or a single Make, does not allocate memory for the
// next n values. A chunk that Grow allocates has exactly n slots. Call Grow once for a phase or a
// tree, not once for each node. If Grow needs another chunk, the free slots of the current chunk,
// fewer than n, stay unused until Reset. Grow panics if n is negative or if n values exceed the
// address space.
func (s *Slab[T]) Grow(n int) {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Grow")
		defer s.guard.Leave()
	}
	mustCount("slab.Slab.Grow", n)
	if uint(n) > s.left {
		s.core().enter(s.take("slab.Slab.Grow", n, exact))
	}
	s.core().want(n)
}

// mustCount panics if n is negative. The parameter where names the caller, for the panic message.
func mustCount(where string, n int) {
	if n < 0 {
		panic(fmt.Sprintf("%s: negative count %d", where, n))
	}
}

// Reset frees every value and zeroes it. All pointers from New and slices from Make are then stale:
// they read as zero until their slots are reused. The collector can immediately free what the
// values pointed to.
//
// Reset keeps chunks for the next phases. Phases of equal size therefore allocate nothing, and
// phases of mixed size allocate little. Reset keeps at most twice the slots that the largest of the
// last 64 phases needed, or one first chunk if that is more, and at most Options.Keep slots. The
// memory of one large phase is thus dropped after 64 small phases. Reset takes about 5 ns, plus the
// time to zero the used slots, plus a little for each chunk after the first.
func (s *Slab[T]) Reset() { s.core().Reset() }

// Reset implements Slab.Reset.
func (s *core) Reset() {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Reset")
		defer s.guard.Leave()
		checks.MustHold("slab.Slab.Reset", s.verify())
		s.freeMustBeZero("slab.Slab.Reset")
		s.endRest("slab.Slab.Reset")
	}
	if front := len(s.chunk) - len(s.rest); front > 0 {
		s.kind.zero(s.kind.part(s.chunk, 0, front))
	}
	s.kind.zero(s.kind.part(s.rest, int(s.left), len(s.rest)))
	if len(s.used) > 0 || len(s.kept) > 0 || checks.Enabled {
		s.resetChunks()
	} else {
		most := s.recent.note(max(len(s.chunk)-int(s.left), s.wanted))
		if s.chunk != nil {
			if s.filled.fits(len(s.chunk), most) {
				s.kept = append(s.kept, s.chunk)
			} else {
				s.hold(-len(s.chunk))
			}
		}
	}
	s.left, s.rest, s.chunk, s.wanted, s.start, s.begun = 0, nil, nil, 0, 0, false
	if len(s.marks) > 0 {
		s.forgetMarks(0)
	}
	if checks.Enabled {
		s.rewound = checks.Place{}
	}
}

// Release drops all chunks and leaves the slab empty. Unlike Reset, it does not zero values: a
// value that is still referenced stays alive and keeps its contents. The collector frees the rest.
func (s *Slab[T]) Release() { s.core().Release() }

// Release implements Slab.Release.
//
//go:noinline
func (s *core) Release() {
	if checks.Enabled {
		s.guard.Enter("slab.Slab.Release")
		defer s.guard.Leave()
		checks.MustHold("slab.Slab.Release", s.verify())
		s.freeMustBeZero("slab.Slab.Release")
		s.endRest("slab.Slab.Release")
	}
	s.hold(-s.held)
	s.left, s.rest, s.chunk, s.used, s.kept, s.marks = 0, nil, nil, nil, nil, nil
	s.passed, s.lost, s.wanted, s.recent = 0, 0, 0, peak{}
	s.start, s.begun = 0, false
	s.rewound = checks.Place{}
}

// Len returns the number of values allocated since the last Reset, excluding the values that a
// Rewind has freed.
func (s *Slab[T]) Len() int { return s.core().len() }

func (s *core) len() int { return s.passed + len(s.chunk) - int(s.left) }

// Cap returns the total number of slots in the chunks that the slab holds, whether they are used or
// free.
func (s *Slab[T]) Cap() int { return s.held }

// Stats describes the memory of a Slab.
type Stats struct {
	Len    int    // number of values allocated since the last Reset
	Cap    int    // number of slots held, used or free
	Wasted int    // number of free slots that Make or Grow skipped; available again after Reset
	Chunks int    // number of chunks held
	Size   uint64 // total size of the chunks in bytes
}

// Stats returns the current statistics of the slab.
func (s *Slab[T]) Stats() Stats { return s.core().Stats() }

// Stats implements Slab.Stats.
//
//go:noinline
func (s *core) Stats() Stats {
	chunks := len(s.used) + len(s.kept) + len(s.resting.chunks)
	if s.chunk != nil {
		chunks++
	}
	return Stats{Len: s.len(), Cap: s.held, Wasted: s.lost, Chunks: chunks, Size: uint64(s.held) * uint64(s.kind.size)}
}
