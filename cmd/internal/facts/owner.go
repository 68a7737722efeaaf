package facts

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// owners returns the structs of the package that the function around a candidate reaches by a pointer: the receiver
// first, then parameters, then those of function literals from the inside out.
func (u *unit) owners(c *candidate, sites []*site.Site) (all []site.Owner) {
	add := func(list *ast.FieldList, how string) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			t := u.ownerType(field.Type)
			if t == nil || len(field.Names) == 0 || field.Names[0].Name == "_" {
				continue
			}
			o := u.prepared(t, sites)
			o.Type, o.How = "*"+t.Name(), how+" "+field.Names[0].Name
			if !slices.ContainsFunc(all, func(other site.Owner) bool { return other.Type == o.Type }) {
				all = append(all, o)
			}
		}
	}
	if decl := c.function.decl; decl != nil {
		add(decl.Recv, "receiver")
		add(decl.Type.Params, "parameter")
	}
	for lit := range c.at.Enclosing((*ast.FuncLit)(nil)) {
		if n := lit.Node().(*ast.FuncLit); n != c.at.Node() {
			add(n.Type.Params, "parameter")
		}
	}
	return all
}

// Against returns what speaks against a struct of a package as an owner. Nobody knows how many there are.
func Against(pkg *packages.Package, t *types.TypeName) site.Owner {
	u := &unit{Package: pkg, root: inspector.New(pkg.Syntax).Root()}
	o := u.prepared(t, nil)
	o.Type = "*" + t.Name()
	return o
}

// ownerType returns the struct of this package that a type expression is a pointer to, or nil.
func (u *unit) ownerType(e ast.Expr) *types.TypeName {
	t := u.TypesInfo.TypeOf(e)
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() != u.Types {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named.Origin().Obj()
}

// prepared returns what is known of a struct as an owner, wherever the site is.
func (u *unit) prepared(t *types.TypeName, sites []*site.Site) site.Owner {
	if o, ok := u.against[t]; ok {
		return o
	}
	if u.against == nil {
		u.against = map[*types.TypeName]site.Owner{}
	}
	places := u.allocating(t)
	o := site.Owner{
		Lock: lockOf(t.Type(), nil), Goroutine: u.shared(t), Copied: u.copied(t), Global: u.global(t),
		Instances: u.instances(places, sites), Begins: u.begins(t),
	}
	for _, p := range places {
		o.Within = append(o.Within, p.Line)
	}
	slices.SortFunc(o.Within, func(a, b site.Line) int { return compareLines(a, b) })
	o.Within = slices.Compact(o.Within)
	u.against[t] = o
	return o
}

// callers returns the lines of this package that call the function around a candidate, or mention it.
func (u *unit) callers(c *candidate) (all []site.Line) {
	if c.function.decl == nil {
		return nil
	}
	fn := u.TypesInfo.Defs[c.function.decl.Name]
	for name, used := range u.TypesInfo.Uses {
		if origin, ok := used.(*types.Func); ok && origin.Origin() == fn {
			p := u.Fset.Position(name.Pos())
			all = append(all, site.Line{File: p.Filename, Line: p.Line})
		}
	}
	slices.SortFunc(all, compareLines)
	return slices.Compact(all)
}
