package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// closure adds a candidate for a function literal that captures variables of the enclosing
// function.
func (u *unit) closure(c inspector.Cursor, n *ast.FuncLit, f *function) {
	captured := u.captured(n)
	if len(captured) == 0 {
		return
	}
	const byValue = 128 // the compiler captures variables up to this size by value if they are not set later
	fields := []*types.Var{types.NewField(token.NoPos, nil, "_", types.Typ[types.Uintptr], false)}
	for _, v := range captured {
		t := v.Type()
		if size := u.size(t); size > byValue || u.set(f, v) {
			t = types.NewPointer(t)
		}
		fields = append(fields, types.NewField(token.NoPos, nil, "_", t, false))
	}
	u.add(f, candidate{kind: site.Closure, at: c, typ: u.TypesInfo.TypeOf(n), bytes: u.size(types.NewStruct(fields, nil)), length: -1}, n.Pos())
}

// captured returns the variables that a function literal captures. Each variable occurs once.
func (u *unit) captured(n *ast.FuncLit) (all []*types.Var) {
	seen := map[*types.Var]bool{}
	ast.Inspect(n.Body, func(inner ast.Node) bool {
		name, ok := inner.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := u.TypesInfo.Uses[name].(*types.Var)
		if ok && !v.IsField() && v.Pkg() == u.Types && v.Parent() != u.Types.Scope() && (v.Pos() < n.Pos() || v.Pos() >= n.End()) && !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
		return true
	})
	return all
}

// set reports whether a function assigns to v after its declaration, or takes the address of v.
func (u *unit) set(f *function, v *types.Var) (found bool) {
	if f.decl == nil || f.decl.Body == nil {
		return true
	}
	is := func(e ast.Expr) bool {
		name, ok := ast.Unparen(e).(*ast.Ident)
		return ok && u.TypesInfo.Uses[name] == v
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				found = found || is(left)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN && (n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value))
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// methodValue adds a candidate for a method value, that is, a selector x.M that is not called.
func (u *unit) methodValue(c inspector.Cursor, n *ast.SelectorExpr, f *function) {
	s := u.TypesInfo.Selections[n]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	up := c.Parent()
	for {
		if _, ok := up.Node().(*ast.ParenExpr); !ok {
			break
		}
		c, up = up, up.Parent()
	}
	if call, ok := up.Node().(*ast.CallExpr); ok && call.Fun == c.Node() {
		return
	}
	receiver := s.Recv()
	if fn, ok := s.Obj().(*types.Func); ok {
		receiver = fn.Signature().Recv().Type()
	}
	bytes := int64(-1)
	if size := u.size(receiver); size >= 0 {
		bytes = u.size(types.Typ[types.Uintptr]) + size
	}
	u.add(f, candidate{kind: site.Closure, at: c, typ: u.TypesInfo.TypeOf(n), bytes: bytes, length: -1}, u.compilerPos(n))
}

// variable adds a candidate for the declaration of a variable that escapes to the heap according to
// the compiler.
func (u *unit) variable(c inspector.Cursor, n *ast.Ident, f *function) {
	v, ok := u.TypesInfo.Defs[n].(*types.Var)
	if !ok || v.IsField() || v.Parent() == u.Types.Scope() {
		return
	}
	at, column := u.physical(n.Pos())
	if !u.escaping(at, column) {
		return
	}
	moved := candidate{kind: site.Moved, at: c, typ: v.Type(), bytes: u.size(v.Type()), length: -1}
	for up := range c.Enclosing((*ast.FieldList)(nil)) { // the variable is a parameter or a result
		switch fn := up.Parent().Node().(type) {
		case *ast.FuncDecl:
			moved.also = []token.Pos{fn.Pos()}
		case *ast.FuncType:
			moved.also = []token.Pos{fn.Pos()}
		}
		break
	}
	u.add(f, moved, n.Pos())
}

// escaping reports whether the compiler reported an escape at a position.
func (u *unit) escaping(at line, column int) bool {
	return slices.ContainsFunc(u.escapes[at], func(e escapes.Escape) bool { return e.Column == column })
}
