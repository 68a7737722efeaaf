package keeps

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
)

// Where analyzes the functions that run during a call to the given function. The result why states,
// with a position, how a pointer to arena memory may escape. It is "" if none may escape. The
// result out contains the kinds of memory that may escape. If out is empty but why is not, the
// kinds are unknown. The owner is in out only if a pointer to the whole owner may be kept. A
// pointer to one of the owner's fields gives no access to the arena.
func (f *Functions) Where(function string, made map[Memory]bool, owner types.Type) (why string, out map[Memory]string) {
	defer func() {
		if p := recover(); p != nil { // a panic of package ssa, or an instruction that the method look does not handle
			why, out = fmt.Sprintf("the functions cannot be analyzed: %v", p), nil
		}
	}()
	made = maps.Clone(made)
	own := ValueOf(owner)
	delete(made, own) // other memory with the owner in it does not come from the arena
	root := f.prog.Package(f.root.Types).Func(function)
	if root == nil {
		return "the function does not exist", nil
	}
	s := newSearch(f)
	for _, param := range root.Params {
		s.fromOutside(s.placeOf(param))
	}
	s.enter(s.functionPlace(root))
	s.called(s.resultsOf(root))
	for len(s.unseen) > 0 {
		fn := s.unseen[0]
		s.unseen = s.unseen[1:]
		if s.body(fn); !s.solve(mostSteps) {
			return tooLarge, nil
		}
	}
	if s.never != "" {
		return s.never, nil
	}
	out = map[Memory]string{}
	why = s.wayOut("code outside may hold it after Reset: ", made, out, own)
	after, known := f.searchAfter(made)
	if !known {
		return tooLarge, nil
	}
	return cmp.Or(why, after.wayOut("a caller may store it in a package variable: ", made, out, own)), out
}

// wayOut adds the kinds of memory that may escape to the map out, with the reasons. It returns one
// of the reasons that it added, or "" if it added none.
func (s *search) wayOut(text string, made map[Memory]bool, out map[Memory]string, owner Memory) (why string) {
	for _, p := range s.order {
		note := func(m Memory) {
			if _, known := out[m]; !known {
				out[m] = text + s.formatPos(s.isOut[p])
				why = out[m]
			}
		}
		for m := range allocationsOf(p) {
			if made[m] {
				note(m)
			}
		}
		if p.fn == nil && contains(p.typ, owner) {
			note(owner)
		}
	}
	return why
}

const tooLarge = "the package is too large to check everything that may hold a value of a result"

// contains reports whether a value of type t contains a value whose memory is m.
func contains(t types.Type, m Memory) bool {
	if ValueOf(t) == m {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			if contains(field.Type(), m) {
				return true
			}
		}
	case *types.Array:
		return contains(u.Elem(), m)
	}
	return false
}

// called analyzes the functions that a caller may call through a result. These are the function
// values in the result, the methods that format it, and the methods that package errors calls.
func (s *search) called(results *place) {
	s.each(s.read([]*place{results}), func(p *place) {
		switch {
		case p.kind == function && s.hasBody(p.fn):
			for _, param := range p.fn.Params {
				s.fromOutside(s.placeOf(param))
			}
			s.enter(p)
		case p.kind == boxed:
			s.methods(p.part(0), errorMethods, s.fromOutside)
		}
	})
}

// allocationsOf returns the kinds of memory to which a place may belong.
func allocationsOf(p *place) map[Memory]bool {
	if p.kind != memory {
		return nil
	}
	made := map[Memory]bool{}
	for ; p != nil && p.kind == memory; p = p.within {
		if array, ok := p.typ.Underlying().(*types.Array); ok {
			made[ListOf(array.Elem())] = true
		}
		if !p.list {
			made[ValueOf(p.typ)] = true // a part, too, may be a separate allocation
		}
	}
	return made
}
