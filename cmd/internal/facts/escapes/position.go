package escapes

import (
	"go/ast"
	"go/token"
)

// Position returns the position that the compiler assigns to an expression, which determines its
// line in profiles. It is the opening parenthesis of a call, the operator of an operation, or the
// opening brace of a literal.
func Position(e ast.Expr, isType func(ast.Expr) bool) token.Pos {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return Position(e.X, isType)
	case *ast.CallExpr:
		if isType(e.Fun) && len(e.Args) == 1 { // a conversion has the position of its operand
			return Position(e.Args[0], isType)
		}
		return e.Lparen
	case *ast.BinaryExpr:
		return e.OpPos
	case *ast.CompositeLit:
		return e.Lbrace
	case *ast.SelectorExpr:
		return e.X.End() // position of the dot
	case *ast.TypeAssertExpr:
		return e.X.End()
	case *ast.IndexExpr:
		return e.Lbrack
	case *ast.IndexListExpr:
		return e.Lbrack
	case *ast.SliceExpr:
		return e.Lbrack
	case *ast.KeyValueExpr:
		return e.Colon
	}
	return e.Pos()
}
