package facts

import (
	"cmp"
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// owners returns the structs of the package to which the candidate's function has a pointer. The
// receiver comes first, then the parameters, then the parameters of the enclosing function
// literals, innermost first.
func (u *unit) owners(c *candidate, sites []*site.Site) (all []site.Owner) {
	add := func(list *ast.FieldList, how string) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			t := u.ownerType(field.Type)
			if t == nil {
				t = u.behind(field.Type)
			}
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
	slices.SortStableFunc(all, func(a, b site.Owner) int { return cmp.Compare(u.ofNoFile(a), u.ofNoFile(b)) })
	return all
}

// ofNoFile returns 1 if a struct cannot be changed because its //line directive names a file that
// does not exist, and 0 otherwise. It is a sort key for owners.
func (u *unit) ofNoFile(o site.Owner) int {
	object := u.Types.Scope().Lookup(strings.TrimPrefix(o.Type, "*"))
	if object == nil {
		return 0
	}
	at := u.Fset.Position(object.Pos()).Filename
	if at == u.Fset.PositionFor(object.Pos(), false).Filename { // its file has no //line directives
		return 0
	}
	if _, err := os.Stat(at); err != nil {
		return 1
	}
	return 0
}

// behind returns the struct whose pointers an unexported interface type of the package contains. It
// is the only struct of the package whose pointer type implements the interface. A parser, for
// example, often stores its lexer in such an interface. behind returns nil if e does not have such
// an interface type, or if there is not exactly one such struct. It ignores structs of other
// packages.
func (u *unit) behind(e ast.Expr) (found *types.TypeName) {
	named, ok := types.Unalias(u.TypesInfo.TypeOf(e)).(*types.Named)
	if !ok || named.Obj().Pkg() != u.Types || named.Obj().Exported() || named.TypeParams().Len() > 0 {
		return nil
	}
	i, ok := named.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return nil
	}
	for _, name := range u.Types.Scope().Names() {
		t, ok := u.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		if _, ok := t.Type().Underlying().(*types.Struct); ok && types.Implements(types.NewPointer(t.Type()), i) {
			if found != nil {
				return nil
			}
			found = t
		}
	}
	return found
}

// Against describes a struct type as a possible owner, including the objections to it. The number
// of instances is unknown.
func Against(pkg *packages.Package, t *types.TypeName) site.Owner {
	u := &unit{Package: pkg, root: inspector.New(pkg.Syntax).Root()}
	o := u.prepared(t, nil)
	o.Type = "*" + t.Name()
	return o
}

// ownerType returns the name of a struct type of this package if e denotes a pointer to it, and nil
// otherwise.
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

// prepared returns those facts about a struct as an owner that are the same for all sites.
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

// callers returns the lines of this package that call or mention the candidate's function.
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
