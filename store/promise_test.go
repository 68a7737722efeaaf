package store_test

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// Each test in this file verifies a promise that could be broken while all other tests pass, or
// while the model tests fail only occasionally.

func mustHold(t *testing.T, when string, invariants func() error) {
	t.Helper()
	if err := invariants(); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// Adjacent runs of dead slots are merged, whatever their length and the order in which they are
// freed.
func TestHolesMerge(t *testing.T) {
	s := open[[1 << 10]byte](t, store.Options{Max: 1000}) // a Writer's block has 64 slots
	low, high := s.Writer(), s.Writer()
	first, second := low.Alloc([1 << 10]byte{}), high.Alloc([1 << 10]byte{})
	s.Make(10)
	if first != 1 || second != 65 {
		t.Fatalf("the Writers begin at %v and %v", first, second)
	}
	s.Delete(second)
	low.Close() // slots 2 to 64, below the hole at 65
	mustHold(t, "a long run below", s.Invariants)
	high.Close() // slots 66 to 128, above it
	mustHold(t, "a long run above", s.Invariants)
	s.Delete(first)
	if s.Len() != 10 {
		t.Errorf("Len = %d, want the 10 that were made", s.Len())
	}
	for want := store.Ref[[1 << 10]byte](1); want <= 128; want++ {
		if r := s.Alloc([1 << 10]byte{1}); r != want {
			t.Fatalf("Alloc fills %v, want %v: the holes are one run", r, want)
		}
	}
	mustHold(t, "all filled", s.Invariants)
}

// The slots that Make takes from a hole are live; the rest of the hole stays dead.
func TestMakeFromAHole(t *testing.T) {
	s := open[int64](t, store.Options{Max: 10})
	s.Make(10)
	for r := store.Ref[int64](3); r <= 8; r++ {
		s.Delete(r)
	}
	first, _ := s.Make(4)
	mustHold(t, "part of a hole", s.Invariants)
	s.Make(2)
	mustHold(t, "all of it", s.Invariants)
	s.Delete(first)
	mustHold(t, "deleted again", s.Invariants)
}

// A Reset discards all information about dead slots.
func TestResetForgetsHoles(t *testing.T) {
	s := open[int64](t, store.Options{})
	s.Make(300)
	s.Delete(2)
	s.Delete(200)
	s.Reset()
	mustHold(t, "after Reset", s.Invariants)
	for want := store.Ref[int64](1); want <= 300; want++ {
		if r := s.Alloc(7); r != want || *s.At(r) != 7 {
			t.Fatalf("Alloc gives %v, want %v", r, want)
		}
	}
}

// A slot in the window is not a record, even if it is between records, so Delete rejects it.
func TestDelOfASlotInTheWindow(t *testing.T) {
	s := open[int64](t, store.Options{})
	s.Make(10)
	s.Delete(3)
	s.Delete(4)
	if r := s.Alloc(1); r != 3 {
		t.Fatalf("Alloc gives %v", r)
	}
	wantPanic(t, "store.Store.Delete: #4 was", func() { s.Delete(4) })
}

// A clone has its own list of free slots.
func TestCloneSharesNoHoles(t *testing.T) {
	s := open[int64](t, store.Options{})
	s.Make(100)
	s.Delete(10)
	s.Delete(20)
	clone, err := s.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	s.Alloc(1)
	s.Delete(50) // takes the position of 20 in the list
	mustHold(t, "the clone", clone.Invariants)
	if r := clone.Alloc(1); r != 20 {
		t.Errorf("the clone puts at %v, want the last hole, 20", r)
	}
	s.Delete(60)
	mustHold(t, "the original", s.Invariants)
}

// The unused slots in the windows of Writers are not records of a clone.
func TestCloneWithWriters(t *testing.T) {
	s := open[int64](t, store.Options{})
	w := s.Writer()
	defer w.Close()
	w.Alloc(1)
	s.Alloc(2)
	clone, err := s.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	if clone.Len() != 2 {
		t.Errorf("the clone has %d records, want 2", clone.Len())
	}
	mustHold(t, "the clone", clone.Invariants)
}

func totalOf(name string) (sum store.Total) {
	for _, total := range store.Totals() {
		if total.Name == name {
			sum = total
		}
	}
	return sum
}

// A failed Clone leaves no open store behind.
func TestRefusedCloneLeavesNothing(t *testing.T) {
	defer vmem.FailCommit(-1)
	s := open[int64](t, store.Options{Name: "cloned in vain"})
	s.Make(100_000)
	vmem.FailCommit(1) // the first is for the nil record
	if _, err := s.Clone(); err == nil {
		t.Fatal("a clone without memory succeeded")
	}
	if got := totalOf("cloned in vain"); got.Stores != 1 {
		t.Errorf("%d stores are open after a Clone that failed", got.Stores)
	}
}

// Strings have their own memory, which Trim and Close also release.
func TestMemoryOfTexts(t *testing.T) {
	s, err := store.New[int64](store.Options{Name: "of texts", Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	s.AllocText(strings.Repeat("x", 1<<20))
	s.Reset()
	if got := totalOf("of texts").Committed; got < 1<<20 {
		t.Errorf("%d bytes are committed for 1 MiB of text", got)
	}
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	if got := totalOf("of texts").Committed; got > 1<<17 {
		t.Errorf("after Reset and Trim %d bytes are committed", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := totalOf("of texts"); got != (store.Total{}) {
		t.Errorf("after Close Totals has %+v", got)
	}
}

func TestMakeOfMoreThanRefsCanName(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int is less than that")
	}
	s := open[int64](t, store.Options{})
	records := uint64(store.MaxRecords)
	for _, n := range []uint64{records + 1, 1 << 32, 1<<32 + 1} {
		wantPanic(t, "records are more than refs can name", func() { s.Make(int(n)) })
	}
}

// The Make method of a Store may be called while Writers are open.
func TestMakeBesideWriters(t *testing.T) {
	s := open[int32](t, store.Options{})
	const goroutines, each = 4, 40_000
	var wg sync.WaitGroup
	for g := range int32(goroutines) {
		wg.Go(func() {
			w := s.Writer()
			defer w.Close()
			for range each {
				w.Alloc(g + 1)
			}
		})
	}
	made := 0
	for range 1000 {
		_, row := s.Make(20)
		for i := range row {
			if row[i] != 0 {
				t.Fatalf("Make gave a record of goroutine %d", row[i])
			}
			row[i] = -1
			made++
		}
	}
	wg.Wait()
	counts := map[int32]int{}
	for _, v := range s.All() {
		counts[*v]++
	}
	if counts[-1] != made || counts[1] != each || counts[goroutines] != each {
		t.Errorf("records by who put them: %v", counts)
	}
}

func TestHandlesDelZeroes(t *testing.T) {
	h, err := store.NewHandles[int64](store.Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	handle, p := h.New()
	*p = 42
	if !h.Delete(handle) || *p != 0 { //coppice:ignore stalevalue it looks at what Delete left
		t.Errorf("after Delete the record reads %d", *p)
	}
}

// Goroutines that use separate Handles get different handles.
func TestHandlesOfManyGoroutines(t *testing.T) {
	const goroutines = 16
	var got [goroutines]store.Handle[int64]
	start := make(chan struct{})
	var wg sync.WaitGroup
	for g := range goroutines {
		h, err := store.NewHandles[int64](store.Options{Max: 10})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		wg.Go(func() {
			<-start
			got[g] = h.Alloc(1)
		})
	}
	close(start)
	wg.Wait()
	seen := map[store.Handle[int64]]bool{}
	for _, handle := range got {
		if seen[handle] {
			t.Errorf("two goroutines have the handle %v", handle)
		}
		seen[handle] = true
	}
}

// Alloc writes to its Store or Writer on every call. A cache line of padding prevents false sharing
// between adjacent ones in an array.
func TestNeighboursShareNoCacheLine(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[store.Store[node]](), reflect.TypeFor[store.Writer[node]]()} {
		end := uintptr(0)
		for field := range typ.Fields() {
			if field.Name != "_" {
				end = field.Offset + field.Type.Size()
			}
		}
		if gap := typ.Size() - end; gap < 64 {
			t.Errorf("%d bytes lie between two %s side by side, want a cache line of 64", gap, typ)
		}
	}
}

// In checked builds, every method with a side effect detects that it was called on a copy. The same
// check detects calls by two goroutines at the same time.
func TestEveryMethodIsGuarded(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	s, other := open[node](t, store.Options{}), open[node](t, store.Options{})
	w := s.Writer()
	defer w.Close()
	h, err := store.NewHandles[node](store.Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s.Alloc(node{})
	w.Alloc(node{})
	handle := h.Alloc(node{})

	var s2 store.Store[node] // copies that vet does not see
	var w2 store.Writer[node]
	var h2 store.Handles[node]
	reflect.ValueOf(&s2).Elem().Set(reflect.ValueOf(s).Elem())
	reflect.ValueOf(&w2).Elem().Set(reflect.ValueOf(w).Elem())
	reflect.ValueOf(&h2).Elem().Set(reflect.ValueOf(h).Elem())
	for name, f := range map[string]func(){
		"Store.Alloc": func() { s2.Alloc(node{}) }, "Store.TryAlloc": func() { _, _ = s2.TryAlloc(node{}) }, "Store.New": func() { s2.New() },
		"Store.Make": func() { s2.Make(1) }, "Store.Delete": func() { s2.Delete(1) }, "Store.Reset": s2.Reset,
		"Store.Trim": func() { _ = s2.Trim() }, "Store.Close": func() { _ = s2.Close() },
		"Store.CopyFrom": func() { _ = s2.CopyFrom(other) },
		"Writer.Alloc":   func() { w2.Alloc(node{}) }, "Writer.New": func() { w2.New() }, "Writer.Make": func() { w2.Make(1) },
		"Handles.Alloc": func() { h2.Alloc(node{}) }, "Handles.New": func() { h2.New() },
		"Handles.Delete": func() { h2.Delete(handle) }, "Handles.Reset": h2.Reset,
	} {
		if got := panicOf(f); !strings.HasPrefix(got, "store."+name+": called on a copy") {
			t.Errorf("%s on a copy: %s", name, got)
		}
	}
	wantPanic(t, "store.Store.CopyFrom: called on a copy", func() { _ = other.CopyFrom(&s2) })
}

// A slot that was deleted before a Reset, and not reused since, is reported as dropped by Reset and
// not as deleted.
func TestResetForgetsPlacesOfDel(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	s := open[int64](t, store.Options{})
	s.Make(3)
	s.Delete(2)
	s.Reset()
	w := s.Writer()
	defer w.Close()
	w.Alloc(1)
	s.Alloc(2) // in a block above the Writer's
	wantPanic(t, "store.Store.At: #2 was dropped by Reset or Trim, or never handed out", func() { s.At(2) })
}
