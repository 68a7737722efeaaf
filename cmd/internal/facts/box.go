package facts

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// boxed adds a candidate for each value that a syntax node converts to an interface.
func (u *unit) boxed(c inspector.Cursor, f *function) {
	box := func(e ast.Expr, to types.Type) { u.box(c, e, to, f) }
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		u.boxArguments(n, box)
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) && n.Tok == token.ASSIGN {
			for i, right := range n.Rhs {
				box(right, u.TypesInfo.TypeOf(n.Lhs[i]))
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			for _, v := range n.Values {
				box(v, u.TypesInfo.TypeOf(n.Type))
			}
		}
	case *ast.ReturnStmt:
		results := u.results(c)
		if results != nil && results.Len() == len(n.Results) {
			for i, e := range n.Results {
				box(e, results.At(i).Type())
			}
		}
	case *ast.SendStmt:
		if t, ok := u.TypesInfo.TypeOf(n.Chan).Underlying().(*types.Chan); ok {
			box(n.Value, t.Elem())
		}
	case *ast.IndexExpr:
		if t := u.TypesInfo.TypeOf(n.X); t != nil {
			if m, ok := t.Underlying().(*types.Map); ok {
				box(n.Index, m.Key())
			}
		}
	case *ast.CompositeLit:
		u.boxElements(n, box)
	}
}

// results returns the result types of the function that contains a return statement.
func (u *unit) results(c inspector.Cursor) *types.Tuple {
	for fn := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch n := fn.Node().(type) {
		case *ast.FuncDecl:
			if fn, ok := u.TypesInfo.Defs[n.Name].(*types.Func); ok {
				return fn.Signature().Results()
			}
		case *ast.FuncLit:
			if s, ok := u.TypesInfo.TypeOf(n).(*types.Signature); ok {
				return s.Results()
			}
		}
		return nil
	}
	return nil
}

func (u *unit) boxArguments(n *ast.CallExpr, box func(ast.Expr, types.Type)) {
	fun := u.TypesInfo.Types[n.Fun]
	if fun.IsType() {
		if len(n.Args) == 1 {
			box(n.Args[0], fun.Type)
		}
		return
	}
	signature, ok := fun.Type.Underlying().(*types.Signature) // builtins have a signature, too
	if !ok || signature.Params().Len() == 0 {
		return
	}
	params := signature.Params()
	for i, arg := range n.Args {
		last := params.Len() - 1
		switch list, ok := params.At(last).Type().Underlying().(*types.Slice); {
		case signature.Variadic() && ok && i >= last && !n.Ellipsis.IsValid():
			box(arg, list.Elem())
		case i <= last:
			box(arg, params.At(i).Type())
		}
	}
}

func (u *unit) boxElements(n *ast.CompositeLit, box func(ast.Expr, types.Type)) {
	t := u.TypesInfo.TypeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok { // n is an element {...} in a list of pointers
		t = p.Elem().Underlying()
	}
	for i, e := range n.Elts {
		value, pair := e, (*ast.KeyValueExpr)(nil)
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			value, pair = kv.Value, kv
		}
		switch t := t.(type) {
		case *types.Struct:
			if pair != nil {
				if name, ok := pair.Key.(*ast.Ident); ok {
					box(value, u.TypesInfo.TypeOf(name))
				}
			} else if i < t.NumFields() {
				box(value, t.Field(i).Type())
			}
		case *types.Slice:
			box(value, t.Elem())
		case *types.Array:
			box(value, t.Elem())
		case *types.Map:
			box(value, t.Elem())
			if pair != nil {
				box(pair.Key, t.Key())
			}
		}
	}
}

// box adds a candidate for e if it is converted to an interface type. Constants are omitted, and so
// are values that can be converted to an interface without allocating.
func (u *unit) box(c inspector.Cursor, e ast.Expr, to types.Type, f *function) {
	value := u.TypesInfo.Types[e]
	from := value.Type
	switch {
	case to == nil || from == nil || isTypeParameter(to) || !types.IsInterface(to):
		return
	case value.Value != nil || value.IsNil() || value.IsType():
		return
	case types.IsInterface(from) && !isTypeParameter(from):
		return
	}
	if _, ok := from.(*types.Tuple); ok {
		return
	}
	size := u.size(from)
	if pointerShaped(from) || size == 0 || size == 1 { // the runtime has a table of all one-byte values
		return
	}
	if at, ok := c.FindNode(e); ok {
		u.add(f, candidate{kind: site.Box, at: at, typ: from, bytes: size, length: -1}, u.compilerPos(e))
	}
}

// pointerShaped reports whether a value of the type is a single pointer, which can be converted to
// an interface without allocating.
func pointerShaped(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Struct:
		return t.NumFields() == 1 && pointerShaped(t.Field(0).Type())
	case *types.Array:
		return t.Len() == 1 && pointerShaped(t.Elem())
	}
	return false
}
