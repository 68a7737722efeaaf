// Package typeset finds the types that a type parameter may stand for. The method Underlying of a
// type parameter returns an interface. Therefore a type switch on its result does not recognize a
// type parameter that is always a map, a slice or an array.
package typeset

import (
	"go/types"
	"slices"
)

// Below returns the underlying type of t. If t is a type parameter, Below returns the underlying
// types of all types that t may stand for. It may return more types than these. It returns none if
// the constraint does not restrict the types.
func Below(t types.Type) []types.Type {
	if parameter, ok := types.Unalias(t).(*types.TypeParam); ok {
		return terms(parameter.Constraint())
	}
	return []types.Type{t.Underlying()}
}

// MayBe reports whether the underlying type of t may be of the given kind, as in
// MayBe[*types.Array](t).
func MayBe[Kind types.Type](t types.Type) bool {
	below := Below(t)
	return len(below) == 0 || slices.ContainsFunc(below, func(t types.Type) bool { _, is := t.(Kind); return is })
}

// terms returns the underlying types of a constraint's terms, or none if the constraint does not
// restrict the types.
func terms(t types.Type) (all []types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Union:
		for term := range t.Terms() {
			one := terms(term.Type())
			if len(one) == 0 {
				return nil // the constraint allows any type
			}
			all = append(all, one...)
		}
		return all
	}
	constraint, ok := t.Underlying().(*types.Interface)
	if !ok {
		return []types.Type{t.Underlying()}
	}
	for embedded := range constraint.EmbeddedTypes() {
		all = append(all, terms(embedded)...)
	}
	return all
}
