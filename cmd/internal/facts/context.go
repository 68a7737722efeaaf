package facts

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

// statement reports whether a candidate is a statement.
func (c *candidate) statement() bool {
	_, ok := c.at.Node().(ast.Stmt)
	return ok
}

// looped reports whether a candidate may be evaluated many times in one call of its function.
func (c *candidate) looped() bool {
	for at := c.at; ; at = at.Parent() {
		switch at.ParentEdgeKind() {
		case edge.ForStmt_Body, edge.ForStmt_Cond, edge.ForStmt_Post, edge.RangeStmt_Body:
			return true
		case edge.RangeStmt_Key, edge.RangeStmt_Value, edge.ForStmt_Init: // each iteration has its own variable
			if c.kind == site.Moved {
				return true
			}
		case edge.FuncDecl_Body, edge.File_Decls:
			return false
		}
	}
}

// knownLength returns an expression for the final length of the slice to which a loop appends, or
// "" if that length cannot be determined.
func (u *unit) knownLength(c *candidate) string {
	call, ok := c.at.Node().(*ast.CallExpr)
	if !ok || c.kind != site.Append {
		return ""
	}
	list, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return ""
	}
	if u.known == nil {
		u.known = slicegrowth.Counts(&analysis.Pass{
			Analyzer: slicegrowth.Analyzer, Fset: u.Fset, Files: u.Syntax, Pkg: u.Types, TypesInfo: u.TypesInfo, TypesSizes: u.TypesSizes,
		})
	}
	return u.known[u.TypesInfo.Uses[list]]
}

// siblings returns the line numbers of other make calls and small literals that could share one
// allocation with c. They must be in the same statement list as c. If the length of c is constant,
// the lengths of the others must be constant, too.
func (u *unit) siblings(c *candidate) (lines []int) {
	if !c.shares() {
		return nil
	}
	list := listOf(c.at)
	for _, other := range u.candidates {
		if other != c && other.function == c.function && other.shares() && (other.bytes < 0) == (c.bytes < 0) &&
			other.shown.file == c.shown.file && listOf(other.at) == list {
			lines = append(lines, other.shown.line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// shares reports whether a candidate is an expression that could share an allocation with others.
func (c *candidate) shares() bool {
	const small = 64 // bytes; copying a larger value costs more than the allocation
	switch c.kind {
	case site.MakeSlice:
		return true
	case site.Literal, site.New:
		return 0 < c.bytes && c.bytes <= small
	}
	return false
}

// listOf returns the innermost block or clause whose statement list contains a node.
func listOf(at inspector.Cursor) inspector.Cursor {
	for list := range at.Enclosing((*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil)) {
		return list
	}
	return inspector.Cursor{}
}

// isResult reports whether an exported function returns the candidate's value, either directly in a
// return statement or through a variable to which the value is assigned.
func (u *unit) isResult(c *candidate) bool {
	decl := c.function.decl
	if decl == nil || c.depth > 0 || !u.exported(decl) {
		return false
	}
	at := c.at
	for at.ParentEdgeKind() == edge.ParenExpr_X || at.ParentEdgeKind() == edge.CallExpr_Args && u.converts(at.Parent().Node()) {
		at = at.Parent()
	}
	name, _ := at.Node().(*ast.Ident) // set if the candidate is a variable in the Go heap
	switch parent := at.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		if at.ParentEdgeKind() == edge.AssignStmt_Rhs && len(parent.Lhs) == len(parent.Rhs) {
			name, _ = ast.Unparen(parent.Lhs[at.ParentEdgeIndex()]).(*ast.Ident)
		}
	case *ast.ValueSpec:
		if at.ParentEdgeKind() == edge.ValueSpec_Values && len(parent.Names) == len(parent.Values) {
			name = parent.Names[at.ParentEdgeIndex()]
		}
	}
	return name != nil && c.kind != site.Box && u.returned(decl, u.TypesInfo.ObjectOf(name))
}

// converts reports whether a node is a type conversion.
func (u *unit) converts(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && u.TypesInfo.Types[call.Fun].IsType()
}

// exported reports whether other packages can call a function.
func (u *unit) exported(decl *ast.FuncDecl) bool {
	fn, ok := u.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok || !fn.Exported() {
		return false
	}
	receiver := fn.Signature().Recv()
	if receiver == nil {
		return true
	}
	t := receiver.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Exported()
}

// returned reports whether a function returns v or its address.
func (u *unit) returned(decl *ast.FuncDecl, v types.Object) (found bool) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				e = ast.Unparen(e)
				if address, ok := e.(*ast.UnaryExpr); ok {
					e = ast.Unparen(address.X)
				}
				name, ok := e.(*ast.Ident)
				found = found || ok && v != nil && u.TypesInfo.Uses[name] == v
			}
		}
		return true
	})
	return found
}
