package store

import (
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

// A slot that is used again and again never repeats a handle, and old ones stay
// stale: no generation wraps.
func TestHandlesNeverRepeat(t *testing.T) {
	h := newHandles(t, 10)
	first := h.Put(0)
	h.Del(first)
	before := first
	for i := range int64(300_000) {
		n := h.Put(i)
		if n <= before {
			t.Fatalf("handle %v after %v", n, before)
		}
		if _, ok := h.Get(first); ok {
			t.Fatalf("the first handle is accepted after %d reuses", i)
		}
		if !h.Del(n) || h.Del(n) {
			t.Fatal("Del of a live handle failed, or a second one succeeded")
		}
		before = n
	}
	if len(h.own) > 20 {
		t.Errorf("300,000 generations took %d leases", len(h.own))
	}
}

func TestResetKillsHandlesForEver(t *testing.T) {
	h := newHandles(t, 100)
	stale := make([]Handle[int64], 0, 50*100)
	for range 50 {
		for i := range int64(100) {
			stale = append(stale, h.Put(i))
		}
		h.Reset()
	}
	for i := range int64(100) {
		h.Put(i)
	}
	for _, s := range stale {
		if _, ok := h.Get(s); ok {
			t.Fatalf("%v from before a Reset is accepted", s)
		}
	}
}

// When the numbers of a process run out, slots retire; no handle is ever doubled.
func TestSlotsRetireWhenNumbersRunOut(t *testing.T) {
	leased.Lock()
	before := leased.next
	leased.next = vacant - 1<<4*9 // room for nine generations of a Handles of ten
	leased.Unlock()
	defer func() {
		leased.Lock()
		leased.next = before
		leased.Unlock()
	}()
	h := newHandles(t, 10)
	seen := map[Handle[int64]]bool{}
	message := func() (message string) {
		defer func() { message, _ = recover().(string) }()
		for {
			n := h.Put(1)
			if seen[n] {
				t.Fatalf("%v was given out twice", n)
			}
			seen[n] = true
			h.Del(n)
		}
	}()
	if !strings.Contains(message, "the store is full") {
		t.Errorf("with all slots retired Put said %q", message)
	}
	if h.retired != 10 || len(seen) < 10*4 {
		t.Errorf("%d slots retired after %d handles, want 10 after at least 40", h.retired, len(seen))
	}
}

func TestForgedHandles(t *testing.T) {
	h := newHandles(t, 100)
	other := newHandles(t, 100)
	for i := range int64(50) {
		h.Put(i)
		other.Put(i)
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
		if _, ok := h.Get(forged); ok || h.Del(forged) {
			t.Fatal("a closed Handles accepts a handle")
		}
	}
}
