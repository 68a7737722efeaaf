package rewrite

import (
	"go/types"
	"slices"
)

// LeadsOn reports whether a value of the type may point to values that contain pointers themselves.
// Such values must not share a chunk with the values of a different result. A chunk may contain the
// last values of one result and the first values of the next one. If these values lead to the rest
// of their results, as the last node of a tree points to the rest of the tree, the chunk keeps the
// first result alive as long as the second. The next chunk keeps the second alive as long as the
// third, and so on, so nothing is ever collected. LeadsOn returns false for a string and for a list
// of numbers.
func LeadsOn(t types.Type) bool {
	return anywhere(t, nil, func(to types.Type) bool {
		return to == nil || anywhere(to, nil, func(types.Type) bool { return true })
	})
}

// anywhere reports whether found returns true for the target type of any pointer in a value of the
// type. For a pointer that may point to a value of any type, anywhere passes nil to found.
func anywhere(t types.Type, above []types.Type, found func(to types.Type) bool) bool {
	if slices.Contains(above, t) {
		return false
	}
	above = append(slices.Clone(above), t)
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return found(types.Typ[types.Byte])
		case t.Kind() == types.UnsafePointer:
			return found(nil)
		}
		return false
	case *types.Pointer:
		return found(t.Elem())
	case *types.Slice:
		return found(t.Elem())
	case *types.Array:
		return anywhere(t.Elem(), above, found)
	case *types.Struct:
		for field := range t.Fields() {
			if anywhere(field.Type(), above, found) {
				return true
			}
		}
		return false
	default: // maps, channels, functions, interfaces
		return found(nil)
	}
}
