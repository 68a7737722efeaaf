package flow

import (
	"iter"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Claim states that a value belongs to an owner. The zero Claim states that its owner is
// unknown.
type Claim struct {
	Owner Path
	Kind  Kind
	Birth ssa.Value       // the call that made it
	Of    ssa.Value       // the name of the record that it belongs to; nil if unknown
	End   ssa.Instruction // the instruction that made it stale; nil while it is valid
}

// A place is a value, or the contents of a local variable in memory.
type place struct {
	value  ssa.Value
	inside bool
}

// A State has the claims that may hold at one point of a function, each with the conditions that
// are true there if it holds.
type State struct {
	claims map[place]map[Claim]conditions
	path   conditions // true on every path to this point
}

func newState() *State { return &State{claims: map[place]map[Claim]conditions{}, path: conditions{}} }

// Claims yields the claims on a value.
func (s *State) Claims(v ssa.Value) iter.Seq[Claim] { return maps.Keys(s.claims[place{value: v}]) }

// Finish ends the claims for which which returns true, at the instruction at.
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

// Forget removes the claims for which which returns true: their values become unknown.
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

// copyClaims replaces the claims on one place by those on another.
func (s *State) copyClaims(to, from place) {
	delete(s.claims, to)
	for c, when := range s.claims[from] {
		s.add(to, c, when)
	}
}

// redefine prepares v for a new value, which may differ from that of the previous iteration of a
// loop. It removes all claims and conditions that depend on the old value.
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

// assigned forgets the claims of objects at or below a path that was assigned to.
func (s *State) assigned(p Path) {
	s.Forget(func(c Claim) bool {
		return c.Owner.Root == p.Root && strings.HasPrefix(c.Owner.Steps, p.Steps)
	})
}

// called forgets the claims of objects that an unknown function may have replaced, because it
// can reach a pointer to them through its arguments or otherwise.
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

// merge adds the claims from another path to the same point, and reports whether any is new.
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
