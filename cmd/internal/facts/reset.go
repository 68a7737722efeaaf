package facts

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// alwaysZero reports whether an expression is a package-level variable that is never set. An
// assignment *p = zero of such a variable is a reset, and copies no state.
func (u *unit) alwaysZero(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := u.TypesInfo.Uses[name].(*types.Var)
	return ok && u.neverSet(v)
}

// neverSet reports whether a variable is an unexported package-level struct that always has its
// zero value.
func (u *unit) neverSet(v *types.Var) bool {
	if v.Parent() != u.Types.Scope() || v.Exported() || u.structOf(v.Type()) == nil || isPointer(v.Type()) {
		return false
	}
	if known, ok := u.zeros[v]; ok {
		return known
	}
	if u.zeros == nil {
		u.zeros = map[*types.Var]bool{}
	}
	zero := true
	for c := range u.root.Preorder((*ast.Ident)(nil)) {
		name := c.Node().(*ast.Ident)
		switch {
		case u.TypesInfo.Defs[name] == v:
			spec, ok := c.Parent().Node().(*ast.ValueSpec)
			zero = zero && ok && len(spec.Values) == 0
		case u.TypesInfo.Uses[name] == v:
			zero = zero && u.onlyRead(c)
		}
	}
	u.zeros[v] = zero
	return zero
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// onlyRead reports whether the expression at c, which names a variable, is used without modifying
// the variable or a part of it.
func (u *unit) onlyRead(c inspector.Cursor) bool {
	for {
		switch c.ParentEdgeKind() {
		case edge.ParenExpr_X, edge.IndexExpr_X:
		case edge.SelectorExpr_X:
			s := u.TypesInfo.Selections[c.Parent().Node().(*ast.SelectorExpr)]
			if s == nil || s.Kind() != types.FieldVal { // a method may modify the variable
				return false
			}
		case edge.AssignStmt_Lhs, edge.IncDecStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value, edge.SliceExpr_X:
			return false
		case edge.UnaryExpr_X:
			return c.Parent().Node().(*ast.UnaryExpr).Op != token.AND
		default:
			return true
		}
		c = c.Parent()
	}
}
