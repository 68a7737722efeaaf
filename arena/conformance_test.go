package arena_test

import (
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
)

// TestConformance runs the conformance kit for each type. Values of other types are allocated in
// between, so that the arena must align values and keep types apart. The short variant is enough
// for types that are included only for their memory layout.
func TestConformance(t *testing.T) {
	alloctest.RunAt(t, alloctest.Short, conforming[bool])
	alloctest.Run(t, conforming[byte])
	alloctest.RunAt(t, alloctest.Short, conforming[[3]byte])
	alloctest.Run(t, conforming[uint64])
	alloctest.RunAt(t, alloctest.Short, conforming[complex128])
	alloctest.RunAt(t, alloctest.Short, conforming[struct{}])
	alloctest.Run(t, conforming[alloctest.Node])
	alloctest.RunAt(t, alloctest.Short, conforming[*[4]uint64])
	if !testing.Short() {
		alloctest.RunAt(t, alloctest.Short, conforming[[3 << 19]byte])
	} else if !checks.Enabled { // a checked build would scan many megabytes repeatedly
		for _, promise := range []alloctest.Promise{alloctest.Zeroed, alloctest.Kept, alloctest.Emptied} {
			if err := alloctest.Verify(conforming[[3 << 19]byte], promise); err != nil {
				t.Error(err)
			}
		}
	}
	alloctest.Run(t, conformingSlab[uint32])
	alloctest.Run(t, conformingStrings)
}

func conforming[T any]() alloctest.Allocator[*T, T] {
	a := new(arena.Arena)
	return alloctest.Allocator[*T, T]{
		New: func() (*T, *T) {
			*arena.New[byte](a) = 0xFF
			p := arena.New[T](a)
			*arena.New[*byte](a) = new(byte)
			return p, p
		},
		Make: alloctest.Pointers(func(n int) []T {
			defer arena.Make[uint16](a, 3)
			return arena.Make[T](a, n)
		}),
		Append: func(s []T, more ...T) []T { return arena.Append(a, s, more...) },
		Mark:   func() func() { m := a.Mark(); return func() { a.Rewind(m) } },
		Reset:  a.Reset, Release: a.Release,
		Bytes: func() uint64 { return a.Stats().Size },
	}
}

// conformingSlab adapts a slab that belongs to an arena.
func conformingSlab[T any]() alloctest.Allocator[*T, T] {
	a := new(arena.Arena)
	s := arena.Of[T](a)
	return alloctest.Allocator[*T, T]{
		New: alloctest.Pointer(s.New), Make: alloctest.Pointers(s.Make), Grow: s.Grow,
		Mark:  func() func() { m := a.Mark(); return func() { a.Rewind(m) } },
		Reset: a.Reset, Release: a.Release,
		Len: s.Len, Bytes: func() uint64 { return a.Stats().Size },
	}
}

// conformingStrings adapts the arena's strings. Each string serves as a value and as its own name.
// The arena copies it, so the original may be freed.
func conformingStrings() alloctest.Allocator[string, string] {
	a := new(arena.Arena)
	return alloctest.Allocator[string, string]{
		Alloc:  a.CloneString,
		At:     func(s string) *string { return &s },
		Copies: true, Moves: true, Manual: true,
		Mark:  func() func() { m := a.Mark(); return func() { a.Rewind(m) } },
		Reset: a.Reset, Release: a.Release,
	}
}
