package reach

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unevaluated returns the expression in a range statement or call that may not be evaluated at run
// time, so that a nil pointer in it does not cause a panic. This is the operand of a size or length
// that depends only on the type, or an array whose elements the loop does not use. unevaluated
// returns nil if everything is evaluated.
func unevaluated(info *types.Info, n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if n.Value == nil && sized(info.TypeOf(n.X)) {
			return n.X
		}
	case *ast.CallExpr:
		if len(n.Args) == 1 && byType(info, n) {
			return n.Args[0]
		}
	}
	return nil
}

// byType reports whether a call calls a builtin function whose result may depend only on the
// operand's type.
func byType(info *types.Info, call *ast.CallExpr) bool {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if selector, is := ast.Unparen(call.Fun).(*ast.SelectorExpr); is {
		name, ok = selector.Sel, true
	}
	if !ok {
		return false
	}
	builtin, ok := info.Uses[name].(*types.Builtin)
	if !ok {
		return false
	}
	switch builtin.Name() {
	case "len", "cap":
		return sized(info.TypeOf(call.Args[0]))
	case "Sizeof", "Alignof", "Offsetof":
		return true
	}
	return false
}

// sized reports whether the type of a value may determine its length. This is the case for arrays,
// pointers to arrays, and type parameters that may stand for either. Erroneous expressions have no
// type.
func sized(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, array := t.Underlying().(*types.Array)
	return array
}

// findUnevaluated collects the expressions that may not be evaluated at run time, although the SSA
// form contains instructions for them.
func (m *Module) findUnevaluated() {
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if e := unevaluated(p.TypesInfo, n); e != nil {
					m.unevaluated = append(m.unevaluated, extent{e.Pos(), e.End()})
				}
				return true
			})
		}
	}
}

// An extent is a range of source positions.
type extent struct{ from, to token.Pos }

// mayNotRun reports whether an instruction belongs to an expression that may not be evaluated at
// run time.
func (m *Module) mayNotRun(i ssa.Instruction) bool {
	return slices.ContainsFunc(m.unevaluated, func(e extent) bool { return e.from <= i.Pos() && i.Pos() < e.to })
}

// allStores returns the stores to a variable, including those in closures. If other code may also
// set the variable, the result contains nil.
func allStores(a ssa.Value) (all []*ssa.Store) {
	for _, use := range uses(a) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != a {
				return append(all, nil)
			}
			all = append(all, use)
		case *ssa.MakeClosure:
			for i, b := range use.Bindings {
				if b == a {
					all = append(all, allStores(use.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return append(all, nil)
		}
	}
	return all
}

// uses returns the instructions that use a value. It returns none for constants, functions and
// package variables, because package ssa does not record their uses.
func uses(v ssa.Value) []ssa.Instruction {
	if list := v.Referrers(); list != nil {
		return *list
	}
	return nil
}
