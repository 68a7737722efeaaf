package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// growth describes an initially empty slice, and the only loop that appends to it.
type growth struct {
	pass     *analysis.Pass
	file     *ast.File
	name     string
	variable token.Pos // where the slice is declared or emptied
	object   types.Object
	loop     ast.Stmt
	count    string // Go code for the number of appended elements
	raw      string // the same count, as prealloc writes it
	watch    *watch // finds changes by the body of the loop
}

// find searches for the declaration at pos, and for the loop in the same list of statements. It
// returns false if several statements append to the slice, or if a statement outside a loop does.
// It also returns false if other code may set the slice before the loop ends, or if the loop has
// effects before its first iteration.
func (g *growth) find(pos token.Pos) bool {
	ast.Inspect(g.file, func(n ast.Node) bool {
		if n == nil || n.End() <= pos || pos < n.Pos() {
			return false
		}
		list := statements(n)
		for i, s := range list {
			if s.Pos() <= pos && pos < s.End() && g.empties(s) {
				g.findLoop(list[i+1:])
			}
		}
		return true
	})
	if g.loop == nil {
		return false
	}
	g.watch = newWatch(g.pass, g.file, bodyOf(g.loop))
	return g.onlyAppends() && g.startsPurely()
}

func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// empties reports whether a statement sets the variable to an empty slice.
func (g *growth) empties(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			spec, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, name := range spec.Names {
				if name.Name == g.name && (len(spec.Values) == 0 || i < len(spec.Values) && g.isEmpty(spec.Values[i])) {
					g.setVariable(name)
					return g.object != nil
				}
			}
		}
	case *ast.AssignStmt:
		for i, left := range s.Lhs {
			name, ok := left.(*ast.Ident)
			if ok && name.Name == g.name && len(s.Lhs) == len(s.Rhs) && g.isEmpty(s.Rhs[i]) {
				g.setVariable(name)
				return g.object != nil
			}
		}
	}
	return false
}

func (g *growth) setVariable(name *ast.Ident) {
	g.variable, g.object = name.Pos(), g.pass.TypesInfo.ObjectOf(name)
}

// isEmpty reports whether an expression is a slice without elements.
func (g *growth) isEmpty(e ast.Expr) bool {
	info := g.pass.TypesInfo
	switch e := e.(type) {
	case *ast.Ident:
		return info.Types[e].IsNil()
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		if builtin(info, e) == "make" && len(e.Args) == 2 {
			size := info.Types[e.Args[1]].Value
			return size != nil && size.String() == "0"
		}
		return info.Types[e.Fun].IsType() && len(e.Args) == 1 && info.Types[e.Args[0]].IsNil()
	}
	return false
}

func (g *growth) findLoop(after []ast.Stmt) {
	g.loop = nil
	for _, s := range after {
		if len(g.appendsIn(s)) == 0 {
			continue
		}
		switch s.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if g.loop == nil && !g.leaves(s) {
				g.loop = s
				continue
			}
		}
		g.loop = nil
		return
	}
}

// appendsIn returns the calls of append in s that append to the variable.
func (g *growth) appendsIn(s ast.Stmt) (calls []*ast.CallExpr) {
	ast.Inspect(s, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && builtin(g.pass.TypesInfo, call) == "append" && g.names(call.Args[0], g.object) {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

// builtin returns the name of the called built-in function, or "" if the function is not built in.
func builtin(info *types.Info, call *ast.CallExpr) string {
	if f, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && info.Types[call.Fun].IsBuiltin() {
		return f.Name
	}
	return ""
}

// names reports whether an expression is an identifier that denotes v.
func (g *growth) names(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && g.pass.TypesInfo.ObjectOf(name) == v
}

// bodyOf returns the body of a loop.
func bodyOf(loop ast.Stmt) *ast.BlockStmt {
	if s, ok := loop.(*ast.ForStmt); ok {
		return s.Body
	}
	return loop.(*ast.RangeStmt).Body
}

// leaves reports whether a loop, or a nested loop that appends, may end early or have an iteration
// that ends early. prealloc also checks this, but not in the cases of a switch, and only partly in
// nested loops.
func (g *growth) leaves(loop ast.Stmt) (found bool) {
	ast.PreorderStack(loop, nil, func(n ast.Node, above []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			left := target(n, above)
			found = found || n.Label != nil || n.Tok == token.GOTO || left != nil && len(g.appendsIn(left)) > 0
		}
		return true
	})
	return found
}

// target returns the loop to which a break or a continue without a label refers, or nil if there is
// none.
func target(b *ast.BranchStmt, above []ast.Node) ast.Stmt {
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n.(ast.Stmt)
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if b.Tok != token.CONTINUE {
				return nil
			}
		}
	}
	return nil
}
