package store

import (
	"errors"
	"strings"
	"testing"
)

func newHandles(t *testing.T, max int) *Handles[int64] {
	t.Helper()
	h, err := NewHandles[int64](Options{Max: max})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// A slot never gives out the same handle twice, however often it is reused, and old handles stay
// stale: the generation does not wrap around.
func TestHandlesNeverRepeat(t *testing.T) {
	h := newHandles(t, 10)
	first := h.Alloc(0)
	h.Delete(first)
	before := first
	for i := range int64(300_000) {
		n := h.Alloc(i)
		if n <= before {
			t.Fatalf("handle %v after %v", n, before)
		}
		if _, ok := h.Get(first); ok {
			t.Fatalf("the first handle is accepted after %d reuses", i)
		}
		if !h.Delete(n) || h.Delete(n) {
			t.Fatal("Delete of a live handle failed, or a second one succeeded")
		}
		before = n
	}
	if leases := len(h.classes[0].ranges); leases > 20 {
		t.Errorf("300,000 generations took %d leases", leases)
	}
}

func TestResetKillsHandlesForEver(t *testing.T) {
	h := newHandles(t, 100)
	stale := make([]Handle[int64], 0, 50*100)
	for range 50 {
		for i := range int64(100) {
			stale = append(stale, h.Alloc(i))
		}
		h.Reset()
	}
	for i := range int64(100) {
		h.Alloc(i)
	}
	for _, s := range stale {
		if _, ok := h.Get(s); ok {
			t.Fatalf("%v from before a Reset is accepted", s)
		}
	}
}

func TestForgedHandles(t *testing.T) {
	h := newHandles(t, 100)
	other := newHandles(t, 100)
	for i := range int64(50) {
		h.Alloc(i)
		other.Alloc(i)
	}
	accepted := 0
	for forged := range Handle[int64](100_000) {
		if _, ok := h.Get(forged); ok {
			accepted++
		}
		if _, ok := other.Get(forged); ok {
			accepted++
		}
	}
	if accepted > 100 {
		t.Errorf("%d handles are accepted for 100 records", accepted)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for forged := range Handle[int64](1000) {
		if _, ok := h.Get(forged); ok || h.Delete(forged) {
			t.Fatal("a closed Handles accepts a handle")
		}
	}
}

// A loop over All ends even if its body adds a record in each iteration, to fresh slots or to slots
// of deleted records. The same holds for the All method of a Store.
func TestAllEndsWithPutsInTheLoop(t *testing.T) {
	const count = 1000
	h := newHandles(t, 1<<16)
	s, err := New[int64](Options{Max: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept, keptRefs := map[Handle[int64]]bool{}, map[Ref[int64]]bool{}
	for i := range int64(count) {
		n, r := h.Alloc(i), s.Alloc(i)
		if kept[n], keptRefs[r] = true, true; i%3 == 0 { // holes ahead of the loop
			h.Delete(n)
			s.Delete(r)
			delete(kept, n)
			delete(keptRefs, r)
		}
	}
	yielded := 0
	for n, v := range h.All() {
		yielded++
		h.Alloc(-1)
		if n := h.Alloc(-1); *v%2 == 0 {
			h.Delete(n)
		}
		delete(kept, n)
	}
	if yielded > count || len(kept) > 0 {
		t.Errorf("All of %d slots yields %d records, and misses %d", count, yielded, len(kept))
	}
	yielded = 0
	for r, v := range s.All() {
		yielded++
		s.Alloc(-1)
		if r := s.Alloc(-1); *v%2 == 0 {
			s.Delete(r)
		}
		delete(keptRefs, r)
	}
	if yielded > count || len(keptRefs) > 0 {
		t.Errorf("All of a Store of %d slots yields %d records, and misses %d", count, yielded, len(keptRefs))
	}
	for range h.All() { // All must not yield records that a Reset dropped
		if yielded--; h.Len() > 0 {
			h.Reset()
			h.Alloc(1)
		}
		if yielded < 0 {
			t.Fatal("All goes on after a Reset")
		}
	}
}

// The body of a loop over All may delete the current record and later ones.
func TestAllWithDelsInTheLoop(t *testing.T) {
	h := newHandles(t, 100)
	handles := make([]Handle[int64], 100)
	for i := range handles {
		handles[i] = h.Alloc(int64(i))
	}
	yielded := 0
	for n, v := range h.All() {
		yielded++
		if !h.Delete(n) {
			t.Errorf("All yields %v, which is gone", n)
		}
		if i := int(*v); i+1 < len(handles) && yielded == 1 {
			h.Delete(handles[99])
		}
	}
	if yielded != 99 || h.Len() != 0 {
		t.Errorf("All yields %d records, %d are left", yielded, h.Len())
	}
}

// The zero Handles works with the default Options, and takes no memory if it is not used.
func TestZeroHandles(t *testing.T) {
	var h Handles[int64]
	if _, ok := h.Get(1); ok || h.Delete(1) || h.Len() != 0 {
		t.Error("the zero Handles has a record")
	}
	for range h.All() {
		t.Error("the zero Handles yields a record")
	}
	h.Reset()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	n := h.Alloc(7)
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	if v, ok := h.Get(n); !ok || *v != 7 {
		t.Errorf("Get gave %v, %v", v, ok)
	}
	if h.max < 1<<10 {
		t.Errorf("the zero Handles has room for %d records", h.max)
	}
	if frame := h.slots.own.core.account.Frames(); !strings.Contains(strings.SplitN(frame, "\n", 2)[0], "TestZeroHandles") {
		t.Errorf("the profile says that it was made at\n%s", frame)
	}
	made := newHandles(t, 10)
	if frame := made.slots.own.core.account.Frames(); !strings.Contains(strings.SplitN(frame, "\n", 2)[0], "newHandles") {
		t.Errorf("the profile says that a Handles was made at\n%s", frame)
	}
}

// TryAlloc returns an error where Alloc panics, and does not change a full Handles.
func TestTryAllocOfHandles(t *testing.T) {
	var h Handles[int64]
	one, err := h.TryAlloc(7)
	if v, ok := h.Get(one); err != nil || !ok || *v != 7 || h.Cap() < 1 || h.Max() < 1 {
		t.Error(v, ok, err, h.Cap(), h.Max())
	}
	full := Must(NewHandles[int64](Options{Max: 1}))
	defer full.Close()
	full.Alloc(1)
	if _, err := full.TryAlloc(2); !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "store.Handles.TryAlloc: the store is full: it holds 1 records, and the maximum is 1") {
		t.Error(err)
	}
	if full.Len() != 1 {
		t.Error(full.Len())
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestTryFormsOfAStore(t *testing.T) {
	s := Must(New[int64](Options{Max: 1}))
	w := s.Writer()
	if r, err := w.TryAlloc(5); err != nil || r == 0 {
		t.Error(r, err)
	}
	if _, err := w.TryAlloc(6); !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "store.Writer.TryAlloc: the store is full") {
		t.Error(err)
	}
	w.Close()
	if text, err := s.TryAllocText("word"); err != nil || s.Text(text) != "word" {
		t.Error(text, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.TryAllocText("word"); err == nil || !strings.HasPrefix(err.Error(), "store.Store.TryAllocText: the store is closed") {
		t.Error(err)
	}
}
