package reach

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// elements records the values that become elements of slices in a call: to append, to a variadic
// function, or to a function that may store its arguments anywhere, such as a generic function or a
// function value.
func (o *origins) elements(info *types.Info, call *ast.CallExpr) {
	switch fn := callee(info, call).(type) {
	case *types.Builtin:
		if fn.Name() == "append" && !call.Ellipsis.IsValid() {
			all := arguments(info, call)
			for _, arg := range all[1:] {
				o.giveElement(info, all[0].typ, arg.expr)
			}
		}
	case *types.Func:
		if fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0 {
			o.anywhere(info, call)
			o.moves(info, call)
		}
		if o.own[pathOf(fn)] || isDynamic(fn) {
			o.variadic(info, call)
		}
	default:
		if !info.Types[call.Fun].IsType() {
			o.anywhere(info, call)
			o.variadic(info, call)
		}
	}
}

// anywhere records the slices that are passed to a call, because the called function may store them
// as elements of other slices or maps.
func (o *origins) anywhere(info *types.Info, call *ast.CallExpr) {
	for _, arg := range arguments(info, call) {
		if isList(arg.typ) {
			o.giveElement(info, types.NewSlice(arg.typ), arg.expr)
			o.giveElement(info, types.NewMap(types.Typ[types.Int], arg.typ), arg.expr)
		}
	}
}

// variadic records the elements of the slice that a call allocates for a variadic parameter. Slices
// that are passed to functions of other modules are recorded elsewhere.
func (o *origins) variadic(info *types.Info, call *ast.CallExpr) {
	t := info.TypeOf(call.Fun)
	if t == nil || call.Ellipsis.IsValid() {
		return
	}
	for _, below := range typeset.Below(t) {
		if s, ok := below.(*types.Signature); ok && s.Variadic() {
			last, all := s.Params().Len()-1, arguments(info, call)
			for _, arg := range all[min(last, len(all)):] {
				o.giveElement(info, s.Params().At(last).Type(), arg.expr)
			}
		}
	}
}

// An argument is an argument of a call. expr is nil if the arguments are the results of another
// call, as in f(g()).
type argument struct {
	expr ast.Expr
	typ  types.Type
}

// arguments returns the arguments of a call. Arguments without a type are omitted.
func arguments(info *types.Info, call *ast.CallExpr) (all []argument) {
	for _, e := range call.Args {
		switch t := info.TypeOf(e).(type) {
		case nil:
		case *types.Tuple:
			for v := range t.Variables() {
				all = append(all, argument{nil, v.Type()})
			}
		default:
			all = append(all, argument{e, t})
		}
	}
	return all
}

// moves records that a generic function with a function or an iterator as an argument may store the
// values of a sequence in its result, or in its slice and map arguments. For example,
// slices.Collect(maps.Values(m)) returns a slice of the values of a map.
func (o *origins) moves(info *types.Info, call *ast.CallExpr) {
	all := call.Args
	if !slices.ContainsFunc(all, func(e ast.Expr) bool { t := info.TypeOf(e); return t != nil && typeset.MayBe[*types.Signature](t) }) {
		return
	}
	for _, e := range append([]ast.Expr{call}, all...) {
		o.giveElement(info, info.TypeOf(e), nil)
	}
}

// giveElement records that e becomes an element of a slice, an array or a map, whose type is passed
// in of. e is nil if the expression is unknown.
func (o *origins) giveElement(info *types.Info, of types.Type, e ast.Expr) {
	for _, name := range elementNames(of) {
		o.give(info, name, e)
	}
}

// elementNames returns the origins that represent the elements of a container type, if these
// elements may be slices. A type parameter may have several such origins, because it stands for
// several types.
func elementNames(of types.Type) (all []origin) {
	if of == nil {
		return nil
	}
	below := typeset.Below(of)
	if len(below) == 0 { // it may be any type
		return []origin{typed{elements, anySlice}, typed{values, anySlice}, typed{targets, anySlice}}
	}
	for _, t := range below {
		if elem := elementOf(t); elem != nil && isList(elem) {
			all = append(all, elementName(t, elem))
		}
	}
	return all
}

// elementOf returns the element type of a slice, an array, a pointer to an array or a map, or the
// target type of any other pointer. It returns nil for other types. The type must not be a type
// parameter.
func elementOf(t types.Type) types.Type {
	switch t := t.(type) {
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

// isElement reports whether e refers to an element that the given origin represents, such as m[k]
// in m[k] = append(m[k], x).
func (o *origins) isElement(info *types.Info, e ast.Expr, name origin) bool {
	return slices.Contains(elementNames(container(info, e)), name)
}

// container returns the type of the operand x if e is an element expression x[i] or a dereference
// *x. It returns nil for other expressions.
func container(info *types.Info, e ast.Expr) types.Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return info.TypeOf(e.X)
	case *ast.StarExpr:
		return info.TypeOf(e.X)
	}
	return nil
}

// These names distinguish the elements of slices and arrays, the values of maps, and the targets of
// pointers.
const (
	elements = "elements"
	values   = "values"
	targets  = "targets"
)

// elementName returns the origin that represents the elements of containers. The container type is
// passed in of, and the element type in elem. All slices and arrays with the same element type
// share one origin, and so do all maps. All pointers with the same target type share one, except
// pointers to arrays.
func elementName(of, elem types.Type) typed {
	name := elements
	switch of := of.Underlying().(type) {
	case *types.Map:
		name = values
	case *types.Pointer:
		if _, array := of.Elem().Underlying().(*types.Array); !array {
			name = targets
		}
	}
	return typed{name, keyOrAny(elem.Underlying())}
}

// keyOrAny returns the key of a type. If the type depends on a type parameter, it returns the key
// that stands for slices of any type.
func keyOrAny(t types.Type) string {
	if typekey.HasParameter(t) {
		return anySlice
	}
	return typekey.Of(t)
}

// madeBy returns the type of the value that a composite literal creates. In a slice of pointers,
// for example, {...} is short for &T{...}.
func madeBy(info *types.Info, lit *ast.CompositeLit) types.Type {
	t := info.TypeOf(lit)
	for _, below := range typeset.Below(t) {
		if p, ok := below.(*types.Pointer); ok {
			return p.Elem()
		}
	}
	return t
}
