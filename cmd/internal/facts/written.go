package facts

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// mostHanded is the maximum number of functions that may pass on a copy before a function writes to
// it.
const mostHanded = 2

// written returns the position of code that writes to the copy made by a call to Clone or by a
// conversion. It searches the function that makes the copy, and the functions of this package to
// which the copy is passed. It returns "" if it finds no write.
func (u *unit) written(c *candidate) string {
	clone := c.kind == site.Call && c.callee != nil && c.callee.Name() == "Clone"
	if !clone && c.kind != site.ToBytes {
		return ""
	}
	at := c.at
	for at.ParentEdgeKind() == edge.ParenExpr_X || at.ParentEdgeKind() == edge.CallExpr_Args && u.converts(at.Parent().Node()) {
		at = at.Parent()
	}
	var name *ast.Ident
	switch parent := at.Parent().Node().(type) {
	case *ast.CallExpr:
		if at.ParentEdgeKind() == edge.CallExpr_Args {
			return u.writtenBy(parent, at.ParentEdgeIndex(), mostHanded)
		}
	case *ast.AssignStmt:
		if at.ParentEdgeKind() == edge.AssignStmt_Rhs && len(parent.Lhs) == len(parent.Rhs) {
			name, _ = ast.Unparen(parent.Lhs[at.ParentEdgeIndex()]).(*ast.Ident)
		}
	case *ast.ValueSpec:
		if at.ParentEdgeKind() == edge.ValueSpec_Values && len(parent.Names) == len(parent.Values) {
			name = parent.Names[at.ParentEdgeIndex()]
		}
	}
	if name == nil || c.function.decl == nil {
		return ""
	}
	return u.writes(c.function.decl, u.TypesInfo.ObjectOf(name), mostHanded)
}

// writtenBy returns the position at which a called function of this package writes to the given
// argument. It also searches the functions to which the called function passes the argument. It
// returns "" if it finds no write.
func (u *unit) writtenBy(call *ast.CallExpr, argument int, further int) string {
	fn, ok := typeutil.Callee(u.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() != u.Types || argument >= fn.Signature().Params().Len() {
		return ""
	}
	for _, f := range u.functions {
		if own, decl := u.definition(f); own == fn.Origin() && own != nil && decl.Body != nil {
			return u.writes(decl, own.Signature().Params().At(argument), further)
		}
	}
	return ""
}

// writes returns the position at which a function writes to elements of the slice v, as in v[i] =
// x, v[i]++, copy(v, x) or clear(v). It returns "" if it finds no write.
func (u *unit) writes(decl *ast.FuncDecl, v types.Object, further int) (found string) {
	is := func(e ast.Expr) bool {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.SliceExpr:
				e = x.X
			case *ast.Ident:
				return v != nil && u.TypesInfo.ObjectOf(x) == v
			default:
				return false
			}
		}
	}
	element := func(e ast.Expr) bool {
		index, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && is(index.X)
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		wrote := false
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				wrote = wrote || element(left)
			}
		case *ast.IncDecStmt:
			wrote = element(n.X)
		case *ast.CallExpr:
			name, _ := ast.Unparen(n.Fun).(*ast.Ident)
			builtin := u.TypesInfo.Types[n.Fun].IsBuiltin()
			wrote = builtin && name != nil && (name.Name == "copy" || name.Name == "clear") && is(n.Args[0])
			for i, arg := range n.Args {
				if further > 0 && !builtin && found == "" && is(arg) {
					found = u.writtenBy(n, i, further-1)
				}
			}
		}
		if wrote && found == "" {
			found = fmt.Sprintf("%s (%s)", decl.Name.Name, u.formatPos(n.Pos()))
		}
		return found == ""
	})
	return found
}
