package change

import (
	"go/ast"
	"go/token"
	"slices"
)

// Ends reports whether control never reaches the code after a statement. It may return false for
// some such statements.
func (r *Request) Ends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		return r.panics(s.X)
	case *ast.BlockStmt:
		return slices.ContainsFunc(s.List, r.Ends)
	case *ast.IfStmt:
		return s.Else != nil && r.Ends(s.Body) && r.Ends(s.Else)
	case *ast.ForStmt:
		return Endless(s)
	case *ast.SwitchStmt:
		return hasDefault(s.Body) && r.clausesEnd(s.Body)
	case *ast.TypeSwitchStmt:
		return hasDefault(s.Body) && r.clausesEnd(s.Body)
	case *ast.SelectStmt:
		return r.clausesEnd(s.Body)
	}
	return false
}

// hasDefault reports whether a switch has a default clause, so that it always runs one of its
// clauses. A select always runs one of its clauses, even without a default.
func hasDefault(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(c ast.Stmt) bool { return c.(*ast.CaseClause).List == nil })
}

// clausesEnd reports whether control never reaches the code after a switch or a select, no matter
// which clause runs.
func (r *Request) clausesEnd(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		if !slices.ContainsFunc(Statements(c), r.Ends) {
			return false
		}
	}
	return !breaks(body)
}

// panics reports whether an expression calls panic.
func (r *Request) panics(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && name.Name == "panic" && r.Package.TypesInfo.Types[call.Fun].IsBuiltin()
}

// Endless reports whether a loop never ends normally, because it has neither a condition nor a
// break.
func Endless(loop ast.Stmt) bool {
	f, ok := loop.(*ast.ForStmt)
	return ok && f.Cond == nil && !breaks(f.Body)
}

// breaks reports whether a break leaves the body of a loop or a switch. Breaks that leave only
// nested statements are ignored.
func breaks(body *ast.BlockStmt) (found bool) {
	for _, s := range body.List {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				return false
			case *ast.BranchStmt:
				found = found || n.Tok == token.BREAK
			}
			return true
		})
	}
	return found
}
