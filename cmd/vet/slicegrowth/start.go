package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// onlyAppends reports whether only the appends in the loop set the slice, from the statement that
// makes it empty to the end of the loop.
func (g *growth) onlyAppends() bool {
	end := g.loop.End()
	if g.variable != g.object.Pos() {
		end = g.watch.around.End() // the next iteration of an outer loop may use the same variable
	}
	if at := g.watch.exposure(g.object); !isLocal(g.object) || at.IsValid() && at < end {
		return false
	}
	only, own := true, map[ast.Expr]bool{}
	g.watch.eachTarget(g.watch.around, func(to, by ast.Expr) {
		switch inLoop := g.loop.Pos() <= to.Pos() && to.Pos() < g.loop.End(); {
		case !g.names(to, g.object):
		case inLoop && by != nil:
			own[by] = true
		case inLoop || g.variable < to.Pos() && to.Pos() < g.loop.Pos():
			only = false
		}
	})
	for _, call := range g.appendsIn(g.loop) {
		only = only && own[call]
		delete(own, call)
	}
	return only && len(own) == 0
}

// startsPurely reports whether the count may be computed before the loop starts. It may if the code
// before the first iteration calls no function, cannot panic, and sets only variables of the loop.
func (g *growth) startsPurely() bool {
	loop, ok := g.loop.(*ast.ForStmt)
	return !ok || g.declares(loop.Init) && (loop.Cond == nil || !g.hasEffects(loop.Cond)) // what may panic in the condition is also in the count
}

// declares reports whether the first clause of a loop declares variables with pure values, or is
// absent.
func (g *growth) declares(clause ast.Stmt) bool {
	assign, ok := clause.(*ast.AssignStmt)
	if !ok {
		return clause == nil
	}
	return assign.Tok == token.DEFINE && !slices.ContainsFunc(assign.Rhs, func(e ast.Expr) bool { return !g.pure(e) })
}

// pure reports whether the evaluation of a node has no effect and cannot panic.
func (g *growth) pure(n ast.Node) bool {
	info, pure := g.pass.TypesInfo, !g.hasEffects(n)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				pure = pure && info.Types[n].Value != nil
			}
		case *ast.SelectorExpr:
			s := info.Selections[n]
			pure = pure && (s == nil || !s.Indirect() && !isPointer(s.Recv()))
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			pure = false
		}
		return pure
	})
	return pure
}

// hasEffects reports whether the evaluation of a node may do more than compute a value.
func (g *growth) hasEffects(n ast.Node) (found bool) {
	info := g.pass.TypesInfo
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch builtin(info, n) {
			case "len", "cap":
			default:
				_, basic := info.TypeOf(n).Underlying().(*types.Basic)
				found = found || !basic || !info.Types[n.Fun].IsType()
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			found = true
		}
		return !found
	})
	return found
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
