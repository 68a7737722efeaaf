package slab_test

import (
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// TestConformance runs the conformance kit with types of every alignment, of an odd size, of size
// zero, with pointers, and longer than a chunk. The short form of the kit is enough for types of
// which only the shape matters.
func TestConformance(t *testing.T) {
	alloctest.Run(t, conforming[byte])
	alloctest.RunAt(t, alloctest.Short, conforming[uint16])
	alloctest.RunAt(t, alloctest.Short, conforming[[3]uint32])
	alloctest.RunAt(t, alloctest.Short, conforming[complex128])
	alloctest.RunAt(t, alloctest.Short, conforming[struct{}])
	alloctest.Run(t, conforming[alloctest.Node])
	if !testing.Short() {
		alloctest.RunAt(t, alloctest.Short, conforming[[3 << 19]byte])
	} else if !checks.Enabled { // a checked build would check many megabytes repeatedly
		for _, promise := range []alloctest.Promise{alloctest.Zeroed, alloctest.Kept, alloctest.Emptied} {
			if err := alloctest.Verify(conforming[[3 << 19]byte], promise); err != nil {
				t.Error(err)
			}
		}
	}
	alloctest.Run(t, conformingInThrees[alloctest.Node])
}

func conforming[T any]() alloctest.Allocator[*T, T] { return described(new(slab.Slab[T])) }

// conformingInThrees describes a Slab that has chunks of three values and keeps one of them, so
// that every test reaches the ends of chunks.
func conformingInThrees[T any]() alloctest.Allocator[*T, T] {
	return described(&slab.Slab[T]{Options: slab.Options{FirstChunk: 3, MaxChunk: 3, Keep: 3}})
}

func described[T any](s *slab.Slab[T]) alloctest.Allocator[*T, T] {
	return alloctest.Allocator[*T, T]{
		New: alloctest.Pointer(s.New), Make: alloctest.Pointers(s.Make), Grow: s.Grow,
		Append: func(v []T, more ...T) []T {
			longer, ok := s.Extend(v, len(more))
			if !ok {
				longer = append(s.Make(len(v) + len(more))[:0], v...)
			}
			return append(longer, more...)
		},
		Mark:  func() func() { m := s.Mark(); return func() { s.Rewind(m) } },
		Reset: s.Reset, Release: s.Release,
		Len: s.Len, Bytes: func() uint64 { return s.Stats().Size },
	}
}
