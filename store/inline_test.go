package store_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
	"github.com/coppice-go/coppice/store"
)

// The hot calls must inline into the user's code.
func TestHotCallsInline(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds do not inline")
	}
	compiler.MustInline(t, "store.Store.Alloc", "store.Store.New", "store.Store.At", "store.Store.Slice",
		"store.Writer.Alloc", "store.Writer.New", "store.Handles.Get")
}

// Reading a record through Slice costs exactly one bounds check.
func TestSliceKeepsOneBoundsCheck(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds have more")
	}
	if found := compiler.BoundsChecks(t, "28", "Found Is"); found != 1 { // n := &nodes[r]
		t.Errorf("%d bounds checks where a record is read through Slice, want 1", found)
	}
}

func TestHotCallsDoNotAllocate(t *testing.T) {
	s := open[node](t, store.Options{})
	s.Alloc(node{})
	w := s.Writer()
	for name, f := range map[string]func(){
		"Alloc":        func() { s.Alloc(node{}) },
		"New":          func() { s.New() },
		"Make":         func() { s.Make(3) },
		"At":           func() { s.At(1) },
		"Slice":        func() { s.Slice() },
		"Writer.Alloc": func() { w.Alloc(node{}) },
	} {
		if allocs := testing.AllocsPerRun(1000, f); allocs != 0 && !checks.Enabled {
			t.Errorf("%s costs %v allocations", name, allocs)
		}
	}
}
