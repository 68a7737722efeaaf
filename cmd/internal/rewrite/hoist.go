package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A statement list = append(list, value()) can be split into two statements: next := value(), and
// list = append(list, next). The order of evaluation stays the same, because the compiler evaluates
// calls before it reads the list.

// Hoist returns the reason why the appended value cannot be assigned to a new variable before the
// append, or "" if it can be.
func (l Locals) Hoist(call *ast.CallExpr) (why string) {
	if len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return "what is appended may call something or panic, and is more than one value"
	}
	value := call.Args[1]
	switch t := l.TypesInfo.TypeOf(value).(type) {
	case *types.Tuple:
		return "a call returns several values"
	case *types.Basic:
		if t.Info()&types.IsUntyped != 0 {
			return "what is appended is untyped"
		}
	}
	if Locked(l.TypesInfo.TypeOf(value)) {
		return "go vet would report a copied lock"
	}
	switch e := ast.Unparen(value).(type) {
	case *ast.CallExpr, *ast.CompositeLit, *ast.IndexExpr, *ast.SliceExpr, *ast.SelectorExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		return ""
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return ""
		}
	}
	return "what is appended may panic, and its type may be another one in a variable"
}

// Calm reports whether evaluating an expression calls no function, cannot panic, and reads no
// variable that a call may change.
func (l Locals) Calm(e ast.Expr) bool {
	if l.TypesInfo.Types[e].Value != nil || l.TypesInfo.Types[e].IsNil() {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.Calm(e.X)
	case *ast.Ident, *ast.SelectorExpr:
		return l.Plain(e)
	case *ast.FuncLit:
		return true
	case *ast.CallExpr:
		name, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && l.TypesInfo.Types[e.Fun].IsBuiltin() && (name.Name == "len" || name.Name == "cap") && l.Calm(e.Args[0])
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && ok && l.Calm(lit)
	case *ast.CompositeLit:
		if _, isMap := l.TypesInfo.TypeOf(e).Underlying().(*types.Map); isMap {
			return false
		}
		for _, elt := range e.Elts {
			if pair, ok := elt.(*ast.KeyValueExpr); ok {
				elt = pair.Value
			}
			if !l.Calm(elt) {
				return false
			}
		}
		return true
	}
	return false
}

// Place returns the variable or field that an expression names and, for a field, the variable that
// the field belongs to. The expression must be x, or p.x for a local variable p. If p is a pointer,
// no call may be able to change p. For all other expressions, Place returns nil.
func (l Locals) Place(e ast.Expr) (v, base *types.Var) {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := l.TypesInfo.Uses[e].(*types.Var); ok && v.Parent() != l.Types.Scope() && v.Pkg() == l.Types {
			return v, nil
		}
	case *ast.SelectorExpr:
		s := l.TypesInfo.Selections[e]
		name, ok := e.X.(*ast.Ident)
		if !ok || s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
			return nil, nil
		}
		base, ok := l.TypesInfo.Uses[name].(*types.Var)
		if !ok || base.IsField() || base.Parent() == l.Types.Scope() || base.Pkg() != l.Types {
			return nil, nil
		}
		if _, pointer := base.Type().Underlying().(*types.Pointer); pointer && !l.Plain(name) {
			return nil, nil
		}
		return s.Obj().(*types.Var), base
	}
	return nil, nil
}

// Jumps reports whether a function contains a goto statement. A goto must not jump over the
// declaration of a new variable.
func Jumps(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		branch, ok := n.(*ast.BranchStmt)
		found = found || ok && branch.Tok == token.GOTO
		return !found
	})
	return found
}

// Mentions reports whether an expression contains a name.
func Mentions(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
