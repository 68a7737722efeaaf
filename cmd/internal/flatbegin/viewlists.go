package flatbegin

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// listOf returns the selector and the field if x selects a field that is a list.
func (v *viewer) listOf(x ast.Expr) (*ast.SelectorExpr, *field) {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	f := v.fieldOf(v.info, sel)
	if f == nil || f.next != "" {
		return nil, nil
	}
	switch f.shape.kind {
	case list, array, table, rows:
		return sel, f
	}
	return nil, nil
}

// compareList rewrites a comparison of a list with nil, so that it compares the list's length with
// 0. It returns false if n is not such a comparison.
func (v *viewer) compareList(n *ast.BinaryExpr) bool {
	sel, ok := ast.Unparen(n.X).(*ast.SelectorExpr)
	if !ok || n.Op != token.EQL && n.Op != token.NEQ || !v.info.Types[n.Y].IsNil() {
		return false
	}
	f := v.fieldOf(v.info, sel)
	if f == nil || f.shape.kind != list && f.shape.kind != table && f.shape.kind != rows || v.called[sel] {
		return false
	}
	if f.next == "" {
		v.note(n, "nil and an empty list are the same in a flat tree")
	}
	v.done[sel] = true
	v.drop(n.Y)
	v.put(sel.Sel.Pos(), sel.End(), "Num"+f.name+"()")
	v.put(n.Y.Pos(), n.Y.End(), "0")
	return true
}

// index rewrites an index expression that selects an item of a list or an entry of a map.
func (v *viewer) index(n *ast.IndexExpr) {
	sel, f := v.listOf(n.X)
	if f == nil {
		return
	}
	v.done[sel] = true
	if f.shape.kind != table {
		v.put(sel.Sel.Pos(), n.Lbrack+1, f.accessor()+"(")
		v.put(n.Rbrack, n.End(), ")")
		return
	}
	if kind := f.shape.of.fields[1].shape.kind; kind != pointing && kind != union {
		v.note(n, "%s is looked up by %s.%s%s(x, key), which returns an entry", f.full, v.fromName(), f.of.name, f.name)
		return
	}
	v.put(sel.X.Pos(), sel.X.Pos(), v.fromName()+"."+f.of.name+f.name+"(")
	v.behind(sel.X.End(), n.Lbrack+1, ", ")
	v.put(n.Rbrack, n.End(), ")")
	if tv, ok := v.info.Types[n].Type.(*types.Tuple); ok && tv.Len() == 2 {
		v.note(n, "a look-up in a view returns one value: compare it with nil instead of testing ok")
	}
}

// ranging rewrites a loop over a list.
func (v *viewer) ranging(n *ast.RangeStmt) {
	sel, f := v.listOf(n.X)
	if f == nil {
		return
	}
	v.done[sel] = true
	key, value := written(n.Key), written(n.Value)
	switch {
	case f.shape.kind == table:
		v.note(n, "the loop is over entries now, in the order of their keys: e.Key(), e.Value()")
		v.put(n.For+3, sel.X.Pos(), " e := range ")
		v.put(sel.Sel.Pos(), sel.End(), f.name)
	case key == "" && value == "":
		v.put(sel.Sel.Pos(), sel.End(), f.name)
	case key == "":
		v.put(n.For+3, sel.X.Pos(), " "+value+" "+n.Tok.String()+" range ")
		v.put(sel.Sel.Pos(), sel.End(), f.name)
	default:
		number := "Num" + f.name + "()"
		if f.shape.kind == array {
			number = fmt.Sprint(f.shape.len)
			v.drop(sel)
			v.put(n.For+3, sel.End(), " "+key+" "+n.Tok.String()+" range "+number)
		} else {
			v.put(n.For+3, sel.X.Pos(), " "+key+" "+n.Tok.String()+" range ")
			v.put(sel.Sel.Pos(), sel.End(), number)
		}
		if value != "" {
			x := types.ExprString(sel.X)
			v.put(n.Body.Lbrace+1, n.Body.Lbrace+1, fmt.Sprintf("\n%s %s %s.%s(%s)", value, n.Tok, x, f.accessor(), key))
			if _, simple := sel.X.(*ast.Ident); !simple {
				v.note(n, "read %s in the added line through views, too", x)
			}
		}
	}
	if f.shape.kind == rows && value != "" {
		v.note(n, "%s has a list: %s.Items", value, value)
	}
	if s := f.shape.elem; s != nil && s.kind == scalar && !s.isPlain() && value != "" {
		v.note(n, "%s is a %s now; convert it to %s", value, s.basic, types.TypeString(s.typ, v.qualify))
	}
}

// written returns the name of a loop variable, or "" if the loop has no such variable or the
// variable is the blank identifier.
func written(x ast.Expr) string {
	if x == nil {
		return ""
	}
	if text := types.ExprString(x); text != "_" {
		return text
	}
	return ""
}

// siblingsLoop rewrites a loop that follows the pointers from the first child to the last one.
func (v *viewer) siblingsLoop(n *ast.ForStmt) {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return
	}
	x := ast.Unparen(init.Rhs[0])
	if call, ok := x.(*ast.CallExpr); ok {
		x = call.Fun
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return
	}
	f := v.fieldOf(v.info, sel)
	post, ok := n.Post.(*ast.AssignStmt)
	child := types.ExprString(init.Lhs[0])
	if f == nil || f.next == "" || !ok || len(post.Rhs) != 1 || types.ExprString(post.Rhs[0]) != child+f.next || n.Cond == nil || types.ExprString(n.Cond) != child+" != nil" {
		return
	}
	v.done[sel] = true
	v.drop(n.Post)
	v.drop(n.Cond)
	v.put(n.For+3, sel.X.Pos(), " "+child+" := range ")
	v.put(sel.Sel.Pos(), n.Body.Lbrace, f.name+" ")
}
