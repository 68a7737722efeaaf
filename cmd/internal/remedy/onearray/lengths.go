package onearray

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// ownVariables reports whether statements set only variables that are unreachable after a panic in
// the function.
func (g *arrays) ownVariables(all []ast.Stmt) bool {
	for _, s := range all {
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range assign.Lhs {
			name, ok := ast.Unparen(left).(*ast.Ident)
			if !ok {
				return false
			}
			v, ok := g.Package.TypesInfo.ObjectOf(name).(*types.Var)
			if name.Name != "_" && (!ok || v.Parent() == g.Package.Types.Scope() || g.locals.Shared(v)) {
				return false
			}
		}
	}
	return true
}

// fits reports whether the conversion of a length to int preserves its value or makes it negative,
// even on 32-bit computers.
func (g *arrays) fits(e ast.Expr) bool {
	value := g.Package.TypesInfo.Types[e]
	if value.Value != nil {
		return true
	}
	basic, ok := value.Type.Underlying().(*types.Basic)
	return ok && !slices.Contains([]types.BasicKind{types.Int64, types.Uint64, types.Uintptr}, basic.Kind())
}

// pure reports whether an expression never panics, and has a value that no call can change.
func (g *arrays) pure(e ast.Expr) bool {
	info := g.Package.TypesInfo
	e = ast.Unparen(e)
	if g.locals.Plain(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD || e.Op == token.XOR || e.Op == token.NOT) && g.pure(e.X)
	case *ast.BinaryExpr:
		basic, ok := info.TypeOf(e).Underlying().(*types.Basic)
		return ok && basic.Info()&types.IsNumeric != 0 && (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL) && g.pure(e.X) && g.pure(e.Y)
	case *ast.CallExpr:
		if len(e.Args) != 1 {
			return false
		}
		if info.Types[e.Fun].IsType() {
			from, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
			to, ok2 := info.TypeOf(e).Underlying().(*types.Basic)
			return ok && ok2 && from.Info()&types.IsNumeric != 0 && to.Info()&types.IsNumeric != 0 && g.pure(e.Args[0])
		}
		return g.locals.IsLen(e) && g.locals.Plain(e.Args[0])
	}
	return false
}
