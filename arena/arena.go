package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// An Arena hands out values of any types that live until Reset. The zero Arena is empty and
// ready to use. An Arena must not be copied after first use, and one goroutine may use it at
// a time.
type Arena struct {
	_     noCopy
	guard checks.Guard // empty outside checked builds

	plain   plain       // memory of all plain types
	types   table       // finds a type's slab
	slabs   []owned     // the slabs of table, in the order of their first use
	came    []slab.Mark // of each of slabs when it came: the start of that phase
	marks   []moment
	seen    []slab.Mark // of all marks, one behind the other
	options Options
}

// owned is what the Arena asks of a slab whose type it need not know.
type owned interface {
	Reset()
	Release()
	Mark() slab.Mark
	Rewind(slab.Mark)
	Stats() slab.Stats
}

// noCopy lets `go vet` find copies of an Arena.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Options sets what an Arena does with its memory. The zero Options is a good default.
type Options struct {
	// Keep is the greatest count of bytes that Reset keeps, in whole chunks. 0 sets no
	// bound beyond the one that Reset documents.
	Keep int
}

// WithOptions returns an empty Arena with the given options; a zero Arena is one with the zero
// Options. It allocates only the Arena itself. It panics if Keep is negative.
func WithOptions(options Options) *Arena {
	if options.Keep < 0 {
		panic(fmt.Sprintf("arena.WithOptions: negative Keep %d", options.Keep))
	}
	return &Arena{options: options}
}

// New returns a pointer to a zeroed T, valid until Reset and safe for ever, aligned as T
// must be. It costs one to three nanoseconds more than slab.New, more where many types
// have one size (see the package document), and allocates once a chunk.
func New[T any](a *Arena) *T {
	if checks.Enabled {
		a.guard.Enter("arena.New")
		defer a.guard.Leave()
	}
	for _, entry := range a.types[bucketOf[T]()] { // as find, which is too long to inline
		if s, ok := entry.(*slab.Slab[T]); ok {
			if s == nil {
				return newPlain[T](&a.plain)
			}
			return s.New()
		}
	}
	if s := meet[T](a); s != nil {
		return s.New()
	}
	return newPlain[T](&a.plain)
}

// Make returns a slice of zeroed values with the given length and capacity, valid until
// Reset. It allocates only if no chunk at hand has room. It panics if length is negative or
// exceeds capacity, or if capacity values exceed the address space.
func Make[T any](a *Arena, length, capacity int) []T {
	if checks.Enabled {
		a.guard.Enter("arena.Make")
		defer a.guard.Leave()
	}
	if length < 0 || length > capacity {
		panic(fmt.Sprintf("arena.Make: length %d, capacity %d; want 0 <= length <= capacity", length, capacity))
	}
	if s := find[T](a); s != nil {
		return s.Make(capacity)[:length]
	}
	return makePlain[T](&a.plain, "arena.Make", capacity)[:length]
}

// Append appends values to s, as append does, and takes what memory it needs from the arena. If
// s was the last slice to be made, of its type or, without pointers, of all, it grows in
// place. Otherwise it is copied to twice the capacity, a quarter more for long ones. s may be
// nil, or come from elsewhere; its old memory stays as it is until Reset.
func Append[S ~[]T, T any](a *Arena, s S, values ...T) S {
	if checks.Enabled {
		a.guard.Enter("arena.Append")
		defer a.guard.Leave()
	}
	need := len(s) + len(values)
	if need > cap(s) {
		s = grow[T](a, s, need)
	}
	if len(values) == 1 {
		s = s[:need]
		s[need-1] = values[0]
		return s
	}
	return append(s, values...)
}

// grow returns s with a capacity of at least need.
//
//go:noinline
func grow[T any](a *Arena, s []T, need int) []T {
	want := max(need, nextCapacity(cap(s)))
	typed := find[T](a)
	for _, room := range [...]int{want, need} {
		if longer, ok := extend(a, typed, s, room-cap(s)); ok {
			return longer
		}
	}
	var made []T
	if typed != nil {
		made = typed.Make(want)
	} else {
		made = makePlain[T](&a.plain, "arena.Append", want)
	}
	return made[:copy(made, s)]
}

func extend[T any](a *Arena, typed *slab.Slab[T], s []T, n int) ([]T, bool) {
	if typed != nil {
		return typed.Extend(s, n)
	}
	return extendPlain(&a.plain, s, n)
}

// nextCapacity is how append's capacities grow: doubling, then a quarter at a time.
func nextCapacity(capacity int) int {
	const doubling = 256
	if capacity < doubling {
		return max(4, 2*capacity)
	}
	return capacity + (capacity+3*doubling)/4
}

