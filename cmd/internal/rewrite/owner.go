package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/copies"
)

// An Owner is a struct type that contains the allocators from which other values come.
type Owner struct {
	Name   string
	Object *types.Named
	Fields *ast.FieldList // fields in the declaration of the type
}

// Owner returns the struct with the given name.
func (c *Code) Owner(name string) (*Owner, error) {
	object, ok := c.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s has no type %s", c.PkgPath, name)
	}
	o := &Owner{Name: name}
	o.Object, _ = object.Type().(*types.Named)
	if o.Object == nil || o.Object.TypeParams().Len() > 0 {
		return nil, fmt.Errorf("%s is an alias or generic, so it cannot be an owner", name)
	}
	if o.Fields = c.fieldsOf(object); o.Fields == nil {
		return nil, fmt.Errorf("%s is not a struct that this package declares, so it cannot be an owner", name)
	}
	return o, nil
}

// NotAtHand returns the reason for leaving a site unchanged if none of its enclosing functions has
// the owner as a parameter or receiver.
func (o *Owner) NotAtHand() string { return "no " + o.Name + " at hand" }

// At returns the parameter or receiver through which the code at a site can use the owner: a
// pointer to the owner that no code compares with nil. If there is none, At returns nil and the
// reason.
func (c *Code) At(s Site, o *Owner) (v *types.Var, why string) {
	for i := len(s.Stack) - 1; i >= 0; i-- {
		var lists []*ast.FieldList
		switch n := s.Stack[i].(type) {
		case *ast.FuncDecl:
			lists = []*ast.FieldList{n.Recv, n.Type.Params}
		case *ast.FuncLit:
			lists = []*ast.FieldList{n.Type.Params}
		}
		for _, list := range lists {
			if name := c.parameter(list, o.Object); name != nil {
				return c.reach(s, name)
			}
		}
	}
	return nil, o.NotAtHand()
}

// reach returns the variable that a name declares, if the code at a site can use the variable as
// the owner: no other declaration shadows the name there, and no code compares the variable with
// nil. Otherwise, reach returns nil and the reason.
func (c *Code) reach(s Site, name *ast.Ident) (v *types.Var, why string) {
	object := c.TypesInfo.Defs[name]
	if c.compared[object] {
		return nil, "the owner may be nil"
	}
	_, seen := c.Types.Scope().Innermost(s.Node.Pos()).LookupParent(name.Name, s.Node.Pos())
	if seen != object {
		return nil, "another variable has the name of the owner"
	}
	return object.(*types.Var), ""
}

// fieldsOf returns the fields in the declaration of a struct.
func (c *Code) fieldsOf(object types.Object) *ast.FieldList {
	for _, file := range c.Syntax {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && c.TypesInfo.Defs[s.Name] == object {
					if t, ok := s.Type.(*ast.StructType); ok {
						return t.Fields
					}
				}
			}
		}
	}
	return nil
}

// NotCopied returns an error if code copies values of a type, or if another type contains the type.
// The error names the first position at which this happens.
func (c *Code) NotCopied(t *types.Named) error {
	nodes := []ast.Node{(*ast.Ident)(nil), (*ast.StarExpr)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.CallExpr)(nil), (*ast.Field)(nil)}
	const why = ", and two copies would hand out the same memory"
	return c.mayOwn(t, nodes, func(n ast.Node, stack []ast.Node) string {
		switch n := n.(type) {
		case *ast.Field:
			if types.Identical(c.TypesInfo.TypeOf(n.Type), t) {
				return "is a field, a parameter, a result or a receiver" + why
			}
		case ast.Expr:
			value := c.TypesInfo.Types[n]
			if value.IsValue() && types.Identical(value.Type, t) && copies.Value(n, stack) && !c.alwaysZero(n) {
				return "is copied" + why
			}
		}
		return ""
	})
}

// Named returns an error unless all literals of a type have field names. The error names the first
// literal without them, which would not compile if the type got an additional field.
func (c *Code) Named(t *types.Named) error {
	return c.mayOwn(t, []ast.Node{(*ast.CompositeLit)(nil)}, func(n ast.Node, _ []ast.Node) string {
		literal := n.(*ast.CompositeLit)
		if !types.Identical(c.TypesInfo.TypeOf(literal), t) || len(literal.Elts) == 0 {
			return ""
		}
		if _, keyed := literal.Elts[0].(*ast.KeyValueExpr); keyed {
			return ""
		}
		return "is written without field names"
	})
}

// mayOwn returns an error for the first node of the given kinds that prevents a type from owning
// allocators. The function why returns the reason for one node.
func (c *Code) mayOwn(t *types.Named, nodes []ast.Node, why func(n ast.Node, stack []ast.Node) string) (err error) {
	inspector.New(c.Syntax).WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push || err != nil {
			return err == nil
		}
		if why := why(n, stack); why != "" {
			at := c.Fset.PositionFor(n.Pos(), false)
			err = fmt.Errorf("%s cannot be an owner: in %s:%d it %s", t.Obj().Name(), at.Filename, at.Line, why)
		}
		return true
	})
	return err
}

// alwaysZero reports whether an expression is a variable of the package that is never set. A copy
// of such a variable is harmless, because the variable owns no allocator.
func (c *Code) alwaysZero(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := c.TypesInfo.Uses[name].(*types.Var)
	return ok && v.Parent() == c.Types.Scope() && !v.Exported() && !c.Shared(v) && !c.set(v)
}

// set reports whether the package assigns a value to a variable or to a part of it.
func (c *Code) set(v *types.Var) (found bool) {
	for _, file := range c.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, name := range n.Names {
					found = found || c.TypesInfo.Defs[name] == v && len(n.Values) > 0
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					found = found || c.Root(left) == v
				}
			case *ast.IncDecStmt:
				found = found || c.Root(n.X) == v
			case *ast.RangeStmt:
				found = found || n.Key != nil && c.Root(n.Key) == v || n.Value != nil && c.Root(n.Value) == v
			}
			return true
		})
	}
	return found
}

// parameter returns the name of the first named parameter that is a pointer to the type.
func (c *Code) parameter(list *ast.FieldList, t *types.Named) *ast.Ident {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		pointer, ok := c.TypesInfo.TypeOf(f.Type).(*types.Pointer)
		if ok && types.Identical(pointer.Elem(), t) && len(f.Names) > 0 && f.Names[0].Name != "_" {
			return f.Names[0]
		}
	}
	return nil
}
