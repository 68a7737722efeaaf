package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A setting is a place that may set a variable.
type setting struct {
	at      token.Pos
	by      ast.Expr // the value that an assignment of one value gives
	address bool     // it takes the address
	later   bool     // it stands in a function literal that does not declare the variable
}

// settings are all places of the file that may set a variable.
func (g *growth) settings(v types.Object) (all []setting) {
	ast.PreorderStack(g.file, nil, func(n ast.Node, above []ast.Node) bool {
		add := func(e, by ast.Expr, address bool) {
			if e == nil || !g.names(e, v) {
				return
			}
			later := slices.ContainsFunc(above, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				return ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
			})
			all = append(all, setting{e.Pos(), by, address, later})
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					add(left, n.Rhs[i], false)
				} else {
					add(left, nil, false)
				}
			}
		case *ast.IncDecStmt:
			add(n.X, nil, false)
		case *ast.RangeStmt:
			add(n.Key, nil, false)
			add(n.Value, nil, false)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X, nil, true)
			}
		case *ast.SelectorExpr: // a method with a pointer receiver takes the address of what is no pointer
			if s := g.pass.TypesInfo.Selections[n]; s != nil && s.Kind() == types.MethodVal && isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) {
				add(n.X, nil, !isPointer(s.Recv()))
			}
		}
		return true
	})
	return all
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// onlyAppends reports whether nothing but the appends of the loop sets the slice from where it is
// emptied to the end of the loop.
func (g *growth) onlyAppends() bool {
	return !slices.ContainsFunc(g.settings(g.object), func(s setting) bool {
		switch {
		case s.at >= g.loop.End() && g.variable == g.object.Pos(): // there is no other turn with this variable
			return false
		case s.address || s.later:
			return true
		case g.loop.Pos() <= s.at && s.at < g.loop.End():
			call, ok := s.by.(*ast.CallExpr)
			return !ok || !g.isBuiltin(call, "append") || !g.names(call.Args[0], g.object)
		}
		return g.variable < s.at && s.at < g.loop.Pos()
	})
}

// startsCalmly reports whether what the loop does before its first turn can be done after the count
// is computed as well: it calls nothing, cannot panic, and sets variables of its own.
func (g *growth) startsCalmly() bool {
	loop, ok := g.loop.(*ast.ForStmt)
	if !ok {
		return true
	}
	if loop.Init != nil {
		assign, ok := loop.Init.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE || slices.ContainsFunc(assign.Rhs, func(e ast.Expr) bool { return !g.calm(e) }) {
			return false
		}
	}
	return loop.Cond == nil || !g.acts(loop.Cond) // the count has what the condition may panic at
}

// calm reports whether an expression has no effect and cannot panic.
func (g *growth) calm(e ast.Expr) bool {
	calm := !g.acts(e)
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			calm = calm && (g.pass.TypesInfo.Types[n].Value != nil || n.Op != token.QUO && n.Op != token.REM && n.Op != token.SHL && n.Op != token.SHR)
		case *ast.SelectorExpr:
			s := g.pass.TypesInfo.Selections[n]
			calm = calm && (s == nil || !s.Indirect() && !isPointer(s.Recv()))
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			calm = false
		}
		return calm
	})
	return calm
}

// acts reports whether an expression may do more than compute a value.
func (g *growth) acts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !(g.isBuiltin(n, "len") || g.isBuiltin(n, "cap") || g.pass.TypesInfo.Types[n.Fun].IsType() && g.basic(n))
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			found = true
		}
		return !found
	})
	return found
}

// basic reports whether an expression is a number, a text or a truth.
func (g *growth) basic(e ast.Expr) bool {
	_, ok := g.pass.TypesInfo.TypeOf(e).Underlying().(*types.Basic)
	return ok
}

// appendsAsCounted reports whether each turn of the loop appends what was counted before it: no
// inner loop appends, and what is appended as a whole has the length that it had.
func (g *growth) appendsAsCounted() bool {
	fine := true
	ast.Inspect(g.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			fine = fine && (n == g.loop || !g.appends(n.(ast.Stmt)))
		case *ast.CallExpr:
			if g.isBuiltin(n, "append") && n.Ellipsis.IsValid() && g.names(n.Args[0], g.object) {
				fine = fine && g.keepsLength(n.Args[1])
			}
		}
		return fine
	})
	return fine
}

// keepsLength reports whether the loop cannot change the length of an expression: it is made of
// constants and of local variables that nothing sets in the loop.
func (g *growth) keepsLength(e ast.Expr) bool {
	keeps := true
	ast.Inspect(e, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || g.pass.TypesInfo.Types[e].IsType() || g.pass.TypesInfo.Types[e].Value != nil {
			return ok && keeps && g.pass.TypesInfo.Types[e].Value == nil
		}
		switch e := e.(type) {
		case *ast.Ident:
			v, isVar := g.pass.TypesInfo.Uses[e].(*types.Var)
			keeps = keeps && (g.pass.TypesInfo.Types[e].IsBuiltin() || isVar && v.Parent() != g.pass.Pkg.Scope() && !g.setInLoop(v))
		case *ast.CallExpr:
			keeps = keeps && (g.isBuiltin(e, "len") || g.pass.TypesInfo.Types[e.Fun].IsType())
		case *ast.ParenExpr, *ast.SliceExpr, *ast.CompositeLit, *ast.BinaryExpr:
		default:
			keeps = false
		}
		return keeps
	})
	return keeps
}

// setInLoop reports whether the loop, or a function that it calls, may set a variable.
func (g *growth) setInLoop(v *types.Var) bool {
	return slices.ContainsFunc(g.settings(v), func(s setting) bool {
		return s.address || s.later || g.loop.Pos() <= s.at && s.at < g.loop.End()
	})
}
