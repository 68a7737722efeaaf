// Package copies determines whether an expression in Go source copies a value.
package copies

import (
	"go/ast"
	"go/token"
	"slices"
)

// Value reports whether the value of n is used as a whole. It returns false if n is only the
// operand of a selector or of the operator &, or is the left side of an assignment. The stack
// contains the nodes that enclose n, the outermost first, and n itself last.
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
