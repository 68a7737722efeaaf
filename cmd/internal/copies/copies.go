// Package copies finds where Go source copies values.
package copies

import (
	"go/ast"
	"go/token"
	"slices"
)

// Value reports whether an expression is used as a value, rather than for its fields or its
// address, or as the left side of an assignment. The stack contains the nodes around the
// expression, the outermost first, and the expression itself last.
func Value(n ast.Expr, stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch parent := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.SelectorExpr:
			return parent.X != stack[i+1] && parent.Sel != n
		case *ast.UnaryExpr:
			return parent.Op != token.AND
		case *ast.AssignStmt:
			return !slices.ContainsFunc(parent.Lhs, func(left ast.Expr) bool { return left == stack[i+1] })
		case *ast.ValueSpec:
			return slices.ContainsFunc(parent.Values, func(right ast.Expr) bool { return right == stack[i+1] })
		default:
			return true
		}
	}
	return true
}
