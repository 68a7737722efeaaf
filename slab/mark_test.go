package slab_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

func TestRewindTakesBackWhatCameAfterTheMark(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 10, MaxChunk: 10}}
	start := s.Mark()
	before := s.New()
	before.left = before
	m := s.Mark()
	for round := range 3 {
		for range 95 {
			n := s.New()
			if *n != (node{}) {
				t.Fatalf("round %d handed out %v", round, *n)
			}
			n.left = before
		}
		s.Rewind(m)
		if s.Len() != 1 || before.left != before {
			t.Fatalf("round %d: Len %d after Rewind, and what was made before is %v", round, s.Len(), *before)
		}
	}
	if s.Cap() != 100 {
		t.Errorf("Cap = %d: Rewind must keep the memory for the rest of the phase", s.Cap())
	}
	s.Rewind(start)
	if s.Len() != 0 || *s.New() != (node{}) {
		t.Error("the Mark of an empty slab is not the start of the phase")
	}
}

// Rewind works for values of size zero, although all of them, and all chunks of them, have the same
// address.
func TestRewindOfValuesWithoutSize(t *testing.T) {
	for at := range 20 {
		s := &slab.Slab[struct{}]{Options: slab.Options{FirstChunk: 8, MaxChunk: 8}}
		for range at {
			s.New()
		}
		m, held := s.Mark(), s.Cap()
		for range 20 {
			s.New()
		}
		s.Rewind(m)
		for range 20 {
			s.New()
		}
		if got := s.Len(); got != at+20 {
			t.Fatalf("Len = %d after %d values, a Rewind and 20 values", got, at)
		}
		if got := s.Cap(); got < at+20 || got > max(held, at+20+8) {
			t.Fatalf("Cap = %d after %d values, a Rewind and 20 values, in chunks of 8", got, at)
		}
	}
}

// Checked builds detect a write to a slot that a Rewind took back, even if the slot is not reused
// before Reset or Release.
func TestCheckedBuildsRememberARewind(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, end := range map[string]func(*slab.Slab[node]){
		"Reset": (*slab.Slab[node]).Reset, "Release": (*slab.Slab[node]).Release,
	} {
		for _, before := range []int{0, 1} {
			s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 8}}
			s.Make(before)
			m := s.Mark()
			stale := s.New()
			s.Rewind(m)        // the panic names this line
			stale.left = stale //coppice:ignore stalevalue it wants the panic
			got := panicOf(func() { end(s) })
			if ok, _ := regexp.MatchString(`^slab\.Slab\.`+name+`: a slab_test\.node was written after the Rewind at .*mark_test\.go:\d+`, got); !ok {
				t.Errorf("%s after %d values and a write after a Rewind said %q", name, before, got)
			}
		}
	}
}

// A loop of Mark and Rewind must not accumulate Marks or chunks.
func TestMarkAndRewindSettleToNoAllocation(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds remember the place of every Rewind")
	}
	var s slab.Slab[node]
	s.New()
	round := func() {
		m := s.Mark()
		for range 5000 {
			s.New()
		}
		s.Make(100)
		inner := s.Mark()
		s.Make(77)
		s.Rewind(inner)
		s.Rewind(m)
	}
	round()
	if allocs := testing.AllocsPerRun(100, round); allocs != 0 {
		t.Errorf("a round like the one before costs %v allocations", allocs)
	}
}

// Rewind rejects every invalid Mark, whatever the state of the slab, and does not change the
// values.
func TestWorthlessMarksPanic(t *testing.T) {
	take := func(s *slab.Slab[node], n int) {
		for range n {
			s.New()
		}
	}
	worthless := map[string]func(s *slab.Slab[node]) slab.Mark{
		"that nobody made":            func(*slab.Slab[node]) slab.Mark { return slab.Mark{} },
		"of an untouched slab":        func(*slab.Slab[node]) slab.Mark { return new(slab.Slab[node]).Mark() },
		"of another slab":             func(*slab.Slab[node]) slab.Mark { var o slab.Slab[node]; take(&o, 1); return o.Mark() },
		"of another slab, deeper":     func(*slab.Slab[node]) slab.Mark { return deepMark(new(slab.Slab[node])) },
		"of a phase before, at start": func(s *slab.Slab[node]) slab.Mark { m := s.Mark(); s.Reset(); return m },
		"of a phase before":           func(s *slab.Slab[node]) slab.Mark { take(s, 1); m := s.Mark(); s.Reset(); return m },
		"from before Release, start":  func(s *slab.Slab[node]) slab.Mark { m := s.Mark(); s.Release(); return m },
		"from before Release":         func(s *slab.Slab[node]) slab.Mark { take(s, 1); m := s.Mark(); s.Release(); return m },
		"rewound beyond":              func(s *slab.Slab[node]) slab.Mark { m := s.Mark(); late := deepMark(s); s.Rewind(m); return late },
		"rewound beyond, its place taken": func(s *slab.Slab[node]) slab.Mark {
			m := s.Mark()
			late := deepMark(s)
			s.Rewind(m)
			deepMark(s)
			return late
		},
	}
	states := map[string]func(s *slab.Slab[node]){
		"values":            func(s *slab.Slab[node]) { take(s, 5) },
		"its start marked":  func(s *slab.Slab[node]) { s.Mark(); take(s, 5) },
		"many chunks":       func(s *slab.Slab[node]) { take(s, 100) },
		"Marks of its own":  func(s *slab.Slab[node]) { deepMark(s) },
		"nothing but Marks": func(s *slab.Slab[node]) { s.Mark() },
		"nothing":           func(*slab.Slab[node]) {},
	}
	for name, worthless := range worthless {
		for state, fill := range states {
			s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 8, MaxChunk: 8}}
			m := worthless(s)
			fill(s)
			held := s.New()
			held.left = held
			before := s.Stats()
			got := panicOf(func() { s.Rewind(m) })
			if !strings.HasPrefix(got, "slab.Slab.Rewind: the Mark is not one of this phase of this Slab[slab_test.node]") {
				t.Errorf("a Mark %s, of a slab with %s: %s", name, state, got)
			}
			if s.Stats() != before || held.left != held {
				t.Errorf("a Mark %s, of a slab with %s: Stats were %+v and are %+v", name, state, before, s.Stats())
			}
			now := s.Mark()
			s.New()
			s.Rewind(now)
			if s.Stats() != before && state != "many chunks" {
				t.Errorf("a Mark %s, of a slab with %s: the slab is unusable after the panic", name, state)
			}
		}
	}
}

