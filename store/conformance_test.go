package store_test

import (
	"io"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/store"
)

// TestConformance runs the conformance kit with records of every alignment, of an odd size, and
// larger than a block of slots.
func TestConformance(t *testing.T) {
	alloctest.Run(t, stores[byte](t))
	alloctest.RunAt(t, alloctest.Short, stores[[3]uint16](t))
	alloctest.Run(t, stores[struct {
		Left, Right uint32
		Weight      float64
	}](t))
	alloctest.RunAt(t, alloctest.Short, stores[[1 << 15]byte](t))
	alloctest.RunAt(t, alloctest.Short, handles[byte](t))
	alloctest.Run(t, handles[[3]uint64](t))
	alloctest.Run(t, texts(t))
}

// stores describes a Store, with its Writers and clones, for the conformance kit.
func stores[T any](t *testing.T) func() alloctest.Allocator[store.Ref[T], T] {
	bounded := func(limit int) alloctest.Allocator[store.Ref[T], T] {
		s, err := store.New[T](store.Options{Max: limit})
		if err != nil {
			t.Fatal(err)
		}
		return describedStore(t, s)
	}
	return func() alloctest.Allocator[store.Ref[T], T] {
		a := bounded(0)
		a.Bounded = bounded
		return a
	}
}

func describedStore[T any](t *testing.T, s *store.Store[T]) alloctest.Allocator[store.Ref[T], T] {
	return alloctest.Allocator[store.Ref[T], T]{
		New: s.New, Alloc: s.Alloc, TryAlloc: s.TryAlloc, Make: s.Make, At: s.At, Delete: s.Delete,
		Reset: s.Reset, Release: closing(t, s), Clone: func() alloctest.Allocator[store.Ref[T], T] {
			clone, err := s.Clone()
			if err != nil {
				t.Fatal(err)
			}
			return describedStore(t, clone)
		},
		Writer: func() alloctest.Allocator[store.Ref[T], T] {
			w := s.Writer()
			return alloctest.Allocator[store.Ref[T], T]{New: w.New, Alloc: w.Alloc, Make: w.Make, Release: w.Close}
		},
		Len: s.Len, Bytes: func() uint64 { return uint64(s.Cap()) * uint64(reflect.TypeFor[T]().Size()) },
		OffHeap: committed,
		Full:    store.ErrFull, Manual: true, Dead: alloctest.DeadNotFreed,
	}
}

// committed returns the committed memory of all open stores.
func committed() (bytes uint64) {
	for _, t := range store.Totals() {
		bytes += t.Committed
	}
	return bytes
}

// closing returns a Release function that closes c and reports an error.
func closing(t *testing.T, c io.Closer) func() {
	return func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// handles describes a Handles for the conformance kit.
func handles[T any](t *testing.T) func() alloctest.Allocator[store.Handle[T], T] {
	var bounded func(limit int) alloctest.Allocator[store.Handle[T], T]
	bounded = func(limit int) alloctest.Allocator[store.Handle[T], T] {
		h, err := store.NewHandles[T](store.Options{Max: limit})
		if err != nil {
			t.Fatal(err)
		}
		return alloctest.Allocator[store.Handle[T], T]{
			New: h.New, Alloc: h.Alloc, Len: h.Len,
			At:     func(handle store.Handle[T]) *T { v, _ := h.Get(handle); return v },
			Delete: func(handle store.Handle[T]) { h.Delete(handle) },
			Reset:  h.Reset, Release: closing(t, h), Bounded: bounded,
			OffHeap: committed, Manual: true, Dead: alloctest.DeadNoticed,
		}
	}
	return func() alloctest.Allocator[store.Handle[T], T] { return bounded(0) }
}

// texts describes the strings of a Store, which never change, for the conformance kit.
func texts(t *testing.T) func() alloctest.Allocator[store.Text, string] {
	return func() alloctest.Allocator[store.Text, string] {
		s, err := store.New[byte](store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return alloctest.Allocator[store.Text, string]{
			Alloc: s.AllocText,
			At:    func(text store.Text) *string { found := s.Text(text); return &found },
			Reset: s.Reset, Release: closing(t, s), OffHeap: committed,
			Copies: true, Moves: true, Manual: true,
		}
	}
}
