package reach

import (
	"go/ast"
	"go/types"
	"slices"
)

// elements notes what lists get as elements by a call: of append, or of a function of another module or by a value that may put it anywhere.
func (o *origins) elements(info *types.Info, call *ast.CallExpr) {
	fn := callee(info, call)
	of, builtin := fn.(*types.Builtin)
	declared, isFunc := fn.(*types.Func)
	switch {
	case info.Types[call.Fun].IsType() || builtin && (of.Name() != "append" || call.Ellipsis.IsValid()):
	case builtin:
		for _, e := range call.Args[1:] {
			o.giveElement(info, info.TypeOf(call.Args[0]), e)
		}
	case !isFunc || declared.Signature().TypeParams().Len() > 0 || declared.Signature().RecvTypeParams().Len() > 0:
		for _, e := range call.Args {
			if t := info.TypeOf(e); t != nil && isList(t) {
				o.giveElement(info, types.NewSlice(t), e)
				o.giveElement(info, types.NewMap(types.Typ[types.Int], t), e)
			}
		}
		if isFunc {
			o.moves(info, call)
		}
	}
}

// moves notes what the result of a generic function of another module, and lists and maps that it gets, may have from a sequence: the values of
// a map become the elements of a list (slices.Collect(maps.Values(m))).
func (o *origins) moves(info *types.Info, call *ast.CallExpr) {
	all := call.Args
	if !slices.ContainsFunc(all, func(e ast.Expr) bool { _, is := typeOf(info, e).(*types.Signature); return is }) {
		return
	}
	for _, e := range append([]ast.Expr{call}, all...) {
		if elem := elementOf(info.TypeOf(e)); elem != nil && isList(elem) {
			o.foreign[elementName(info.TypeOf(e), elem)] = true
		}
	}
}

// giveElement notes what becomes an element of a list, an array or a map.
func (o *origins) giveElement(info *types.Info, of types.Type, e ast.Expr) {
	if elem := elementOf(of); elem != nil && isList(elem) {
		o.give(info, elementName(of, elem), e)
	}
}

// elementOf is the type of the elements of a list, an array, a pointer to one, or a map, and of what another pointer points to; nil for others.
func elementOf(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Pointer:
		if array, ok := t.Elem().Underlying().(*types.Array); ok {
			return array.Elem()
		}
		return t.Elem()
	}
	return nil
}

// isElement tells an element of what has the name: m[k] = append(m[k], x).
func (o *origins) isElement(info *types.Info, e ast.Expr, name origin) bool {
	of := container(info, e)
	elem := elementOf(of)
	return elem != nil && elementName(of, elem) == name
}

// container is the type of the list, the array, the map or the pointer of which an expression is an element; nil if it is none.
func container(info *types.Info, e ast.Expr) types.Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return info.TypeOf(e.X)
	case *ast.StarExpr:
		return info.TypeOf(e.X)
	}
	return nil
}

// elementName is the name of the elements of all maps, or of all lists and arrays, with elements of a type, or of all that pointers to a type
// point to; those of any type if elem is nil.
func elementName(of, elem types.Type) origin {
	name := "elements "
	switch of := of.Underlying().(type) {
	case *types.Map:
		name = "values "
	case *types.Pointer:
		if _, array := of.Elem().Underlying().(*types.Array); !array {
			name = "targets "
		}
	}
	if elem == nil || hasParameter(elem) {
		return name + anySlice
	}
	return name + typeKey(elem.Underlying())
}
