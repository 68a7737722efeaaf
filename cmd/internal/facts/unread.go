package facts

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// parsers are functions of the standard library that allocate nothing but their errors.
var parsers = map[string]bool{"strconv.Atoi": true, "strconv.ParseInt": true, "strconv.ParseUint": true, "strconv.ParseFloat": true, "strconv.ParseBool": true}

// unread reports whether a call allocates nothing but an error, which the function around it
// ignores or only compares with nil.
func (u *unit) unread(c *candidate) bool {
	if c.kind != site.Call || c.callee == nil || !parsers[c.callee.FullName()] || c.function.decl == nil {
		return false
	}
	assign, ok := c.at.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return false
	}
	name, ok := assign.Lhs[1].(*ast.Ident)
	if !ok || name.Name == "_" {
		return ok
	}
	v := u.TypesInfo.ObjectOf(name)
	local, ok := v.(*types.Var)
	if !ok || local.Kind() != types.LocalVar {
		return false
	}
	compared := true
	ast.PreorderStack(c.function.decl, nil, func(n ast.Node, above []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || u.TypesInfo.Uses[id] != v || len(above) == 0 {
			return true
		}
		switch up := above[len(above)-1].(type) {
		case *ast.BinaryExpr:
			other := up.X
			if other == ast.Expr(id) {
				other = up.Y
			}
			compared = compared && (up.Op == token.EQL || up.Op == token.NEQ) && u.TypesInfo.Types[other].IsNil()
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

// wholeField returns the struct and its field, such as node.edges, if an expression copies all
// elements of that field: slices.Clone(n.edges), append([]T(nil), n.edges...), or make followed
// by copy.
func (u *unit) wholeField(c *candidate) string {
	call, ok := c.at.Node().(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch c.kind {
	case site.Call:
		if fn, ok := typeutil.Callee(u.TypesInfo, call).(*types.Func); ok && fn.FullName() == "slices.Clone" {
			return u.fieldName(call.Args[0])
		}
	case site.Append:
		if len(call.Args) == 2 && call.Ellipsis.IsValid() && u.emptySlice(call.Args[0]) {
			return u.fieldName(call.Args[1])
		}
	case site.MakeSlice:
		return u.copiedNext(c)
	}
	return ""
}

// emptySlice reports whether an expression is a slice without capacity: []T(nil), []T{}.
func (u *unit) emptySlice(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return u.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 && u.TypesInfo.Types[e.Args[0]].IsNil()
	}
	return u.TypesInfo.Types[e].IsNil()
}

// copiedNext is wholeField for x = make([]T, len(n.edges)), followed by copy(x, n.edges).
func (u *unit) copiedNext(c *candidate) (field string) {
	assign, ok := c.at.Parent().Node().(*ast.AssignStmt)
	if !ok || c.at.ParentEdgeKind() != edge.AssignStmt_Rhs || len(assign.Lhs) != len(assign.Rhs) || c.function.decl == nil {
		return ""
	}
	to := types.ExprString(assign.Lhs[c.at.ParentEdgeIndex()])
	ast.Inspect(c.function.decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < assign.End() || len(call.Args) != 2 || !u.TypesInfo.Types[call.Fun].IsBuiltin() {
			return true
		}
		if name, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && name.Name == "copy" && field == "" && types.ExprString(call.Args[0]) == to {
			field = u.fieldName(call.Args[1])
		}
		return true
	})
	return field
}

// fieldName returns the name of a field of a struct of this package, such as node.edges, or ""
// for other expressions.
func (u *unit) fieldName(e ast.Expr) string {
	field, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if t := u.structOf(u.TypesInfo.TypeOf(field.X)); t != nil {
		return t.Name() + "." + field.Sel.Name
	}
	return ""
}