// Clone returns a copy of s in the arena, of exactly its length. The elements are copied as
// by assignment. Clone of nil is nil.
func Clone[S ~[]T, T any](a *Arena, s S) S {
	if s == nil {
		return nil
	}
	made := Make[T](a, len(s), len(s))
	copy(made, s)
	return made
}

// String returns a string with the bytes of b, which are copied to the arena. It is valid
// until Reset, and must not be kept beyond: strings.Clone what has to live on.
func (a *Arena) String(b []byte) string {
	if checks.Enabled {
		a.guard.Enter("arena.String")
		defer a.guard.Leave()
	}
	room := makePlain[byte](&a.plain, "arena.String", len(b))
	copy(room, b)
	return asString(room)
}

// CloneString returns a copy of s in the arena, for a string whose memory will not last or is
// part of a larger one. It is valid until Reset.
func (a *Arena) CloneString(s string) string {
	if checks.Enabled {
		a.guard.Enter("arena.CloneString")
		defer a.guard.Leave()
	}
	room := makePlain[byte](&a.plain, "arena.CloneString", len(s))
	copy(room, s)
	return asString(room)
}

// Of returns the arena's slab for T, which saves a hot loop the search for it. Its values live
// and die with the arena's; what ends them (Reset, Release, Rewind) is the arena's to call. If T
// has no pointers, it has a slab of its own from now on. The slab stays the same for the life
// of the arena.
func Of[T any](a *Arena) *slab.Slab[T] {
	if checks.Enabled {
		a.guard.Enter("arena.Of")
		defer a.guard.Leave()
	}
	if s := find[T](a); s != nil {
		return s
	}
	return adopt(a, new(slab.Slab[T]))
}

// Reset takes every value back, of all types. All pointers, slices and strings from the arena
// are stale from now on. What the values pointed to is released to the collector at once.
//
// Reset keeps memory for the next phases, so that phases of steady or of mixed size allocate
// nothing, or little. For each type, and for all types without pointers together, that is at
// most twice what the largest of the last 64 phases needed, or 1 KiB; so the memory of one large
// phase is gone after 64 small ones. Options.Keep bounds the sum at any time. Reset costs the
// zeroing of what was used, and some 10 ns for each type that the arena has met.
func (a *Arena) Reset() {
	if checks.Enabled {
		a.guard.Enter("arena.Reset")
		defer a.guard.Leave()
	}
	for s := range a.all {
		s.Reset()
	}
	a.forget()
	if a.options.Keep > 0 {
		a.trim(uint64(a.options.Keep))
	}
}

// trim releases the largest slabs until the arena holds no more than keep bytes.
func (a *Arena) trim(keep uint64) {
	for a.stats().Held > keep {
		var largest owned
		var most uint64
		for s := range a.all {
			if held := s.Stats().Bytes; held > most {
				largest, most = s, held
			}
		}
		largest.Release()
	}
}

// Release drops all memory, and the arena is empty as in the beginning. Unlike Reset it touches
// no value: what is still pointed to stays alive and as it is, and the collector frees the
// rest.
func (a *Arena) Release() {
	if checks.Enabled {
		a.guard.Enter("arena.Release")
		defer a.guard.Leave()
	}
	for s := range a.all {
		s.Release()
	}
	a.forget()
}

// all yields every slab, those of plain memory first.
func (a *Arena) all(yield func(owned) bool) {
	p := &a.plain
	for _, s := range [plainSlabs]owned{&p.words, &p.pairs, &p.triples, &p.quads} {
		if !yield(s) {
			return
		}
	}
	for _, s := range a.slabs {
		if !yield(s) {
			return
		}
	}
}

// Stats describes what an Arena holds.
type Stats struct {
	Types  int    // types with a slab of their own
	Chunks int    // chunks held
	Used   uint64 // bytes handed out since the last Reset, values without pointers in whole words
	Lost   uint64 // bytes that a slice passed over; Reset wins them back
	Held   uint64 // bytes of all chunks
}

// Stats returns what the arena holds now. It costs some 10 ns for each type.
func (a *Arena) Stats() Stats {
	if checks.Enabled {
		a.guard.Enter("arena.Stats")
		defer a.guard.Leave()
	}
	return a.stats()
}

func (a *Arena) stats() Stats {
	sum := Stats{Types: len(a.slabs)}
	for s := range a.all {
		st := s.Stats()
		if st.Cap == 0 {
			continue
		}
		size := st.Bytes / uint64(st.Cap)
		sum.Chunks += st.Chunks
		sum.Used += uint64(st.Len) * size
		sum.Lost += uint64(st.Lost) * size
		sum.Held += st.Bytes
	}
	return sum
}