// deepMark makes three Marks, with a new value before each of them, and returns the third Mark.
func deepMark(s *slab.Slab[node]) (m slab.Mark) {
	for range 3 {
		s.New()
		m = s.Mark()
	}
	return m
}

// The start of a phase has a valid Mark. Rewind can return to it repeatedly, but only in the same
// phase.
func TestTheStartOfAPhaseIsAMoment(t *testing.T) {
	var s slab.Slab[node]
	starts := map[slab.Mark]bool{}
	for range 3 {
		start := s.Mark()
		for range 3 {
			deepMark(&s)
			s.Rewind(start)
			if s.Len() != 0 || s.Mark() != start {
				t.Fatalf("Len is %d after a Rewind to the start, and the Mark of it %v, then %v", s.Len(), start, s.Mark())
			}
		}
		if starts[start] {
			t.Errorf("%v is the start of two phases", start)
		}
		starts[start] = true
		s.Reset()
	}
}

// A slab takes the numbers of its Marks from a reserved block. No two slabs and no two phases share
// a number, whatever the order of the calls. All Marks in this test have the same depth.
func TestNoTwoPhasesHaveOneMark(t *testing.T) {
	slabs := make([]slab.Slab[node], 3)
	seen := map[slab.Mark]int{}
	for round := range 20_000 {
		s := &slabs[round*round%7%3]
		s.Reset()
		if round%2 == 0 {
			s.New()
		}
		m := s.Mark()
		if last, twice := seen[m]; twice {
			t.Fatalf("round %d made %v, as round %d did", round, m, last)
		}
		seen[m] = round
	}
}

func TestExtendGrowsInPlace(t *testing.T) {
	s := &slab.Slab[int]{Options: slab.Options{FirstChunk: 100}}
	v := s.Make(3)
	s.New() // New takes slots from the other end
	longer, ok := s.Extend(v, 5)
	if !ok || len(longer) != 3 || cap(longer) != 8 || &longer[0] != &v[0] {
		t.Fatalf("Extend gave len %d, cap %d, %v", len(longer), cap(longer), ok)
	}
	if _, ok := s.Extend(v, 1); ok {
		t.Error("a slice whose end is no longer the last one grew")
	}
	if _, ok := s.Extend(longer, 92); ok {
		t.Error("a slice grew into what New had handed out")
	}
	if _, ok := s.Extend(longer, 91); !ok || s.Len() != 100 {
		t.Errorf("the last free slots were refused; Len = %d", s.Len())
	}
	if got := panicOf(func() { s.Extend(longer, -1) }); got != "slab.Slab.Extend: negative count -1" {
		t.Error(got)
	}
}

func TestCheckedBuildsCatchWritesAfterRewind(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, take := range map[string]func(*slab.Slab[node]){
		"New": func(s *slab.Slab[node]) { s.New() }, "Make": func(s *slab.Slab[node]) { s.Make(64) },
	} {
		s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 64}}
		m := s.Mark()
		stale := s.New()
		s.Rewind(m)        // the panic names this line
		stale.left = stale //coppice:ignore stalevalue it wants the panic
		got := panicOf(func() { take(s) })
		if ok, _ := regexp.MatchString(`^slab\.Slab\.`+name+`: a slab_test\.node was written after the Rewind at .*mark_test\.go:\d+`, got); !ok {
			t.Errorf("%s after a write through a stale pointer said %q", name, got)
		}
	}
}
