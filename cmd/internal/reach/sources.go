package reach

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A sourcing searches for the values that the module assigns to a field of an interface type.
type sourcing struct {
	*Module
	asked map[ssa.Value]bool
	keys  map[typekey.Field]bool
	found []ssa.Value
}

// sourcesOf returns the values that the module assigns to a field of an interface type, before
// their conversion to the interface. known is false if not all of these values can be traced. When
// a whole struct is copied, the field need not be traced: its value comes from the same field of
// another struct.
func (m *Module) sourcesOf(structure types.Type, field int) (all []ssa.Value, known bool) {
	s := &sourcing{m, map[ssa.Value]bool{}, map[typekey.Field]bool{}, nil}
	known = s.field(structure, field)
	return s.found, known
}

// field inspects all values that are stored in a field of a struct, including stores through
// pointers to the struct. It reports whether all of them are known.
func (s *sourcing) field(structure types.Type, field int) bool {
	key := typekey.OfField(s.fset, structure, field)
	if s.keys[key] {
		return true
	}
	s.keys[key] = true
	if p, ok := structure.Underlying().(*types.Pointer); ok {
		structure = p.Elem()
	}
	if !s.own[pathOf(structure.Underlying().(*types.Struct).Field(field))] || s.recast[key.Type] {
		return false // another module fills it, or it is converted from a struct of another type
	}
	for _, at := range s.fields[key] {
		place, ok := at.(*ssa.FieldAddr)
		if !ok {
			continue // it reads a copy
		}
		for _, use := range uses(place) {
			switch use := use.(type) {
			case *ssa.Store:
				if use.Addr != place || !s.value(use.Val) {
					return false
				}
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return false // its address goes elsewhere
			}
		}
	}
	return true
}

// value traces a value to its sources. It reports whether all sources are known.
func (s *sourcing) value(v ssa.Value) bool {
	if s.asked[v] {
		return true
	}
	s.asked[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return true // nil
	case *ssa.MakeInterface:
		s.found = append(s.found, v.X)
		return true
	case *ssa.ChangeInterface:
		return s.value(v.X)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !s.value(e) {
				return false
			}
		}
		return true
	case *ssa.Call:
		return s.result(v, 0)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && s.result(call, v.Index)
	case *ssa.UnOp:
		return v.Op == token.MUL && s.loaded(v.X)
	}
	return false
}

// loaded inspects the values that are stored in a variable or a field. It reports whether all of
// them are known.
func (s *sourcing) loaded(place ssa.Value) bool {
	switch place := place.(type) {
	case *ssa.FieldAddr:
		return s.field(place.X.Type(), place.Field)
	case *ssa.Alloc:
		for _, store := range allStores(place) {
			if store == nil || !s.value(store.Val) {
				return false
			}
		}
		return true
	}
	return false
}

// result inspects the values that a function of the module returns. It reports whether all of them
// are known.
func (s *sourcing) result(call *ssa.Call, index int) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn = s.body(fn); fn == nil {
		return false
	}
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !s.value(r.Results[index]) {
			return false
		}
	}
	return true
}
