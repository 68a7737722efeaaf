package facts

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// call adds the candidates of a call expression: a conversion, a call to a builtin, the slice that
// a variadic call allocates, and the call itself.
func (u *unit) call(c inspector.Cursor, n *ast.CallExpr, f *function) {
	fun := u.TypesInfo.Types[n.Fun]
	switch {
	case fun.IsType():
		u.conversion(c, n, f)
		return
	case fun.IsBuiltin():
		u.builtin(c, n, f)
		return
	}
	callee := typeutil.Callee(u.TypesInfo, n)
	fn, _ := callee.(*types.Func) // nil for function values
	u.add(f, candidate{kind: site.Call, at: c, typ: u.TypesInfo.TypeOf(n), bytes: -1, length: -1, callee: fn}, n.Lparen)
	signature, ok := fun.Type.Underlying().(*types.Signature)
	if !ok || !signature.Variadic() || n.Ellipsis.IsValid() {
		return
	}
	params := signature.Params()
	rest := len(n.Args) - params.Len() + 1
	if len(n.Args) == 1 { // f(g()), where g has several results
		if tuple, ok := u.TypesInfo.TypeOf(n.Args[0]).(*types.Tuple); ok {
			rest = tuple.Len() - params.Len() + 1
		}
	}
	if list, ok := params.At(params.Len() - 1).Type().Underlying().(*types.Slice); ok && rest > 0 {
		u.add(f, candidate{kind: site.Variadic, at: c, typ: list.Elem(), bytes: times(u.size(list.Elem()), rest), length: rest}, n.Lparen)
	}
}

// builtin adds candidates for calls to new, make and append.
func (u *unit) builtin(c inspector.Cursor, n *ast.CallExpr, f *function) {
	name, ok := ast.Unparen(n.Fun).(*ast.Ident)
	t := u.TypesInfo.TypeOf(n)
	if !ok || t == nil || len(n.Args) == 0 {
		return
	}
	switch name.Name {
	case "new":
		if p, ok := t.Underlying().(*types.Pointer); ok {
			u.add(f, candidate{kind: site.New, at: c, typ: p.Elem(), bytes: u.size(p.Elem()), length: -1}, n.Lparen)
		}
	case "make":
		u.addMake(c, n, t, f)
	case "append":
		if s, ok := coreSlice(t); ok && len(n.Args) > 1 {
			u.add(f, candidate{kind: site.Append, at: c, typ: s.Elem(), bytes: -1, length: -1}, n.Lparen)
		}
	}
}

// addMake adds a candidate for a call to make. The allocated size is computed from the capacity if
// it is given, and otherwise from the length.
func (u *unit) addMake(c inspector.Cursor, n *ast.CallExpr, t types.Type, f *function) {
	length := -1
	if len(n.Args) > 1 {
		if v, ok := u.constant(n.Args[len(n.Args)-1]); ok {
			length = v
		}
	}
	switch under := t.Underlying().(type) {
	case *types.Map:
		u.add(f, candidate{kind: site.MakeMap, at: c, typ: t, bytes: -1, length: length}, n.Lparen)
	case *types.Chan:
		u.add(f, candidate{kind: site.MakeChan, at: c, typ: t, bytes: -1, length: length}, n.Lparen)
	default:
		if s, ok := coreSlice(under); ok {
			u.add(f, candidate{kind: site.MakeSlice, at: c, typ: s.Elem(), bytes: times(u.size(s.Elem()), length), length: length}, n.Lparen)
		}
	}
}

// coreSlice returns the underlying slice type of t. If t is a type parameter, it uses the first
// type in the constraint.
func coreSlice(t types.Type) (*types.Slice, bool) {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t, true
	case *types.Interface:
		for embedded := range t.EmbeddedTypes() {
			if union, ok := embedded.(*types.Union); ok && union.Len() > 0 {
				return coreSlice(union.Term(0).Type())
			}
			return coreSlice(embedded)
		}
	}
	return nil, false
}

// conversion adds a candidate for a conversion that copies data: from a string to a slice of bytes
// or runes, or back.
func (u *unit) conversion(c inspector.Cursor, n *ast.CallExpr, f *function) {
	if len(n.Args) != 1 || u.TypesInfo.Types[n].Value != nil {
		return
	}
	to, from := u.TypesInfo.TypeOf(n), u.TypesInfo.TypeOf(n.Args[0])
	if to == nil || from == nil || isTypeParameter(to) || isTypeParameter(from) {
		return
	}
	pos := u.compilerPos(n)
	list, toList := to.Underlying().(*types.Slice)
	switch {
	case isString(to) && !isString(from):
		u.add(f, candidate{kind: site.ToString, at: c, typ: to, bytes: -1, length: -1}, pos)
	case toList && isString(from):
		u.add(f, candidate{kind: site.ToBytes, at: c, typ: list.Elem(), bytes: -1, length: -1}, pos)
	}
}

func isTypeParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
