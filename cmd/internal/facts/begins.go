package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// begins returns the positions in the package at which an owner is created or reset, alone or
// inside a larger value: composite literals, calls to new and make, local variable declarations,
// and assignments of a zero value.
func (u *unit) begins(owner *types.TypeName) (all []site.Begin) {
	add := func(n ast.Node, count int, typ string) {
		if span := u.span(n); span != nil {
			all = append(all, site.Begin{Span: *span, Count: count, Type: typ})
		}
	}
	for c := range u.root.Preorder((*ast.CompositeLit)(nil), (*ast.CallExpr)(nil), (*ast.DeclStmt)(nil), (*ast.AssignStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CompositeLit:
			if count := u.inLiteral(c, owner); count > 0 {
				whole, typ := u.wholeLiteral(c)
				add(whole, count, typ)
			}
		case *ast.CallExpr:
			switch t, list := u.makes(n); {
			case !contains(t, owner):
			case list:
				add(n, 0, OneLine(u.Fset, n.Args[0]))
			default:
				add(n, 1, "*"+OneLine(u.Fset, n.Args[0]))
			}
		case *ast.DeclStmt:
			if count := u.declares(n, owner); count > 0 {
				add(n, count, "")
			}
		case *ast.AssignStmt:
			if count := u.resets(n, owner); count > 0 && inList(c) {
				add(n, count, "")
			}
		}
	}
	return all
}

// inLiteral returns the number of owners that a composite literal creates. Nested literals that
// have an explicit type are not included; they are counted separately.
func (u *unit) inLiteral(c inspector.Cursor, owner *types.TypeName) (count int) {
	n := c.Node().(*ast.CompositeLit)
	if n.Type == nil { // the enclosing literal counts its owners
		return 0
	}
	count = u.elided(n, owner)
	if count == 0 && contains(u.TypesInfo.TypeOf(n), owner) && !u.inOwner(c, owner) {
		return 1
	}
	return count
}

// elided returns the number of owners that the nested literals without an explicit type in a slice,
// array or map literal create, at any depth.
func (u *unit) elided(n *ast.CompositeLit, owner *types.TypeName) (count int) {
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		inner, ok := e.(*ast.CompositeLit)
		if !ok || inner.Type != nil {
			continue
		}
		t := u.TypesInfo.TypeOf(inner)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if contains(t, owner) {
			count++
		} else {
			count += u.elided(inner, owner)
		}
	}
	return count
}

// inOwner reports whether a literal is nested in another literal that contains an owner. If so,
// only the outer literal is counted.
func (u *unit) inOwner(c inspector.Cursor, owner *types.TypeName) bool {
	up := c.Parent()
	for {
		switch n := up.Node().(type) {
		case *ast.ParenExpr, *ast.KeyValueExpr:
			up = up.Parent()
		case *ast.CompositeLit:
			return contains(u.TypesInfo.TypeOf(n), owner)
		default:
			return false
		}
	}
}

// wholeLiteral returns a literal, or the &T{...} expression that it is part of, together with the
// type of the result as source code.
func (u *unit) wholeLiteral(c inspector.Cursor) (whole ast.Expr, typ string) {
	lit := c.Node().(*ast.CompositeLit)
	if written, ok := lit.Type.(*ast.ArrayType); ok && isEllipsis(written.Len) {
		typ = fmt.Sprintf("[%d]%s", u.TypesInfo.TypeOf(lit).(*types.Array).Len(), OneLine(u.Fset, written.Elt))
	} else {
		typ = OneLine(u.Fset, lit.Type)
	}
	up := c.Parent()
	for isParen(up.Node()) {
		up = up.Parent()
	}
	if address, ok := up.Node().(*ast.UnaryExpr); ok && address.Op == token.AND {
		return address, "*" + typ
	}
	return lit, typ
}

func isEllipsis(e ast.Expr) bool { _, ok := e.(*ast.Ellipsis); return ok }

func isParen(n ast.Node) bool { _, ok := n.(*ast.ParenExpr); return ok }

// makes returns the type of the value that a call to new allocates, or the element type of the
// slice that a call to make allocates. list is true for make.
func (u *unit) makes(n *ast.CallExpr) (t types.Type, list bool) {
	name, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || !u.TypesInfo.Types[n.Fun].IsBuiltin() || len(n.Args) == 0 || !u.TypesInfo.Types[n.Args[0]].IsType() {
		return nil, false
	}
	made := u.TypesInfo.TypeOf(n.Args[0])
	if name.Name == "new" {
		return made, false
	}
	if s, ok := made.Underlying().(*types.Slice); ok {
		return s.Elem(), true
	}
	return nil, false
}

// declares returns the number of owners that a local variable declaration creates.
func (u *unit) declares(n *ast.DeclStmt, owner *types.TypeName) (count int) {
	decl, ok := n.Decl.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return 0
	}
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if ok && len(v.Values) == 0 && contains(u.TypesInfo.TypeOf(v.Type), owner) {
			count += len(v.Names)
		}
	}
	return count
}

// resets returns the number of owners that an assignment resets to their zero value.
func (u *unit) resets(n *ast.AssignStmt, owner *types.TypeName) (count int) {
	if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
		return 0
	}
	for i, e := range n.Rhs {
		if u.alwaysZero(e) && contains(u.TypesInfo.TypeOf(n.Lhs[i]), owner) {
			count++
		}
	}
	return count
}

// inList reports whether a statement is an element of a statement list, so that another statement
// can be inserted after it.
func inList(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}
