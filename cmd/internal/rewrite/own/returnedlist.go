package own

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

const growsOnStack = "the list is only returned, and the compiler lets it grow on the stack"

// returnedList reports whether an append adds to a list variable that the function only appends to
// and then returns. Since Go 1.26 the compiler grows such a list on the stack, and allocates it
// once, when it is returned. A call to package arena in between would prevent this.
func (p *pass) returnedList(s rewrite.Site) bool {
	name, ok := ast.Unparen(s.Node.(*ast.CallExpr).Args[0]).(*ast.Ident)
	if !ok || s.InClosure() {
		return false
	}
	v, ok := p.TypesInfo.Uses[name].(*types.Var)
	if !ok || v.Parent() == p.Types.Scope() {
		return false
	}
	alone, returned := true, isResult(v, s.Function(), p.TypesInfo)
	if !returned && v.Pos() < s.Function().Body.Pos() { // a parameter, which already has an array
		return false
	}
	ast.PreorderStack(s.Function().Body, nil, func(n ast.Node, above []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || p.TypesInfo.Uses[id] != v {
			return true
		}
		switch around := above[len(above)-1].(type) {
		case *ast.AssignStmt:
			alone = alone && around.Tok == token.ASSIGN && slices.Contains(around.Lhs, ast.Expr(id))
		case *ast.CallExpr:
			alone = alone && p.TypesInfo.Types[around.Fun].IsBuiltin() && around.Args[0] == id
		case *ast.IndexExpr:
			alone = alone && around.X == id
		case *ast.ReturnStmt:
			returned = true
		default:
			alone = false
		}
		for _, n := range above {
			if _, literal := n.(*ast.FuncLit); literal {
				alone = false
			}
		}
		return true
	})
	return alone && returned
}

// isResult reports whether a variable is a named result that a return statement sets.
func isResult(v types.Object, fn *ast.FuncDecl, info *types.Info) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		signature, ok := n.(*ast.FuncType)
		if ok && signature.Results != nil {
			for _, field := range signature.Results.List {
				found = found || slices.ContainsFunc(field.Names, func(name *ast.Ident) bool { return info.Defs[name] == v })
			}
		}
		return !found
	})
	return found
}
