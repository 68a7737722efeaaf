package change

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// ownVariables reports whether statements set only variables that nobody sees when the function has panicked.
func (g *arrays) ownVariables(all []ast.Stmt) bool {
	for _, s := range all {
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range assign.Lhs {
			name, ok := ast.Unparen(left).(*ast.Ident)
			if !ok {
				return false
			}
			v, ok := g.Package.TypesInfo.ObjectOf(name).(*types.Var)
			if name.Name != "_" && (!ok || v.Parent() == g.Package.Types.Scope() || g.locals.Shared(v)) {
				return false
			}
		}
	}
	return true
}

// fits reports whether the conversion of a length to int keeps it, or makes it negative, on computers of 32 bits too.
func (g *arrays) fits(e ast.Expr) bool {
	value := g.Package.TypesInfo.Types[e]
	if value.Value != nil {
		return true
	}
	basic, ok := value.Type.Underlying().(*types.Basic)
	return ok && !slices.Contains([]types.BasicKind{types.Int64, types.Uint64, types.Uintptr}, basic.Kind())
}

// pure reports whether an expression always has a value, which no call can change.
func (g *arrays) pure(e ast.Expr) bool {
	info := g.Package.TypesInfo
	e = ast.Unparen(e)
	if g.locals.Plain(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD || e.Op == token.XOR || e.Op == token.NOT) && g.pure(e.X)
	case *ast.BinaryExpr:
		basic, ok := info.TypeOf(e).Underlying().(*types.Basic)
		return ok && basic.Info()&types.IsNumeric != 0 && (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL) && g.pure(e.X) && g.pure(e.Y)
	case *ast.CallExpr:
		if len(e.Args) != 1 {
			return false
		}
		if info.Types[e.Fun].IsType() {
			from, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
			to, ok2 := info.TypeOf(e).Underlying().(*types.Basic)
			return ok && ok2 && from.Info()&types.IsNumeric != 0 && to.Info()&types.IsNumeric != 0 && g.pure(e.Args[0])
		}
		return g.isLen(e) && g.locals.Plain(e.Args[0])
	}
	return false
}

// isLen reports whether an expression is the length of a slice, a string or an array; that of a map or a channel may change.
func (g *arrays) isLen(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !g.Package.TypesInfo.Types[call.Fun].IsBuiltin() {
		return false
	}
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "len" {
		return false
	}
	switch g.Package.TypesInfo.TypeOf(call.Args[0]).Underlying().(type) {
	case *types.Slice, *types.Basic, *types.Array:
		return true
	}
	return false
}

// certain reports whether a make cannot panic: its length is not negative, and not more than its capacity, and there can be as much
// memory.
func (g *arrays) certain(p part) bool {
	info := g.Package.TypesInfo
	if length, capacity := info.Types[p.length].Value, info.Types[p.capacity].Value; p.length != p.capacity &&
		(length == nil || capacity == nil && constant.Sign(length) != 0) { // of two constants the compiler knows
		return false
	}
	elem := g.sizeOf(info.TypeOf(p.expr).Underlying().(*types.Slice).Elem())
	if v := info.Types[p.capacity].Value; v != nil {
		const most = 1 << 24 // bytes, which any computer has
		n, ok := constant.Int64Val(constant.ToInt(v))
		return ok && n <= most/elem // the compiler rejects negative constants
	}
	of := g.lengthOf(p.capacity)
	if of == nil {
		return false
	}
	const most = 8 // times the memory of a list: that of a list of numbers that has a length of bytes
	switch t := info.TypeOf(of).Underlying().(type) {
	case *types.Slice:
		return !dependsOnParameter(t.Elem()) && elem <= most*g.sizeOf(t.Elem())
	case *types.Basic:
		return elem <= most
	}
	return false
}

// lengthOf returns what an expression is the length of: len(x), or a variable that is only ever set to one. It is nil for others.
func (g *arrays) lengthOf(e ast.Expr) (of ast.Expr) {
	e = ast.Unparen(e)
	if g.isLen(e) {
		return e.(*ast.CallExpr).Args[0]
	}
	name, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	v, sets := g.Package.TypesInfo.Uses[name], 0
	ast.Inspect(g.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := ast.Unparen(left).(*ast.Ident); ok && g.Package.TypesInfo.ObjectOf(id) == v {
					sets++
					if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && g.isLen(n.Rhs[i]) {
						of = ast.Unparen(n.Rhs[i]).(*ast.CallExpr).Args[0]
					}
				}
			}
		case *ast.IncDecStmt, *ast.RangeStmt, *ast.ValueSpec, *ast.Field:
			if g.sets(n, v) {
				sets++
			}
		}
		return true
	})
	if sets != 1 {
		return nil
	}
	return of
}

// sets reports whether a node gives a variable a value, other than an assignment does.
func (g *arrays) sets(n ast.Node, v types.Object) bool {
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && g.Package.TypesInfo.ObjectOf(id) == v
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return is(ast.Unparen(n.X))
	case *ast.RangeStmt:
		return n.Key != nil && is(ast.Unparen(n.Key)) || n.Value != nil && is(ast.Unparen(n.Value))
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return is(id) })
	case *ast.Field:
		return slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return is(id) })
	}
	return false
}
