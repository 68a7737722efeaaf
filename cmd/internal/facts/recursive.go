package facts

import "go/types"

// recursive reports whether a value of type t can refer to other values of type t through pointers,
// slices, arrays, maps, fields, or interfaces with methods that t or *t implements. Functions and
// channels are not followed.
func recursive(t types.Type) bool {
	start, ok := types.Unalias(t).(*types.Named)
	return ok && leadsTo(start.Underlying(), start, map[types.Type]bool{})
}

// leadsTo reports whether a value of type t can refer to a value of type target. seen contains the
// named types that were already visited.
func leadsTo(t types.Type, target *types.Named, seen map[types.Type]bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Origin() == target.Origin() {
			return true
		}
		if seen[t.Origin()] {
			return false
		}
		seen[t.Origin()] = true
		return leadsTo(t.Underlying(), target, seen)
	case *types.Pointer:
		return leadsTo(t.Elem(), target, seen)
	case *types.Slice:
		return leadsTo(t.Elem(), target, seen)
	case *types.Array:
		return leadsTo(t.Elem(), target, seen)
	case *types.Map:
		return leadsTo(t.Key(), target, seen) || leadsTo(t.Elem(), target, seen)
	case *types.Struct:
		for f := range t.Fields() {
			if leadsTo(f.Type(), target, seen) {
				return true
			}
		}
	case *types.Interface:
		return t.NumMethods() > 0 && (types.Implements(target, t) || types.Implements(types.NewPointer(target), t))
	}
	return false
}
