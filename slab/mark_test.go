package slab_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

func TestRewindTakesBackWhatCameAfterTheMark(t *testing.T) {
	s := slab.New[node](slab.Options{First: 10, Max: 10})
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
	s.Rewind(slab.Mark{})
	if s.Len() != 0 || *s.New() != (node{}) {
		t.Error("the zero Mark is not the start of the phase")
	}
}

// Values of no size all have one address, chunks of them too.
func TestRewindOfValuesWithoutSize(t *testing.T) {
	for at := range 20 {
		s := slab.New[struct{}](slab.Options{First: 8, Max: 8})
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

// What a Rewind took back and nobody was handed since is looked at before Reset and Release.
func TestCheckedBuildsRememberARewind(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, end := range map[string]func(*slab.Slab[node]){
		"Reset": (*slab.Slab[node]).Reset, "Release": (*slab.Slab[node]).Release,
	} {
		for _, before := range []int{0, 1} {
			s := slab.New[node](slab.Options{First: 8})
			s.Make(before)
			m := s.Mark()
			stale := s.New()
			s.Rewind(m)        // the place that the panic names
			stale.left = stale //coppice:ignore stalevalue it wants the panic
			got := panicOf(func() { end(s) })
			if ok, _ := regexp.MatchString(`^slab\.`+name+`: a slab_test\.node was written after the Rewind at .*mark_test\.go:\d+`, got); !ok {
				t.Errorf("%s after %d values and a write after a Rewind said %q", name, before, got)
			}
		}
	}
}

// A loop of Mark and Rewind must not collect Marks, nor chunks.
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

func TestStaleMarksPanic(t *testing.T) {
	var s, other slab.Slab[node]
	s.New()
	other.New()
	early := s.Mark()
	s.New()
	late := s.Mark()
	foreign := other.Mark()
	ended := func(end func(*slab.Slab[node])) {
		var s slab.Slab[node]
		s.New()
		m := s.Mark()
		end(&s)
		s.New()
		s.Rewind(m)
	}
	s.Rewind(early)
	s.New()
	s.Mark()
	for name, f := range map[string]func(){
		"rewound beyond":  func() { s.Rewind(late) },
		"of another slab": func() { s.Rewind(foreign) },
		"after Reset":     func() { ended((*slab.Slab[node]).Reset) },
		"after Release":   func() { ended((*slab.Slab[node]).Release) },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, "slab.Rewind: the Mark is not one of this phase") {
			t.Errorf("a Mark %s: %s", name, got)
		}
	}
	s.Rewind(early)
	if s.Len() != 1 {
		t.Errorf("Len = %d: the slab is unusable after a panic", s.Len())
	}
}

func TestExtendGrowsInPlace(t *testing.T) {
	s := slab.New[int](slab.Options{First: 100})
	v := s.Make(3)
	s.New() // comes from the other end
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
	if got := panicOf(func() { s.Extend(longer, -1) }); got != "slab.Extend: negative count -1" {
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
		s := slab.New[node](slab.Options{First: 64})
		m := s.Mark()
		stale := s.New()
		s.Rewind(m)        // the place that the panic names
		stale.left = stale //coppice:ignore stalevalue it wants the panic
		got := panicOf(func() { take(s) })
		if ok, _ := regexp.MatchString(`^slab\.`+name+`: a slab_test\.node was written after the Rewind at .*mark_test\.go:\d+`, got); !ok {
			t.Errorf("%s after a write through a stale pointer said %q", name, got)
		}
	}
}
