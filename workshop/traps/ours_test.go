package traps

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

// This file describes Coppice's allocators to the conformance kit, as far as the traps need it. It
// also defines the checks that the tests of traps have in common.

func slabs[T any]() alloctest.Allocator[*T, T] {
	s := new(slab.Slab[T])
	return alloctest.Allocator[*T, T]{
		New: alloctest.Pointer(s.New), Make: alloctest.Pointers(s.Make), Reset: s.Reset, Release: s.Release,
		Len: s.Len, Bytes: func() uint64 { return s.Stats().Size },
	}
}

func arenas[T any]() alloctest.Allocator[*T, T] {
	a := new(arena.Arena)
	return alloctest.Allocator[*T, T]{
		New:   func() (*T, *T) { p := arena.New[T](a); return p, p },
		Make:  alloctest.Pointers(func(n int) []T { return arena.Make[T](a, n) }),
		Reset: a.Reset, Release: a.Release,
		Bytes: func() uint64 { return a.Stats().Size },
	}
}

func pools[T any]() alloctest.Allocator[*T, T] {
	p := new(pool.Pool[T])
	a := alloctest.Allocator[*T, T]{New: alloctest.Pointer(p.Get), Delete: p.Put, Concurrent: true}
	if checks.Enabled {
		a.Dead = alloctest.DeadNotFreed
	}
	return a
}

func stores[T any](t testing.TB) func() alloctest.Allocator[store.Ref[T], T] {
	var bounded func(limit int) alloctest.Allocator[store.Ref[T], T]
	bounded = func(limit int) alloctest.Allocator[store.Ref[T], T] {
		s := newStore[T](t, limit)
		return alloctest.Allocator[store.Ref[T], T]{
			New: s.New, Alloc: s.Alloc, TryAlloc: s.TryAlloc, Make: s.Make, At: s.At, Delete: s.Delete, Reset: s.Reset,
			Writer: func() alloctest.Allocator[store.Ref[T], T] {
				w := s.Writer()
				return alloctest.Allocator[store.Ref[T], T]{New: w.New, Alloc: w.Alloc, Release: w.Close}
			},
			Len: s.Len, Bytes: func() uint64 { return uint64(s.Cap()) * uint64(reflect.TypeFor[T]().Size()) },
			Bounded: bounded, Full: store.ErrFull, Manual: true, Dead: alloctest.DeadNotFreed,
		}
	}
	return func() alloctest.Allocator[store.Ref[T], T] { return bounded(1 << 18) }
}

func handles[T any](t testing.TB) func() alloctest.Allocator[store.Handle[T], T] {
	var bounded func(limit int) alloctest.Allocator[store.Handle[T], T]
	bounded = func(limit int) alloctest.Allocator[store.Handle[T], T] {
		h, err := store.NewHandles[T](store.Options{Max: limit})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closing(t, h.Close) })
		return alloctest.Allocator[store.Handle[T], T]{
			New: h.New, Alloc: h.Alloc, Len: h.Len, Reset: h.Reset,
			At:      func(handle store.Handle[T]) *T { v, _ := h.Get(handle); return v },
			Delete:  func(handle store.Handle[T]) { h.Delete(handle) },
			Bounded: bounded, Manual: true, Dead: alloctest.DeadNoticed,
		}
	}
	return func() alloctest.Allocator[store.Handle[T], T] { return bounded(1 << 18) }
}

// newStore returns a Store that is closed at the end of the test.
func newStore[T any](t testing.TB, limit int) *store.Store[T] {
	s, err := store.New[T](store.Options{Max: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closing(t, s.Close) })
	return s
}

// closing closes a store. Some traps write through stale pointers, and a checked build may panic at
// Close when it detects that.
func closing(t testing.TB, release func() error) {
	t.Helper()
	if checks.Enabled {
		defer func() { _ = recover() }()
	}
	mustNot(t, release())
}

// mustNot fails the test if err is not nil.
func mustNot(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// falls requires that the check of a trap failed with an error that contains words.
func falls(t *testing.T, err error, words string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("the check passes on a miniature that is built with the defect; want %q", words)
	case !strings.Contains(err.Error(), words):
		t.Errorf("the check fails on the defective miniature with %q; want %q", err, words)
	}
}

// stands requires that the check of a trap passed for the allocator who.
func stands(t *testing.T, who string, err error) {
	t.Helper()
	if errors.Is(err, alloctest.ErrNotTested) {
		t.Errorf("%s does not have what the check needs: %v", who, err)
	} else if err != nil {
		t.Errorf("%s fell into the trap: %v", who, err)
	}
}
