package own

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// orderOpen reports whether a site reads what a call might change: one of its own, or one beside it in the same statement. The language
// orders calls, and not reads beside them, and the changed site is a call. So the order might become another one.
func (p *pass) orderOpen(s rewrite.Site) bool {
	site := s.Node
	var reads []ast.Expr
	ast.Inspect(site, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			reads = append(reads, p.reads(n.Value)...)
			return false
		case *ast.SelectorExpr, *ast.Ident, *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr:
			if n != site {
				reads = append(reads, p.reads(n.(ast.Expr))...)
				return false
			}
		}
		return true
	})
	return len(reads) > 0 && (p.Calls(site) || p.callsBeside(s))
}

// callsBeside reports whether the statement around a site, or the header that it stands in, has another call than those in the site and those
// that get the site.
func (p *pass) callsBeside(s rewrite.Site) (found bool) {
	top := len(s.Stack) - 1
	for top > 0 {
		if _, expression := s.Stack[top-1].(ast.Expr); !expression {
			if _, pair := s.Stack[top-1].(*ast.KeyValueExpr); !pair {
				break
			}
		}
		top--
	}
	around := s.Stack[top]
	switch stmt := s.Stack[top-1].(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.ExprStmt, *ast.ValueSpec, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt:
		around = stmt
	}
	ast.Inspect(around, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return slices.Contains(s.Stack, ast.Node(n))
		case *ast.CallExpr:
			if n == s.Node {
				return false
			}
			fun := p.TypesInfo.Types[n.Fun]
			found = found || !fun.IsType() && !fun.IsBuiltin() && !slices.Contains(s.Stack, ast.Node(n))
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found && n != ast.Node(s.Node)
	})
	return found
}

// reads returns the variables that an expression reads outside of its calls, and that a call could change.
func (p *pass) reads(e ast.Expr) (all []ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			all = append(all, p.reads(n.Value)...)
			return false
		case *ast.CallExpr:
			if fun := p.TypesInfo.Types[n.Fun]; !fun.IsType() && !fun.IsBuiltin() {
				return false
			}
			for _, arg := range n.Args {
				all = append(all, p.reads(arg)...)
			}
			return false
		case *ast.SelectorExpr, *ast.Ident, *ast.IndexExpr, *ast.StarExpr:
			value := p.TypesInfo.Types[n.(ast.Expr)]
			_, function := value.Type.(*types.Signature)
			if value.IsValue() && !function && !p.Plain(n.(ast.Expr)) {
				all = append(all, n.(ast.Expr))
			}
			return false
		}
		return true
	})
	return all
}
