package reach

import (
	"cmp"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A walk visits all types that are reachable from a type until it finds a wanted one. It visits
// elements, fields, parameters and results, exported methods, and type arguments. For types of
// other modules, it visits only the type arguments, because no other part of such a type can lead
// to a type of the module.
type walk struct {
	*Module
	hidden bool // it visits unexported fields too, as reflection does
	found  func(types.Type) bool
	seen   map[string]bool
	via    string // the method through which the type was found, as T.Method
}

// finds reports whether the walk finds a wanted type, beginning with t.
func (w *walk) finds(t types.Type) bool {
	t = types.Unalias(t)
	if t == nil || w.found(t) {
		return t != nil
	}
	switch t := t.(type) {
	case *types.Named:
		return w.inNamed(t)
	case *types.TypeParam:
		return w.finds(t.Constraint())
	case *types.Pointer:
		return w.finds(t.Elem())
	case *types.Slice:
		return w.finds(t.Elem())
	case *types.Array:
		return w.finds(t.Elem())
	case *types.Chan:
		return w.finds(t.Elem())
	case *types.Map:
		return w.finds(t.Key()) || w.finds(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if w.finds(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return w.finds(t.Params()) || w.finds(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if (w.hidden || f.Exported() || f.Embedded()) && w.finds(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		return w.inInterface(t)
	case *types.Union:
		for term := range t.Terms() {
			if w.finds(term.Type()) {
				return true
			}
		}
	}
	return false
}

// inNamed visits a declared type, unless it was visited before.
func (w *walk) inNamed(t *types.Named) bool {
	key := typekey.OfName(w.fset, t.Origin().Obj())
	if t.TypeArgs().Len() > 0 {
		key = typekey.Of(t)
	}
	if w.seen[key] {
		return false
	}
	w.seen[key] = true
	for arg := range t.TypeArgs().Types() {
		if w.finds(arg) {
			return true
		}
	}
	if !w.own[pathOf(t.Obj())] {
		return false
	}
	for method := range t.Methods() {
		if method.Exported() && w.finds(method.Signature()) {
			w.via = cmp.Or(w.via, t.Obj().Name()+"."+method.Name())
			return true
		}
	}
	if s, ok := t.Underlying().(*types.Signature); ok && !w.hidden {
		return w.finds(s.Results()) // Option func(*parser): assumes that no other module makes one
	}
	return w.finds(t.Underlying())
}

func (w *walk) inInterface(t *types.Interface) bool {
	for method := range t.Methods() {
		if (w.hidden || method.Exported()) && w.finds(method.Signature()) {
			return true
		}
	}
	for embedded := range t.EmbeddedTypes() {
		if types.IsInterface(embedded) && embedded.Underlying().(*types.Interface).IsMethodSet() {
			continue // the whole interface has its methods
		}
		if w.finds(embedded) {
			return true
		}
	}
	return false
}
