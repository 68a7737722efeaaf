package keeps

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// After the call, the callers pass parts of the result to functions and methods of the module, as
// in n.Depth(). Packages such as encoding/json call such methods, too. The function or method may
// store a value in a package variable, and the caller cannot detect this. Callers are responsible
// only for the values that they store in their own objects.

// searchAfter searches for memory that may be stored in a package variable after the caller has
// received a result. It assumes that a result contains any value of a type that comes from the
// arena. It returns the search, and reports whether the search finished within its limit.
func (f *Functions) searchAfter(made map[Memory]bool) (*search, bool) {
	s := newSearch(f)
	s.theirs, s.had, s.put = &place{kind: theirs, typ: types.Typ[types.Invalid]}, &node{}, &node{}
	s.makeResults(made)
	for _, fn := range f.callable(s.homes()) {
		if slices.ContainsFunc(fn.Params, func(v *ssa.Parameter) bool { return s.mayHave(v.Type()) }) {
			for _, param := range fn.Params {
				s.fromTheirs(s.placeOf(param))
			}
			s.enter(s.functionPlace(fn))
		}
	}
	for len(s.unseen) > 0 {
		fn := s.unseen[0]
		s.unseen = s.unseen[1:]
		if s.body(fn); !s.solve(mostSteps) {
			return s, false
		}
	}
	return s, true
}

// homes returns the package of the function, and the packages of the module that declare types in a
// result.
func (s *search) homes() map[string]bool {
	all := map[string]bool{s.root.PkgPath: true}
	for p := range s.had.has {
		if n, ok := types.Unalias(p.typ).(*types.Named); ok && n.Obj().Pkg() != nil && s.own[n.Obj().Pkg().Path()] {
			all[n.Obj().Pkg().Path()] = true
		}
	}
	return all
}

// callable returns the functions of the given packages that other packages may call, by name or
// through an interface.
func (f *Functions) callable(packages map[string]bool) (all []*ssa.Function) {
	for fn := range ssautil.AllFunctions(f.prog) {
		if fn.Parent() == nil && token.IsExported(fn.Name()) && f.hasBody(fn) && packages[packageOf(fn)] {
			all = append(all, fn)
		}
	}
	sortByPlace(all)
	return all
}

// makeResults creates a place for each kind of memory that comes from the arena. The pointers in
// these places may point to any of the places that fit the pointers' types.
func (s *search) makeResults(made map[Memory]bool) {
	done := map[Memory]bool{}
	var values []*place
	add := func(m Memory, p *place) {
		if !made[m] || done[m] {
			return
		}
		done[m] = true
		values = append(values, p)
		s.add(s.had, p)
	}
	for fn := range ssautil.AllFunctions(s.prog) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				v, ok := i.(ssa.Value)
				if !ok || v.Type() == nil {
					continue
				}
				switch t := v.Type().Underlying().(type) {
				case *types.Pointer:
					add(ValueOf(t.Elem()), newPlace(t.Elem()))
				case *types.Slice:
					add(ListOf(t.Elem()), listPlace(t.Elem()).part(element))
				}
			}
		}
	}
	for _, p := range slices.Clone(values) { // interfaces may contain the values, or pointers to them
		for _, t := range []types.Type{p.typ, types.NewPointer(p.typ)} {
			b := box(t)
			values = append(values, b.part(0))
			s.add(s.had, b)
		}
	}
	for _, p := range values {
		s.fromTheirs(p)
	}
}

// mayHave reports whether a parameter of type t may contain a part of a result.
func (s *search) mayHave(t types.Type) (found bool) {
	leaves(newPlace(t), func(leaf *place) {
		if types.Identical(leaf.typ.Underlying(), anything) { // a caller that stores a result in a value of type any is responsible for it
			return
		}
		for p := range s.had.has {
			found = found || p.fits(leaf.typ)
		}
	})
	return found
}
