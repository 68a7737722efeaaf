package facts

import (
	"go/ast"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// grows returns the struct of this package that has, as a field, the slice to which the candidate
// appends. It returns nil if the candidate is not an append to such a field.
func (u *unit) grows(c *candidate, sites []*site.Site) *site.Owner {
	call, ok := c.at.Node().(*ast.CallExpr)
	if !ok || c.kind != site.Append {
		return nil
	}
	field, ok := ast.Unparen(call.Args[0]).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	t := u.structOf(u.TypesInfo.TypeOf(field.X))
	if t == nil {
		return nil
	}
	o := u.prepared(t, sites)
	o.Type, o.How = t.Name(), "field "+field.Sel.Name
	return &o
}

// structOf returns the name of the struct type of this package that t is or points to. It returns
// nil for other types.
func (u *unit) structOf(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != u.Types {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named.Origin().Obj()
}

// refilled recognizes a conversion string(b) in which b is part of a buffer that is refilled from a
// reader. It assumes this if b comes from another field, or from a method, of a struct that has a
// reader as a field. It returns the names of the struct and of this field, such as Tokenizer.r, or
// "" otherwise.
func (u *unit) refilled(c *candidate) string {
	call, ok := c.at.Node().(*ast.CallExpr)
	if !ok || c.kind != site.ToString || len(call.Args) != 1 {
		return ""
	}
	e := call.Args[0]
	if name, ok := ast.Unparen(e).(*ast.Ident); ok {
		e = u.setBy(c, u.TypesInfo.ObjectOf(name))
	}
	for e != nil {
		switch x := ast.Unparen(e).(type) {
		case *ast.SliceExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.SelectorExpr:
			if t := u.structOf(u.TypesInfo.TypeOf(x.X)); t != nil {
				if r := reader(t.Type().Underlying().(*types.Struct)); r != "" {
					return t.Name() + "." + r
				}
			}
			e = x.X
		default:
			return ""
		}
	}
	return ""
}

// setBy returns the expression that was last assigned to v before the candidate, in source order
// and in the candidate's function. It returns nil if there is none.
func (u *unit) setBy(c *candidate, v types.Object) (e ast.Expr) {
	if c.function.decl == nil || v == nil {
		return nil
	}
	ast.Inspect(c.function.decl, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Pos() > c.at.Node().Pos() {
			return true
		}
		for i, left := range a.Lhs {
			if name, ok := left.(*ast.Ident); ok && u.TypesInfo.ObjectOf(name) == v {
				e = a.Rhs[min(i, len(a.Rhs)-1)]
			}
		}
		return true
	})
	return e
}

// reader returns the name of the first field of s that has a Read method with a byte slice as its
// parameter. It returns "" if there is none.
func reader(s *types.Struct) string {
	for f := range s.Fields() {
		m, _, _ := types.LookupFieldOrMethod(f.Type(), true, f.Pkg(), "Read")
		fn, ok := m.(*types.Func)
		if !ok {
			continue
		}
		sig := fn.Signature()
		if sig.Params().Len() != 1 || sig.Results().Len() != 2 {
			continue
		}
		if list, ok := sig.Params().At(0).Type().Underlying().(*types.Slice); ok && types.Identical(list.Elem(), types.Typ[types.Byte]) {
			return f.Name()
		}
	}
	return ""
}
