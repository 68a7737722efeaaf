package slab_test

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// Slots that Rewind took back are zero when they are reused, whether New or Make allocated them,
// and whether they are in the chunk at the Mark or in a later one.
func TestRewoundSlotsAreZero(t *testing.T) {
	for name, take := range map[string]func(s *slab.Slab[node]) []node{
		"New":          func(s *slab.Slab[node]) []node { return nil },
		"Make":         func(s *slab.Slab[node]) []node { return s.Make(5) },
		"many Make":    func(s *slab.Slab[node]) []node { s.Make(60); s.Make(70); return s.Make(80) },
		"a large Make": func(s *slab.Slab[node]) []node { return s.Make(1000) },
	} {
		s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100}}
		held, made := s.New(), s.Make(3)
		held.left, made[0].left, made[2].right = held, held, held
		m := s.Mark()
		for _, counts := range [][]int{{1, 30}, {1, 30, 200}, {2}, {400}} { // in the chunk at the Mark, and beyond
			for _, n := range counts {
				for range n {
					p := s.New()
					p.left, p.right = p, p
				}
				row := take(s)
				for i := range row {
					row[i].left = &row[i]
				}
			}
			s.Rewind(m)
			for i := range 2000 {
				if p := s.New(); *p != (node{}) {
					t.Fatalf("%s: value %d after Rewind is %v", name, i, *p)
				}
			}
			s.Rewind(m)
			for i, n := range s.Make(90) {
				if n != (node{}) {
					t.Fatalf("%s: element %d after Rewind is %v", name, i, n)
				}
			}
			s.Rewind(m)
		}
		if held.left != held || made[0].left != held || made[2].right != held || s.Len() != 4 {
			t.Errorf("%s: Rewind touched what was handed out before the Mark", name)
		}
	}
}

// Make uses the longest free chunk, even if a Rewind has just freed several.
func TestRewoundChunksAreFound(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100}}
	start := s.Mark()
	s.Make(1000)
	s.Make(50)
	s.Rewind(start)
	before := s.Cap()
	s.Make(1000)
	if s.Cap() != before {
		t.Errorf("Make took a new chunk although one of 1000 slots waits; Cap was %d and is %d", before, s.Cap())
	}
}

// Reset keeps the memory that the phase needed at its peak, even if a Rewind took back values
// before the end of the phase.
func TestResetKeepsForTheHeightOfAPhase(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds remember the place of every Reset")
	}
	var s slab.Slab[node]
	phase := func() {
		m := s.Mark()
		for range 5000 {
			s.New()
		}
		s.Rewind(m)
		s.Reset()
	}
	for range 4 {
		phase()
	}
	if allocs := testing.AllocsPerRun(100, phase); allocs != 0 {
		t.Errorf("a phase like the ones before costs %v allocations", allocs)
	}
}

// Marks without an allocation between them are equal and are stored once. Otherwise, a loop that
// only makes Marks would use more and more memory.
func TestOneMomentIsOneMark(t *testing.T) {
	var s slab.Slab[node]
	s.New()
	m := s.Mark()
	if again := s.Mark(); again != m {
		t.Errorf("a second Mark of the same moment is %v, the first %v", again, m)
	}
	s.New()
	if later := s.Mark(); later == m {
		t.Error("a Mark after New is the one before it")
	}
}

// Marks of earlier phases keep no memory alive.
func TestForgottenMarksHoldNothing(t *testing.T) {
	var s slab.Slab[node]
	before := heapBytes()
	values := 1 << 20
	if checks.Enabled { // every Reset checks all quarantined slots
		values = 1 << 18
	}
	for range 4 {
		s.Grow(values)
		s.New()
		s.Mark()
	}
	for range 66 { // so that no large phase affects what Reset keeps
		s.Reset()
		s.New()
	}
	if kept := heapBytes() - before; kept > 4<<20 { // each chunk has 8 MiB or more, 2 in checked builds
		t.Errorf("%d bytes kept after small phases", kept)
	}
	runtime.KeepAlive(&s)
}

// Checked builds detect a write after a Rewind to the chunk at the Mark even if the next call is
// Make or Extend.
func TestCheckedBuildsCatchWritesBeforeMake(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, take := range map[string]func(s *slab.Slab[node], v []node){
		"Make":   func(s *slab.Slab[node], _ []node) { s.Make(2) },
		"Extend": func(s *slab.Slab[node], v []node) { s.Extend(v, 2) },
	} {
		var s slab.Slab[node]
		v := s.Make(1)
		m := s.Mark()
		stale := s.Make(2)
		s.Rewind(m)
		stale[1].left = &stale[1] //coppice:ignore stalevalue it wants the panic
		got := panicOf(func() { take(&s, v) })
		if ok, _ := regexp.MatchString(`^slab\.Slab\.`+name+`: a slab_test\.node was written after the Rewind at .*rewind_test\.go:\d+`, got); !ok {
			t.Errorf("%s after a write through a stale slice said %q", name, got)
		}
	}
}
