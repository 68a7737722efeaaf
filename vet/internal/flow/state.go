package flow

import (
	"iter"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Claim says that a value belongs to an owner. The zero Claim says that it may be
// anybody's.
type Claim struct {
	Owner Path
	Kind  Kind
	Birth ssa.Value       // what made it
	Of    ssa.Value       // the name of the record that it belongs to; nil if none is known
	End   ssa.Instruction // what made it stale; nil as long as it is good
}

// A place is a value, or what is inside of a local variable that lies in memory.
type place struct {
	value  ssa.Value
	inside bool
}

// A State is the claims that may hold at one place of a function, each with the
// conditions that are known to be true there if it holds.
type State struct {
	claims map[place]map[Claim]conditions
	path   conditions // true whenever control comes here
}

func newState() *State { return &State{claims: map[place]map[Claim]conditions{}, path: conditions{}} }

// Claims yields the claims on a value.
func (s *State) Claims(v ssa.Value) iter.Seq[Claim] { return maps.Keys(s.claims[place{value: v}]) }

// Finish ends the claims for which which returns true, because of the instruction at.
func (s *State) Finish(at ssa.Instruction, which func(Claim) bool) {
	for where, claims := range s.claims {
		for c := range claims {
			if c.End == nil && c != (Claim{}) && which(c) {
				delete(claims, c)
				c.End = at
				s.add(where, c, s.path)
			}
		}
	}
}

// Add adds a claim on a value.
func (s *State) Add(v ssa.Value, c Claim) { s.add(place{value: v}, c, s.path) }

func (s *State) add(where place, c Claim, when conditions) {
	if s.claims[where] == nil {
		s.claims[where] = map[Claim]conditions{}
	}
	s.claims[where][c] = maps.Clone(when)
}

// Forget removes the claims for which which returns true: nothing is known of such
// values any more.
func (s *State) Forget(which func(Claim) bool) {
	for where, claims := range s.claims {
		for c := range claims {
			if c.End == nil && c != (Claim{}) && which(c) {
				delete(claims, c)
				s.add(where, Claim{}, s.path)
			}
		}
	}
}

// copyClaims gives one place the claims on another, and no others.
func (s *State) copyClaims(to, from place) {
	delete(s.claims, to)
	for c, when := range s.claims[from] {
		s.add(to, c, when)
	}
}

// redefine prepares for v to get a value, perhaps another one than the last time round a
// loop: what was known of the old one, or with its help, is gone.
func (s *State) redefine(v ssa.Value) {
	delete(s.claims, place{value: v})
	delete(s.claims, place{v, true})
	s.path.drop(v)
	for where, claims := range s.claims {
		for c, when := range claims {
			when.drop(v)
			switch {
			case c.End == nil && c.Owner.Root == v:
				delete(claims, c)
				s.add(where, Claim{}, when)
			case c.End == nil && c.Of == v:
				delete(claims, c)
				c.Of = nil
				s.add(where, c, when)
			}
		}
	}
}

// assigned forgets what belongs to objects at or behind a place that was assigned to.
func (s *State) assigned(p Path) {
	s.Forget(func(c Claim) bool {
		return c.Owner.Root == p.Root && strings.HasPrefix(c.Owner.Steps, p.Steps)
	})
}

// called forgets what belongs to objects that an unknown function may have replaced: it
// was given a way to a pointer to them, or may have one itself.
func (s *State) called(common *ssa.CallCommon) {
	var given []Path
	for _, arg := range common.Args {
		given = append(given, PathOf(arg))
	}
	if common.IsInvoke() {
		given = append(given, PathOf(common.Value))
	}
	s.Forget(func(c Claim) bool {
		switch c.Owner.Root.(type) {
		case *ssa.Global, *ssa.Alloc, *ssa.FreeVar:
			if strings.Contains(c.Owner.Steps, "*") {
				return true
			}
		}
		for _, p := range given {
			if p.replaceable(c.Owner) {
				return true
			}
		}
		return false
	})
}

func (s *State) clone() *State {
	copied := &State{claims: make(map[place]map[Claim]conditions, len(s.claims)), path: maps.Clone(s.path)}
	for where, claims := range s.claims {
		for c, when := range claims {
			copied.add(where, c, when)
		}
	}
	return copied
}

// merge adds what another way to the same place brings, and tells whether that is news.
func (s *State) merge(other *State) (news bool) {
	news = s.path.keep(other.path)
	for where, claims := range other.claims {
		for c, when := range claims {
			known, ok := s.claims[where][c]
			if !ok {
				s.add(where, c, when)
				news = true
			} else if known.keep(when) {
				news = true
			}
		}
	}
	return news
}
