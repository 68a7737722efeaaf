package traps

import (
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/store"
)

// refusesPointers verifies that a store rejects record types with pointers.
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

// droppedStoreKeepsItsRecords verifies that records remain readable if a store is dropped and only
// a pointer to a record is left. Leaking the memory is the lesser evil, and checked builds report
// the leak.
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
