package slab_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// Each test in this file verifies a promise that could be broken without failing any other test.

func TestStatsCountWhatIsPassedOver(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100}}
	s.Make(60) // leaves 40
	s.Make(50) // from a new chunk, whose rest of 50 is longer
	s.Make(70) // from another, whose rest of 30 is shorter
	got, want := s.Stats(), slab.Stats{Len: 180, Cap: 300, Wasted: 40 + 30, Chunks: 3, Size: 300 * 2 * ptrBytes}
	if got != want {
		t.Errorf("Stats are %+v, want %+v", got, want)
	}
	s.Grow(51) // passes over the rest of 50
	if got := s.Stats(); got.Wasted != 120 || got.Len != 180 || got.Cap != 351 {
		t.Errorf("after Grow Stats are %+v, want Wasted 120, Len 180, Cap 351", got)
	}
}

// Stats includes free chunks and, in checked builds, quarantined chunks.
func TestStatsCountWaitingChunks(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100}}
	for range 250 {
		s.New()
	}
	s.Reset()
	if got := s.Stats(); got.Chunks != 3 || got.Cap != 300 || got.Size != 300*2*ptrBytes || got.Len != 0 {
		t.Errorf("after Reset Stats are %+v, want 3 chunks of 100 slots", got)
	}
}

// If MaxChunk is set, the default FirstChunk does not exceed it. After small phases, Reset keeps no
// more than a first chunk.
func TestMaxBoundsTheDefaultFirst(t *testing.T) {
	s := &slab.Slab[[16]byte]{Options: slab.Options{MaxChunk: 10}}
	s.Make(60)
	s.Reset()
	for range 65 { // 64, and one for checked builds, which keep chunks for one more phase
		s.New()
		s.Reset()
	}
	if s.Cap() > 10 {
		t.Errorf("after small phases Cap is %d, want a chunk of Max 10 at most", s.Cap())
	}
}

// The size of phases before a Release does not affect how much memory Reset keeps after it.
func TestReleaseForgetsLargePhases(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds hold a phase longer")
	}
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 10, MaxChunk: 10}}
	s.Make(100_000)
	s.Reset()
	s.Release()
	for range 100 {
		s.New()
	}
	s.Reset()
	s.Make(100) // all ten chunks of ten are too short for this
	s.Reset()
	if s.Cap() != 100 {
		t.Errorf("Cap is %d after two phases of 100, want one chunk of 100", s.Cap())
	}
}

// A large phase determines how much Reset keeps for at least 32 and at most 64 phases, whatever the
// number of phases before it.
func TestHowLongALargePhaseCounts(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds hold a phase longer")
	}
	for start := range 40 {
		s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 10, MaxChunk: 10}}
		small := func() { s.New(); s.Reset() }
		for range start {
			small()
		}
		s.Make(1000)
		s.Reset()
		for phase := range 64 {
			small()
			if phase < 31 && s.Cap() < 1000 {
				t.Fatalf("the large phase after %d small ones counts for %d phases, want 32", start, phase+1)
			}
		}
		if s.Cap() >= 1000 {
			t.Fatalf("the large phase after %d small ones counts although 64 followed it", start)
		}
	}
}

// Values of size zero can be allocated and taken back like other values.
func TestRewindOfEmptyValues(t *testing.T) {
	var s slab.Slab[struct{}]
	s.New()
	for range 3 {
		m := s.Mark()
		for range 5000 {
			s.New()
		}
		s.Make(100)
		inner := s.Mark()
		s.Make(7000)
		s.Rewind(inner)
		s.New()
		s.Rewind(m)
	}
	if s.Len() != 1 {
		t.Errorf("Len = %d after Rewind, want the 1 of before", s.Len())
	}
}

// A count is rejected if that many values exceed the address space, even if the count itself is a
// valid int.
func TestCountsBecomeBytes(t *testing.T) {
	var s slab.Slab[node]
	n := 1 << (29 + 16*(^uint(0)>>63))
	for name, f := range map[string]func(){"slab.Slab.Make": func() { s.Make(n) }, "slab.Slab.Grow": func() { s.Grow(n) }} {
		if got := panicOf(f); !strings.HasPrefix(got, name+": ") || !strings.Contains(got, "values exceed the address space") {
			t.Errorf("panic %q, want %s to refuse %d values", got, name, n)
		}
	}
}

// New writes to its Slab on every call. A cache line of padding prevents false sharing between
// adjacent Slabs of an array.
func TestNeighboursShareNoCacheLine(t *testing.T) {
	typ := reflect.TypeFor[slab.Slab[node]]()
	end := uintptr(0)
	for field := range typ.Fields() {
		if field.Name != "_" {
			end = field.Offset + field.Type.Size()
		}
	}
	if gap := typ.Size() - end; gap < 64 {
		t.Errorf("%d bytes lie between two slabs side by side, want a cache line of 64", gap)
	}
}

// In checked builds, every method detects that it was called on a copy. The same check detects
// calls by two goroutines at the same time.
func TestEveryMethodIsGuarded(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var s, copied slab.Slab[node]
	v := s.Make(1)
	m := s.Mark()
	reflect.ValueOf(&copied).Elem().Set(reflect.ValueOf(&s).Elem()) // a copy that vet does not see
	var chunks, copiedChunks slab.Chunks[node]
	chunks.New()
	reflect.ValueOf(&copiedChunks).Elem().Set(reflect.ValueOf(&chunks).Elem())
	for name, f := range map[string]func(){
		"Slab.New": func() { copied.New() }, "Slab.Make": func() { copied.Make(1) }, "Slab.Grow": func() { copied.Grow(1) },
		"Slab.Extend": func() { copied.Extend(v, 1) }, "Slab.Mark": func() { copied.Mark() }, "Slab.Rewind": func() { copied.Rewind(m) },
		"Slab.Reset": copied.Reset, "Slab.Release": copied.Release,
		"Chunks.New": func() { copiedChunks.New() }, "Chunks.Make": func() { copiedChunks.Make(1) }, "Chunks.Grow": func() { copiedChunks.Grow(1) },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, "slab."+name+": called on a copy") {
			t.Errorf("%s on a copy: %s", name, got)
		}
	}
}

// Release also detects a write through a stale pointer.
func TestReleaseFindsStaleWrites(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var s slab.Slab[node]
	stale := s.New()
	s.Reset()
	stale.left = stale //coppice:ignore stalevalue it wants the panic
	if got := panicOf(s.Release); !strings.HasPrefix(got, "slab.Slab.Release: a slab_test.node was written after the Reset at ") {
		t.Errorf("Release after a write through a stale pointer said %q", got)
	}
}

// A Slab reads its Options at the first use. Later changes have no effect.
func TestOptionsAreReadOnce(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 10, MaxChunk: 10}}
	s.New()
	s.Options = slab.Options{FirstChunk: 1000, Keep: -1}
	for range 10 {
		s.New()
	}
	if got := s.Cap(); got != 20 {
		t.Errorf("%d slots are held, want two chunks of 10 as the Options of the first use say", got)
	}
}
