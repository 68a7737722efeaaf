package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// Locals is a package with an analysis of its variables. It finds expressions that no call can
// change.
type Locals struct {
	*packages.Package
	shared map[types.Object]bool // variables that other code may change
}

// LocalsOf analyzes the variables of a package.
func LocalsOf(pkg *packages.Package) Locals {
	l := Locals{Package: pkg}
	l.shared = l.findShared()
	return l
}

// Plain reports whether an expression is a constant, a local variable or a part of one, and no call
// can change it. Evaluating a plain expression cannot panic, because each index in it is a
// constant.
func (l Locals) Plain(e ast.Expr) bool {
	if l.TypesInfo.Types[e].Value != nil || l.TypesInfo.Types[e].IsNil() {
		return true
	}
	v, ok := l.Root(e).(*types.Var)
	return ok && v.Pkg() == l.Types && v.Parent() != l.Types.Scope() && !l.shared[v] && !l.computes(e)
}

// computes reports whether an expression contains an index that is not a constant. The expression
// must be a part of a variable (see Root).
func (l Locals) computes(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return l.computes(e.X)
	case *ast.IndexExpr:
		return l.TypesInfo.Types[e.Index].Value == nil || l.computes(e.X)
	}
	return false
}

// Root returns the variable x for the expression x, and for an expression that selects a part of x,
// such as x.f, or x[i] if x is an array, whatever the values of indices are. It returns nil if
// evaluating the expression follows a pointer.
func (l Locals) Root(e ast.Expr) types.Object { return l.partOf(e, isArray) }

// isArray reports whether a type is an array type. It returns false for a type parameter that may
// be an array.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// partOf implements Root. The function within reports whether values of a type contain their
// elements, as arrays do, or only point to them.
func (l Locals) partOf(e ast.Expr, within func(types.Type) bool) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return l.TypesInfo.Uses[e]
	case *ast.SelectorExpr:
		if s := l.TypesInfo.Selections[e]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return l.partOf(e.X, within)
		}
	case *ast.IndexExpr:
		if within(l.TypesInfo.TypeOf(e.X)) {
			return l.partOf(e.X, within)
		}
	}
	return nil
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// Shared reports whether other code may change a variable, because its address is taken or a
// function literal uses it.
func (l Locals) Shared(v types.Object) bool { return l.shared[v] }

// findShared returns the variables that other code may change.
func (l Locals) findShared() map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, file := range l.Syntax {
		l.sharing(file, func(v types.Object, _ token.Pos) { all[v] = true })
	}
	return all
}

// SharedAt returns the positions at which a variable of a function becomes shared (see Shared).
// Before the first of these positions, only the function itself can change the variable.
func (l Locals) SharedAt(v types.Object, function *ast.FuncDecl) (all []token.Pos) {
	l.sharing(function, func(other types.Object, at token.Pos) {
		if other == v {
			all = append(all, at)
		}
	})
	return all
}

// sharing visits the expressions by which other code can change a variable: expressions that take
// its address, and function literals that use it.
func (l Locals) sharing(within ast.Node, visit func(v types.Object, at token.Pos)) {
	share := func(part ast.Expr) { visit(l.partOf(part, typeset.MayBe[*types.Array]), part.Pos()) }
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				share(n.X)
			}
		case *ast.SliceExpr:
			if typeset.MayBe[*types.Array](l.TypesInfo.TypeOf(n.X)) {
				share(n.X)
			}
		case *ast.SelectorExpr: // a method with a pointer receiver takes the operand's address
			if s := l.TypesInfo.Selections[n]; s != nil && s.Kind() == types.MethodVal && !isPointer(s.Recv()) && isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) {
				share(n.X)
			}
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(inner ast.Node) bool {
				if name, ok := inner.(*ast.Ident); ok {
					if o := l.TypesInfo.Uses[name]; o != nil && o.Parent() != l.Types.Scope() && (o.Pos() < n.Pos() || o.Pos() > n.End()) {
						visit(o, n.Pos())
					}
				}
				return true
			})
		}
		return true
	})
}
