package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/copies"
)

// formatPos formats a position as a base name and a line number, as in parse.go:12.
func (u *unit) formatPos(pos token.Pos) string {
	p := u.shown(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.file), p.line)
}

// lockOf returns the name of the struct field that is a lock or contains one by value, or "" if
// there is none. Types with the methods Lock and Unlock are treated as locks, and so are atomic
// values, because both indicate that goroutines share the struct. The types in above are already
// being searched.
func lockOf(t types.Type, above []types.Type) string {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || slices.Contains(above, t) {
		return ""
	}
	above = append(above, t)
	for f := range s.Fields() {
		if f.Name() == "_" { // a blank field cannot be locked; it exists so that go vet finds copies
			continue
		}
		inner := f.Type()
		for {
			a, ok := inner.Underlying().(*types.Array)
			if !ok {
				break
			}
			inner = a.Elem()
		}
		if isLock(inner) {
			return f.Name()
		}
		if deeper := lockOf(inner, above); deeper != "" {
			return f.Name() + "." + deeper
		}
	}
	return ""
}

func isLock(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) {
		return false
	}
	if p := named.Obj().Pkg(); p != nil && (p.Path() == "sync" || p.Path() == "sync/atomic") {
		return true
	}
	has := func(name string) bool {
		m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, named.Obj().Pkg(), name)
		fn, ok := m.(*types.Func)
		return ok && fn.Signature().Params().Len() == 0 && fn.Signature().Results().Len() == 0
	}
	return has("Lock") && has("Unlock")
}

// pointsTo reports whether t is the type owner or a pointer to it.
func pointsTo(t types.Type, owner *types.TypeName) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Origin().Obj() == owner
}

// shared returns the first position at which an owner may be passed to another goroutine, by a go
// statement or through a channel. It returns "" if there is none.
func (u *unit) shared(owner *types.TypeName) string {
	for c := range u.root.Preorder((*ast.GoStmt)(nil), (*ast.SendStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.SendStmt:
			if pointsTo(u.TypesInfo.TypeOf(n.Value), owner) {
				return u.formatPos(n.Arrow)
			}
		case *ast.GoStmt:
			found := false
			ast.Inspect(n.Call, func(inner ast.Node) bool {
				if e, ok := inner.(ast.Expr); ok && !found {
					value := u.TypesInfo.Types[e]
					found = (value.IsValue() || isVariable(u.TypesInfo, e)) && pointsTo(u.TypesInfo.TypeOf(e), owner) && !declaredIn(u.TypesInfo, e, n)
				}
				return !found
			})
			if found {
				return u.formatPos(n.Go)
			}
		}
	}
	return ""
}

func isVariable(info *types.Info, e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = info.Uses[name].(*types.Var)
	return ok
}

// declaredIn reports whether e is a variable that is declared inside n, or an expression that
// creates a value there.
func declaredIn(info *types.Info, e ast.Expr, n ast.Node) bool {
	name, ok := e.(*ast.Ident)
	if !ok {
		_, selected := e.(*ast.SelectorExpr)
		return !selected
	}
	o := info.ObjectOf(name)
	return o == nil || n.Pos() <= o.Pos() && o.Pos() < n.End()
}

// copied returns the first position at which an owner, or a value that contains one, is copied. It
// returns "" if there is none.
func (u *unit) copied(owner *types.TypeName) string {
	copied := func(t types.Type) bool { return contains(t, owner) }
	nodes := []ast.Node{(*ast.Ident)(nil), (*ast.StarExpr)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.Field)(nil), (*ast.RangeStmt)(nil)}
	for c := range u.root.Preorder(nodes...) {
		switch n := c.Node().(type) {
		case *ast.Field:
			if u.isParameter(c) && copied(u.TypesInfo.TypeOf(n.Type)) {
				return u.formatPos(n.Pos())
			}
		case *ast.RangeStmt:
			if n.Value != nil && copied(u.TypesInfo.TypeOf(n.Value)) {
				return u.formatPos(n.For)
			}
		case ast.Expr:
			value := u.TypesInfo.Types[n]
			if !value.IsValue() && isVariable(u.TypesInfo, n) {
				value.Type = u.TypesInfo.TypeOf(n)
			} else if !value.IsValue() {
				continue
			}
			if copied(value.Type) && !u.defines(c) && copies.Value(n, stack(c)) && !u.alwaysZero(n) {
				return u.formatPos(n.Pos())
			}
		}
	}
	return ""
}

// isParameter reports whether a field list entry declares a receiver or a parameter. It returns
// false for results: a function that returns an owner either creates or copies it, and both are
// detected elsewhere.
func (u *unit) isParameter(c inspector.Cursor) bool {
	list := c.Parent()
	switch up := list.Parent().Node().(type) {
	case *ast.FuncDecl:
		return up.Recv == list.Node()
	case *ast.FuncType:
		return up.Params == list.Node()
	}
	return false
}

// defines reports whether an identifier declares a variable, is a field name in a composite
// literal, or is the selected name in a selector expression.
func (u *unit) defines(c inspector.Cursor) bool {
	name, ok := c.Node().(*ast.Ident)
	if !ok {
		return false
	}
	if u.TypesInfo.Defs[name] != nil {
		return true
	}
	switch up := c.Parent().Node().(type) {
	case *ast.KeyValueExpr:
		return up.Key == name
	case *ast.SelectorExpr:
		return up.Sel == name
	}
	return false
}

// stack returns a node and its enclosing nodes, outermost first.
func stack(c inspector.Cursor) (all []ast.Node) {
	for up := range c.Enclosing() {
		if up.Node() != nil {
			all = append(all, up.Node())
		}
	}
	slices.Reverse(all)
	return all
}

// global returns the name of a package-level variable that contains an owner or points to one, or
// "" if there is none.
func (u *unit) global(owner *types.TypeName) string {
	for _, name := range u.Types.Scope().Names() {
		if v, ok := u.Types.Scope().Lookup(name).(*types.Var); ok && (pointsTo(v.Type(), owner) || contains(v.Type(), owner)) && !u.neverSet(v) {
			return name
		}
	}
	return ""
}
