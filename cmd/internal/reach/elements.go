package reach

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// elements records the values that become elements of lists in a call. The call may be to append,
// to a variadic function, or to a function that may store its arguments anywhere (a generic
// function or a function value).
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

// anywhere records lists that are passed to a call: they may become elements of other lists or
// maps.
func (o *origins) anywhere(info *types.Info, call *ast.CallExpr) {
	for _, arg := range arguments(info, call) {
		if isList(arg.typ) {
			o.giveElement(info, types.NewSlice(arg.typ), arg.expr)
			o.giveElement(info, types.NewMap(types.Typ[types.Int], arg.typ), arg.expr)
		}
	}
}

// variadic records the elements of the list that a call allocates for a variadic parameter. Lists
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

// An argument is one argument of a call. It has no expression of its own if all arguments are the
// results of another call, as in f(g()).
type argument struct {
	expr ast.Expr
	typ  types.Type
}

// arguments returns the arguments of a call, except for arguments that have no type.
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

// moves records that a generic function may store values of a sequence in its result, or in the
// lists and maps that are passed to it. For example, slices.Collect(maps.Values(m)) returns a list
// whose elements are the values of a map.
func (o *origins) moves(info *types.Info, call *ast.CallExpr) {
	all := call.Args
	if !slices.ContainsFunc(all, func(e ast.Expr) bool { t := info.TypeOf(e); return t != nil && typeset.MayBe[*types.Signature](t) }) {
		return
	}
	for _, e := range append([]ast.Expr{call}, all...) {
		o.giveElement(info, info.TypeOf(e), nil)
	}
}

// giveElement records an expression that becomes an element of a list, an array or a map; nil
// stands for an unknown expression.
func (o *origins) giveElement(info *types.Info, of types.Type, e ast.Expr) {
	for _, name := range elementNames(of) {
		o.give(info, name, e)
	}
}

// elementNames returns the names of the elements that a value of a type may have, if these elements
// may be lists. A type parameter may stand for several types.
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

// elementOf returns the type of the elements of a list, an array, a pointer to an array, or a map,
// or the type to which a pointer of a different type points. It returns nil for other types. The
// type must not be a type parameter.
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

// isElement reports whether an expression is an element of a container whose elements have the
// given name, such as m[k] in m[k] = append(m[k], x).
func (o *origins) isElement(info *types.Info, e ast.Expr, name origin) bool {
	return slices.Contains(elementNames(container(info, e)), name)
}

// container returns the type of the list, array, map or pointer to which an element expression
// refers, as in x[i] or *x. It returns nil if the expression is not of this form.
func container(info *types.Info, e ast.Expr) types.Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return info.TypeOf(e.X)
	case *ast.StarExpr:
		return info.TypeOf(e.X)
	}
	return nil
}

// The names that identify elements: the elements of lists and arrays, the values of maps, and the
// targets of pointers.
const (
	elements = "elements"
	values   = "values"
	targets  = "targets"
)

// elementName returns the name for the elements of containers of type of, whose element type is
// elem. All lists and arrays with the same element type share one name, and so do all maps, and all
// pointers other than pointers to arrays.
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

// keyOrAny returns the key of a type, or the key of any list if the type depends on a type
// parameter.
func keyOrAny(t types.Type) string {
	if typekey.HasParameter(t) {
		return anySlice
	}
	return typekey.Of(t)
}

// madeBy returns the type of the value that a literal creates. In a list of pointers, {...} stands
// for &T{...}.
func madeBy(info *types.Info, lit *ast.CompositeLit) types.Type {
	t := info.TypeOf(lit)
	for _, below := range typeset.Below(t) {
		if p, ok := below.(*types.Pointer); ok {
			return p.Elem()
		}
	}
	return t
}
