package flow

import "golang.org/x/tools/go/ssa"

// Given returns the claims on a value that a call into the library returned, either as its only
// result or as one of several.
func Given(s *State, v ssa.Value) []Claim {
	made, index := v, 0
	if part, ok := v.(*ssa.Extract); ok {
		made, index = part.Tuple, part.Index
	}
	call, ok := made.(*ssa.Call)
	if !ok {
		return nil
	}
	known, ok := Known(call.Common())
	if !ok {
		return givenThrough(s, v)
	}
	effect := Effects[known.Key()]
	if index >= len(effect.Gives) || effect.Gives[index] == Nothing || made == v && len(effect.Gives) > 1 {
		return nil
	}
	kind := effect.Gives[index]
	names := map[ssa.Value]bool{nil: true}
	switch {
	case effect.Named:
		names = Names(s, known.Args[0])
	case effect.OneNew && kind != Memory:
		names = map[ssa.Value]bool{v: true}
	case effect.OneNew:
		if name := sibling(call, 0); name != nil {
			names = map[ssa.Value]bool{name: true}
		}
	}
	var all []Claim
	for _, owner := range known.Owners() {
		owner = s.program.Settle(owner)
		if owner.isNil() {
			continue // a nil Arena allocates on the Go heap
		}
		for name := range names {
			all = append(all, Claim{Owner: owner, Kind: kind, Birth: v, Of: name})
		}
	}
	return all
}

// givenThrough returns the claims on the result of a function of this package that takes the result
// from an arena, slab or store of its caller.
func givenThrough(s *State, v ssa.Value) (all []Claim) {
	for _, cut := range s.program.Cuts(v) {
		if cut.Library {
			all = append(all, Claim{Owner: cut.Owner, Kind: Memory, Birth: v})
		}
	}
	return all
}

// Names returns the refs or handles that v may be. If the same ref or handle was loaded from memory
// twice, the result contains both loaded values.
func Names(s *State, v ssa.Value) map[ssa.Value]bool {
	all := map[ssa.Value]bool{}
	for c := range s.Claims(v) {
		if c.Of != nil {
			all[c.Of] = true
		}
	}
	if len(all) == 0 {
		all[v] = true
	}
	return all
}

// sibling returns the i-th result of a call, or nil if the result is unused.
func sibling(call *ssa.Call, i int) ssa.Value {
	for _, user := range *call.Referrers() {
		if part, ok := user.(*ssa.Extract); ok && part.Index == i {
			return part
		}
	}
	return nil
}
