package reach

import (
	"go/types"
	"strings"
)

// Borrows reports whether the module uses a constant, or a type that contains an array, from
// another module that has a matching Go file. The predicate is(file) decides which files match. The
// standard library is ignored.
func (m *Module) Borrows(is func(file string) bool) bool {
	from := map[string]bool{} // modules
	seen := map[types.Type]bool{}
	for _, p := range m.loaded {
		if p.TypesInfo == nil {
			continue
		}
		for _, o := range p.TypesInfo.Uses {
			if _, constant := o.(*types.Const); constant && m.isElsewhere(pathOf(o)) {
				from[m.moduleOf[pathOf(o)]] = true
			}
		}
		for _, value := range p.TypesInfo.Types {
			m.arrays(value.Type, from, seen)
		}
	}
	for _, f := range m.others {
		if from[m.moduleOf[f.pkg]] && strings.HasSuffix(f.name, ".go") && is(f.name) {
			return true
		}
	}
	return false
}

// arrays finds the types in t that contain an array, and adds the modules that declare these types
// to the map from.
func (m *Module) arrays(t types.Type, from map[string]bool, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if n, ok := types.Unalias(t).(*types.Named); ok && m.isElsewhere(pathOf(n.Obj())) && hasArray(n) {
		from[m.moduleOf[pathOf(n.Obj())]] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		m.arrays(u.Elem(), from, seen)
	case *types.Slice:
		m.arrays(u.Elem(), from, seen)
	case *types.Array:
		m.arrays(u.Elem(), from, seen)
	case *types.Map:
		m.arrays(u.Key(), from, seen)
		m.arrays(u.Elem(), from, seen)
	case *types.Struct:
		for f := range u.Fields() {
			m.arrays(f.Type(), from, seen)
		}
	}
}

// hasArray reports whether values of type t contain an array directly, not through pointers.
func hasArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if hasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}
