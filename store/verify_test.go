package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// damaged returns a store with records, holes and an open Writer, after a call of damage.
func damaged(t *testing.T, damage func(c *core, s *Store[int64])) *Store[int64] {
	t.Helper()
	s, err := New[int64](Options{Max: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	c := s.own.core
	t.Cleanup(func() {
		if !c.closed {
			_ = c.close()
		}
	})
	s.Make(300)
	s.Delete(5)
	s.Delete(7)
	s.Alloc(1)
	s.Writer().Alloc(2)
	damage(c, s)
	return s
}

func TestVerifyNotices(t *testing.T) {
	if err := damaged(t, func(*core, *Store[int64]) {}).own.core.verify(); err != nil {
		t.Fatalf("of a sound store: %v", err)
	}
	for want, damage := range map[string]func(c *core, s *Store[int64]){
		"#5 to #5: it must be ascending":  func(c *core, _ *Store[int64]) { c.free = append(c.free, c.free[0]) },
		"not in their set":                func(c *core, _ *Store[int64]) { c.dead.clear(run{5, 5}) },
		"#5 was written to while free":    func(_ *core, s *Store[int64]) { s.records[5] = 1 },
		"1 slots are dead, 2 are in":      func(c *core, _ *Store[int64]) { c.dead.set(run{9, 9}, 9) },
		"1 are in their set, and 2 are":   func(c *core, _ *Store[int64]) { c.holes++ },
		"were handed out, more than the":  func(c *core, _ *Store[int64]) { c.max = c.top - 1 },
		"was never handed out and is":     func(c *core, _ *Store[int64]) { c.dirty = 20 },
		"is inverted or exceeds the ":     func(c *core, _ *Store[int64]) { *c.open[0].end = c.top + 1 },
		"before Alloc or New returned it": func(c *core, s *Store[int64]) { s.records[*c.open[0].end] = 1 },
		"#5 is free in two places":        func(_ *core, s *Store[int64]) { s.last, s.end = 4, 5 },
		"texts take 1073741824 bytes, ":   func(c *core, s *Store[int64]) { s.AllocText("ash"); c.texts.used = 1 << 30 },
	} {
		if err := damaged(t, damage).own.core.verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("verify says %v, want %q", err, want)
		}
	}
}

// Checked builds verify the invariants where that takes constant time, or no more time than the
// call itself.
func TestCheckedBuildsVerify(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	other := damaged(t, func(*core, *Store[int64]) {})
	for name, use := range map[string]func(s *Store[int64]){
		"Reset":    func(s *Store[int64]) { s.Reset() },
		"Trim":     func(s *Store[int64]) { _ = s.Trim() },
		"Close":    func(s *Store[int64]) { _ = s.Close() },
		"Clone":    func(s *Store[int64]) { _, _ = s.Clone() },
		"CopyFrom": func(s *Store[int64]) { _ = other.CopyFrom(s) },
		"Alloc": func(s *Store[int64]) {
			for range 100_000 {
				s.Alloc(1)
			}
		},
	} {
		s := damaged(t, func(c *core, _ *Store[int64]) { c.holes++ })
		if got := said(func() { use(s) }); !strings.HasPrefix(got, "store.Store."+name+": ") || !strings.Contains(got, " are recorded; the most likely cause is use by two goroutines") {
			t.Errorf("%s of a broken store said %q", name, got)
		}
		if name == "Close" && !s.own.core.closed {
			t.Error("Close of a broken store kept its memory")
		}
	}
}

// Checked builds detect a write to a slot without a record when the slot is reused.
func TestCheckedBuildsFindStaleWrites(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, use := range map[string]func(s *Store[int64]){
		"Store.Alloc":    func(s *Store[int64]) { s.Alloc(1) },
		"Store.New":      func(s *Store[int64]) { s.New() },
		"Store.TryAlloc": func(s *Store[int64]) { _, _ = s.TryAlloc(1) },
		"Store.Make":     func(s *Store[int64]) { s.Make(8) },
		"Writer.Alloc": func(s *Store[int64]) {
			for w := s.Writer(); ; {
				w.Alloc(1)
			}
		},
	} {
		s, err := New[int64](Options{Max: 20})
		if err != nil {
			t.Fatal(err)
		}
		_, all := s.Make(20)
		for r := Ref[int64](11); r <= 20; r++ {
			s.Delete(r)
		}
		all[11-1+3] = 7 // slot 14
		if got := said(func() { use(s) }); !strings.HasPrefix(got, "store."+name+": #14 was written after it was deleted (at ") || !strings.Contains(got, "verify_test.go:") {
			t.Errorf("%s said %q", name, got)
		}
		_ = s.own.core.close()
	}
}

func TestHandlesVerifyNotices(t *testing.T) {
	for want, damage := range map[string]func(h *Handles[int64]){
		"":                               func(*Handles[int64]) {},
		"slots are in use, but only":     func(h *Handles[int64]) { h.top = h.slots.last + 1 },
		"slot 3 of 6 is listed twice":    func(h *Handles[int64]) { h.free = append(h.free, 3) },
		"slot 4 is free, and":            func(h *Handles[int64]) { h.free = append(h.free, 4) },
		"another class":                  func(h *Handles[int64]) { h.free = h.free[:0]; h.classes[1].worn = append(h.classes[1].worn, 3) },
		"5 slots have a record, but Len": func(h *Handles[int64]) { h.live++ },
		"slot 4 has the number":          func(h *Handles[int64]) { h.slots.records[4].number += 1 << classBits },
	} {
		h := damagedHandles(damage)
		defer drop(h)
		if err := h.verify(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("verify says %v, want %q", err, want)
		}
		if !checks.Enabled || want == "" {
			continue
		}
		for name, use := range map[string]func(h *Handles[int64]){
			"Reset": (*Handles[int64]).Reset,
			"Close": func(h *Handles[int64]) { _ = h.Close() },
		} {
			h := damagedHandles(damage)
			defer drop(h)
			if got := said(func() { use(h) }); !strings.HasPrefix(got, "store.Handles."+name+": ") || !strings.Contains(got, want) {
				t.Errorf("%s of a broken Handles said %q, want %q", name, got, want)
			}
		}
	}
}

// damagedHandles returns a Handles with five records and a free slot, after a call of damage.
func damagedHandles(damage func(h *Handles[int64])) *Handles[int64] {
	h := &Handles[int64]{}
	for i := range int64(6) {
		if handle := h.Alloc(i); i == 2 {
			defer func() { h.Delete(handle); damage(h) }()
		}
	}
	return h
}

// drop releases the memory of a Handles that may be too damaged for Close.
func drop(h *Handles[int64]) {
	if c := h.slots.own.core; !c.closed {
		_ = c.close()
	}
}

// said calls f, and returns its panic message.
func said(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}
