package facts

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/parses"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// unread reports whether a call allocates nothing but an error that the calling function ignores or
// only compares with nil.
func (u *unit) unread(c *candidate) bool {
	call, ok := c.at.Node().(*ast.CallExpr)
	return ok && c.kind == site.Call && c.function.decl != nil && parses.Unread(u.TypesInfo, c.function.decl, c.at.Parent().Node(), call)
}

// wholeField returns the name of a struct field, such as node.edges, if the candidate copies all of
// its elements: slices.Clone(n.edges), append([]T(nil), n.edges...), or make followed by copy. It
// returns "" otherwise.
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

// emptySlice reports whether an expression is a slice without capacity, such as []T(nil) or []T{}.
func (u *unit) emptySlice(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return u.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 && u.TypesInfo.Types[e.Args[0]].IsNil()
	}
	return u.TypesInfo.Types[e].IsNil()
}

// copiedNext is like wholeField, but for a statement x = make([]T, len(n.edges)) that is followed
// by copy(x, n.edges).
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

// fieldName returns the qualified name of a field of a struct of this package, such as node.edges.
// It returns "" for other expressions.
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
