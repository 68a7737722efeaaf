package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// plain reports whether an expression is a constant, or a local variable or a part of it that no
// call can change. It always has a value: where it has an index, that is a constant.
func (p *pass) plain(e ast.Expr) bool {
	if p.TypesInfo.Types[e].Value != nil || p.TypesInfo.Types[e].IsNil() {
		return true
	}
	v, ok := p.root(e).(*types.Var)
	return ok && v.Pkg() == p.Types && v.Parent() != p.Types.Scope() && !p.shared[v] && !p.computes(e)
}

// computes reports whether an expression with a root has an index that is no constant.
func (p *pass) computes(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return p.computes(e.X)
	case *ast.IndexExpr:
		return p.TypesInfo.Types[e.Index].Value == nil || p.computes(e.X)
	}
	return false
}

// root returns the variable that an expression is a part of, or nil if it follows a pointer on the way. It may be any part: indices
// do not count.
func (p *pass) root(e ast.Expr) types.Object { return p.partOf(e, isArray) }

// isArray tells arrays. A type parameter that may be one is none.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// partOf is root; within tells the types of what has its elements in it.
func (p *pass) partOf(e ast.Expr, within func(types.Type) bool) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.TypesInfo.Uses[e]
	case *ast.SelectorExpr:
		if s := p.TypesInfo.Selections[e]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return p.partOf(e.X, within)
		}
	case *ast.IndexExpr:
		if within(p.TypesInfo.TypeOf(e.X)) {
			return p.partOf(e.X, within)
		}
	}
	return nil
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// findShared returns the variables that somebody else may change: their address is taken, or a
// function literal uses them.
func (p *pass) findShared() map[types.Object]bool {
	all := map[types.Object]bool{}
	share := func(part ast.Expr) { all[p.partOf(part, typeset.MayBe[*types.Array])] = true }
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					share(n.X)
				}
			case *ast.SliceExpr:
				if typeset.MayBe[*types.Array](p.TypesInfo.TypeOf(n.X)) {
					share(n.X)
				}
			case *ast.SelectorExpr: // a method with a pointer receiver takes the address of what is no pointer
				if s := p.TypesInfo.Selections[n]; s != nil && s.Kind() == types.MethodVal && !isPointer(s.Recv()) && isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) {
					share(n.X)
				}
			case *ast.FuncLit:
				ast.Inspect(n.Body, func(inner ast.Node) bool {
					if name, ok := inner.(*ast.Ident); ok {
						if o := p.TypesInfo.Uses[name]; o != nil && o.Parent() != p.Types.Scope() && (o.Pos() < n.Pos() || o.Pos() > n.End()) {
							all[o] = true
						}
					}
					return true
				})
			}
			return true
		})
	}
	return all
}
