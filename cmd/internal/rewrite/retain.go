package rewrite

import (
	"go/types"
	"slices"
)

// LeadsOn reports whether a value of the type may lead to values that themselves contain
// pointers. A chunk that outlives a result may hold its last values and the first values of the
// next result. If values lead on, as the last node of a tree leads to the whole tree, this
// chunk keeps the first result alive as long as the second, the next chunk keeps the second
// alive as long as the third, and nothing is ever collected. A string or a list of numbers does
// not lead on.
func LeadsOn(t types.Type) bool {
	return anywhere(t, nil, func(to types.Type) bool {
		return to == nil || anywhere(to, nil, func(types.Type) bool { return true })
	})
}

// anywhere reports whether found is true for the target type of some pointer in a value of the
// type; nil stands for any type.
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
