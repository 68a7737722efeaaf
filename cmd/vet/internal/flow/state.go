package flow

import (
	"go/types"
	"iter"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Claim records that a value belongs to an owner. The zero Claim records that the owner is
// unknown.
type Claim struct {
	Owner Path
	Kind  Kind
	Birth ssa.Value       // the value at which the claim began
	Via   Path            // the part of the owner whose memory it is, if the owner has other parts
	Of    ssa.Value       // the name of the record that it belongs to; nil if unknown
	End   ssa.Instruction // the instruction that made it stale; nil while it is valid
}

// A place is a value, a field of a struct value, or the contents of memory.
type place struct {
	Path
	inside bool // the contents of the memory at Path
}

func valueOf(v ssa.Value) place { return place{Path: Path{Root: v}} }

func contentsOf(p Path) place { return place{p, true} }

// A State contains the claims that may hold at one point of a function. An ended claim has
// conditions, all of which are true whenever the claim holds at this point.
type State struct {
	claims map[place]map[Claim]conditions
	path   conditions // true on every path to this point

	program *Program
	memory  *memory
}

func newState(p *Program, fn *ssa.Function) *State {
	return &State{claims: map[place]map[Claim]conditions{}, path: conditions{}, program: p, memory: newMemory(fn)}
}

// Claims yields the claims on a value and, if the value is a struct, on its fields.
func (s *State) Claims(v ssa.Value) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		for _, p := range s.parts(valueOf(v), v.Type()) {
			if !lists(p.steps) && !yield(p.claim) {
				return
			}
		}
	}
}

// Contents yields the claims on the contents of the memory to which the steps lead from the target
// of v, and on the fields in that memory. Each claim is yielded with the steps from the memory to
// the field.
func (s *State) Contents(v ssa.Value, steps string) iter.Seq2[string, Claim] {
	p := memoryAt(base(v))
	p.Steps += steps
	return func(yield func(string, Claim) bool) {
		for where, claims := range s.claims {
			steps, below := where.within(p)
			if !where.inside || !below || strings.Contains(steps, "*") {
				continue
			}
			for c := range claims {
				if !yield(steps, c) {
					return
				}
			}
		}
	}
}

// A part is a claim on a value, or on the field or the elements to which the steps lead.
type part struct {
	steps string
	claim Claim
	when  conditions
}

// parts returns the claims on a place that contains a value of type t, and on its fields or
// elements.
func (s *State) parts(at place, t types.Type) (all []part) {
	for c, when := range s.claims[at] {
		all = append(all, part{"", c, when})
	}
	if isSlice(t) {
		for c, when := range s.claims[place{Path{at.Root, at.Steps + elements}, at.inside}] {
			all = append(all, part{elements, c, when})
		}
	}
	if !isStruct(t) {
		return all
	}
	for where, claims := range s.claims {
		steps, below := where.within(at.Path)
		if where.inside != at.inside || !below || steps == "" || strings.Contains(steps, "*") {
			continue
		}
		for c, when := range claims {
			all = append(all, part{steps, c, when})
		}
	}
	return all
}

// Finish passes each claim that has not ended to the function which, and ends the claim if the
// result is true. The argument at is the instruction that ends these claims.
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
func (s *State) Add(v ssa.Value, c Claim) { s.add(valueOf(v), c, s.path) }

func (s *State) add(where place, c Claim, when conditions) {
	if s.claims[where] == nil {
		s.claims[where] = map[Claim]conditions{}
	}
	if c.End == nil {
		when = nil // only what has ended can be ruled out by a condition
	}
	s.claims[where][c] = maps.Clone(when)
}

// Forget passes each claim that has not ended to the function which, and removes the claim if the
// result is true. The owner of the value is unknown afterwards.
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

// redefine prepares v for a new value, which may differ from its value in the previous iteration of
// a loop. It removes all claims and conditions that depend on the old value.
func (s *State) redefine(v ssa.Value) {
	s.path.drop(v)
	for where, claims := range s.claims {
		if where.Root == v {
			delete(s.claims, where)
			continue
		}
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

// assigned forgets the claims whose owner is at or below a path, because the path was assigned to.
// A value that is its own owner keeps its claims, because it is still the same object.
func (s *State) assigned(p Path) {
	s.Forget(func(c Claim) bool {
		_, via := c.Via.within(p)
		steps, below := c.Owner.within(p)
		return via || below && (steps != "" || c.Kind != Whole)
	})
}

// called forgets the claims whose owner an unknown function may have replaced because it can reach
// a pointer to the owner, through its arguments or otherwise.
func (s *State) called(call ssa.CallInstruction) {
	given, away := reachedBy(call.Common(), PathOf), elsewhere(call)
	s.Forget(func(c Claim) bool {
		switch c.Owner.Root.(type) {
		case *ssa.Global, *ssa.Alloc, *ssa.FreeVar:
			if indirect(c.Owner.Steps) {
				return true
			}
		}
		for _, p := range given {
			steps, via := c.Via.within(p)
			if p.replaceable(c.Owner) || via && (steps != "" || !away) {
				return true
			}
		}
		return false
	})
}

func (s *State) clone() *State {
	copied := &State{
		claims: make(map[place]map[Claim]conditions, len(s.claims)),
		path:   maps.Clone(s.path), program: s.program, memory: s.memory,
	}
	for where, claims := range s.claims {
		for c, when := range claims {
			copied.add(where, c, when)
		}
	}
	return copied
}

// merge adds the claims of another state, which is reached on a different path to the same point.
// It reports whether s has changed.
func (s *State) merge(other *State) (news bool) {
	news = s.path.keep(other.path)
	for where := range s.claims {
		if where.inside && len(other.claims[where]) == 0 {
			news = s.unknown(where) || news
		}
	}
	for where, claims := range other.claims {
		if where.inside && len(s.claims[where]) == 0 && len(claims) > 0 {
			news = s.unknown(where) || news
		}
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

// unknown adds the zero Claim to the contents of memory on which only one of two merged states has
// claims. It ignores local variables, because such a variable has not been assigned on the other
// path. It reports whether the claim is new.
func (s *State) unknown(where place) bool {
	if _, local := where.Root.(*ssa.Alloc); local && where.Steps == "" {
		return false
	}
	if _, known := s.claims[where][Claim{}]; known {
		return false
	}
	s.add(where, Claim{}, s.path)
	return true
}
