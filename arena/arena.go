package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/slab"
)

// An Arena hands out values of any types that live until Reset. The zero Arena is empty and
// ready to use. An Arena must not be copied after first use. Only one goroutine may use it at
// a time.
type Arena struct {
	_      layout.NoCopy
	guard  checks.Guard  // empty outside checked builds
	budget checks.Budget // for verify; empty too

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

// Options sets what an Arena does with its memory. The zero Options is a good default.
type Options struct {
	// Keep is the greatest count of bytes that Reset keeps, in whole chunks. 0 means no
	// bound but the one that Reset documents.
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

// New returns a pointer to a zeroed T, aligned as T must be. It is valid until Reset; a stale
// pointer is memory-safe but may alias a later value. New costs one to three nanoseconds more
// than slab.New, and more if the arena has met many types of the same size (see the package
// document). It allocates once a chunk.
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

// Make returns a slice of zeroed values with the given length and capacity. It is valid until
// Reset. Make allocates only if no chunk has room. It panics if length is negative or exceeds
// capacity, or if so many values exceed the address space.
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

// Append appends values to s, as append does, with memory of the arena. The last slice that was
// made grows in place: for a type with pointers the last slice of that type, for the others
// the last slice of any type without pointers. Every other slice is copied, to twice its capacity
// or, if it is long, to a quarter more. s may be nil, or be memory from elsewhere. The old memory
// of s is not changed until Reset.
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

// String copies the bytes of b to the arena and returns them as a string. It is valid until
// Reset. To keep it longer, copy it with strings.Clone.
func (a *Arena) String(b []byte) string {
	if checks.Enabled {
		a.guard.Enter("arena.String")
		defer a.guard.Leave()
	}
	room := makePlain[byte](&a.plain, "arena.String", len(b))
	copy(room, b)
	return asString(room)
}

// CloneString returns a copy of s in the arena, which is valid until Reset. It is for a string
// whose memory will be reused, or that keeps a larger string alive.
func (a *Arena) CloneString(s string) string {
	if checks.Enabled {
		a.guard.Enter("arena.CloneString")
		defer a.guard.Leave()
	}
	room := makePlain[byte](&a.plain, "arena.CloneString", len(s))
	copy(room, s)
	return asString(room)
}

// Of returns the arena's slab for T, so that a hot loop need not look for it each time. The values of
// the slab are the arena's: do not call Reset, Release or Rewind of the slab. A T without pointers
// gets a slab of its own by this call. Of returns the same slab for the life of the arena.
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

// Reset takes every value of every type back and zeroes it. All pointers, slices and strings from
// the arena are stale from now on. The collector can free at once what the values pointed to.
//
// Reset keeps memory for the next phases. So phases of equal size allocate nothing, and phases of
// mixed size allocate little. For each type, and for all types without pointers together, it keeps
// at most twice what the largest of the last 64 phases needed, or 1 KiB if that is more. So the
// memory of one large phase is dropped after 64 small phases. Options.Keep bounds the sum. Reset
// costs the zeroing of what was used, and about 10 ns for each type that the arena has met.
func (a *Arena) Reset() {
	if checks.Enabled {
		a.guard.Enter("arena.Reset")
		defer a.guard.Leave()
		checks.MustHold("arena.Reset", a.verify())
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

// Release drops all memory. The arena is then as empty as a new one. Unlike Reset, Release changes
// no value: a value that something still points to stays alive and keeps its contents. The
// collector frees the rest.
func (a *Arena) Release() {
	if checks.Enabled {
		a.guard.Enter("arena.Release")
		defer a.guard.Leave()
		checks.MustHold("arena.Release", a.verify())
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
	Lost   uint64 // free bytes that a slice skipped; they are free again after Reset
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
