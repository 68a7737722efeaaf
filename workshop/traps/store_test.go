package traps

import (
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/store"
)

// refusesPointers requires that a store rejects records with pointers.
//
//coppice:ignore recordpointers it wants the refusals
func refusesPointers(t *testing.T) {
	t.Helper()
	if s, err := store.New[named](store.Options{}); err == nil {
		mustNot(t, s.Close())
		t.Error("store.New took a record with pointers")
	}
	if h, err := store.NewHandles[*byte](store.Options{}); err == nil {
		mustNot(t, h.Close())
		t.Error("store.NewHandles took a record that is a pointer")
	}
}

// droppedStoreKeepsItsRecords requires that records stay readable when only a pointer to one is
// left of a dropped store. This is the lesser evil: the memory is leaked, and checked builds report
// it.
func droppedStoreKeepsItsRecords(t *testing.T) {
	t.Helper()
	first, last := fillAndDrop(t)
	runtime.GC()
	runtime.GC()
	if *first != 1 || *last != 10_000 {
		t.Errorf("records of a dropped store read %d and %d, want 1 and 10000", *first, *last)
	}
}

func fillAndDrop(t *testing.T) (first, last *uint64) {
	s, err := store.New[uint64](store.Options{Max: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	first = s.At(s.Alloc(1))
	for i := range uint64(9_999) {
		last = s.At(s.Alloc(i + 2))
	}
	return first, last
}
