package slab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// damages contains functions that break one invariant each. The key is a part of the error that
// verify must return.
var damages = map[string]func(s *Slab[int]){
	"free slots are recorded":             func(s *Slab[int]) { s.left = uint(len(s.rest)) + 1 },
	"not the end of the current chunk":    func(s *Slab[int]) { s.rest = make([]int, len(s.rest)) },
	"lost slots are recorded":             func(s *Slab[int]) { s.passed++ },
	"out of order; the most likely":       func(s *Slab[int]) { s.kept = append(s.kept, erase(make([]int, 2)), erase(make([]int, 1))); s.held += 3 },
	"slots are recorded in chunks of":     func(s *Slab[int]) { s.held-- },
	"is listed twice":                     func(s *Slab[int]) { s.kept = append(s.kept, erase(s.chunk)); s.held += len(s.chunk) },
	"Mark 1 of 2 is out of order":         func(s *Slab[int]) { s.marks[1].serial = s.marks[0].serial },
	"Mark 1 of 2 counts other slots than": func(s *Slab[int]) { s.marks[1].passed-- },
}

// damaged returns a slab with used chunks, free chunks and two Marks, after a call of damage. It
// also returns the Mark of the start of the phase.
func damaged(damage func(s *Slab[int])) (*Slab[int], Mark) {
	s := &Slab[int]{Options: Options{FirstChunk: 10}}
	for range 3 {
		s.Make(15)
		s.Make(30)
		s.Make(60)
		s.Reset()
	}
	first := s.Mark()
	s.New()
	s.Mark()
	s.Make(50)
	s.Make(15)
	s.Mark()
	damage(s)
	return s, first
}

func TestVerifyNotices(t *testing.T) {
	if s, _ := damaged(func(*Slab[int]) {}); s.core().verify() != nil {
		t.Fatalf("of a sound slab: %v", s.core().verify())
	}
	for want, damage := range damages {
		if damage == nil {
			continue
		}
		s, _ := damaged(damage)
		if err := s.core().verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("verify says %v, want %q", err, want)
		}
	}
}

// Checked builds verify the invariants in these methods where that takes constant time.
func TestCheckedBuildsVerify(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, use := range map[string]func(s *Slab[int], m Mark){
		"Reset":   func(s *Slab[int], _ Mark) { s.Reset() },
		"Release": func(s *Slab[int], _ Mark) { s.Release() },
		"Rewind": func(s *Slab[int], m Mark) {
			for range 10 {
				s.Rewind(m)
			}
		},
		"New": func(s *Slab[int], _ Mark) {
			for range 1000 {
				s.New()
			}
		},
		"Grow": func(s *Slab[int], _ Mark) {
			for n := range 10 {
				s.Grow(1000 << n)
			}
		},
		"Make": func(s *Slab[int], _ Mark) {
			for range 10 {
				s.Make(1000)
			}
		},
	} {
		s, m := damaged(func(s *Slab[int]) { s.held += 7 })
		if said := said(func() { use(s, m) }); !strings.HasPrefix(said, "slab.Slab."+name+": ") || !strings.Contains(said, "slots are recorded in chunks of") {
			t.Errorf("%s of a broken slab said %q", name, said)
		}
	}
}

// Checked builds detect a write through a stale pointer when the slot is reused, however many
// phases later.
func TestCheckedBuildsFindLateWrites(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, use := range map[string]func(s *Slab[int]){
		"New":  func(s *Slab[int]) { s.New() },
		"Make": func(s *Slab[int]) { s.Make(8) },
	} {
		s := &Slab[int]{Options: Options{FirstChunk: 8, MaxChunk: 8}}
		stale := s.Make(8)
		for range 3 {
			s.Reset()
		}
		stale[7] = 1 //coppice:ignore stalevalue the write that must be found
		if said := said(func() { use(s) }); said != "slab.Slab."+name+": a int was written before it was handed out, most likely through a pointer or slice obtained before a Reset" {
			t.Errorf("%s said %q", name, said)
		}
	}
}

// said calls f, and returns its panic message.
func said(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}
