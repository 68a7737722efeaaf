// Package parses finds calls to functions of package strconv that allocate memory only for an
// error, and whose callers do not use the contents of the error.
package parses

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// functions contains functions of the standard library that allocate memory only for the error that
// they return.
var functions = map[string]bool{"strconv.Atoi": true, "strconv.ParseInt": true, "strconv.ParseUint": true, "strconv.ParseFloat": true, "strconv.ParseBool": true}

// Unread reports whether a call allocates memory only for an error, which the enclosing function
// ignores or only compares with nil. up is the syntax node that directly contains the call.
func Unread(info *types.Info, function *ast.FuncDecl, up ast.Node, call *ast.CallExpr) bool {
	if fn, ok := typeutil.Callee(info, call).(*types.Func); !ok || !functions[fn.FullName()] {
		return false
	}
	assign, ok := up.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return false
	}
	name, ok := assign.Lhs[1].(*ast.Ident)
	if !ok || name.Name == "_" {
		return ok
	}
	v, ok := info.ObjectOf(name).(*types.Var)
	return ok && v.Kind() == types.LocalVar && onlyCompared(info, function, v)
}

// onlyCompared reports whether a function uses the variable v only to assign to it and to compare
// it with nil.
func onlyCompared(info *types.Info, function *ast.FuncDecl, v *types.Var) bool {
	compared := true
	ast.PreorderStack(function, nil, func(n ast.Node, above []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || info.Uses[id] != v || len(above) == 0 {
			return true
		}
		switch up := above[len(above)-1].(type) {
		case *ast.BinaryExpr:
			other := up.X
			if other == ast.Expr(id) {
				other = up.Y
			}
			compared = compared && (up.Op == token.EQL || up.Op == token.NEQ) && info.Types[other].IsNil()
		case *ast.AssignStmt:
			set := false
			for _, left := range up.Lhs {
				set = set || left == ast.Expr(id)
			}
			compared = compared && set
		default:
			compared = false
		}
		return true
	})
	return compared
}
