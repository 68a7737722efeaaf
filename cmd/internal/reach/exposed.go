package reach

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// importable tells packages that code outside of the module may import.
func (m *Module) importable(p *types.Package) bool { return p != nil && !m.mains[p.Path()] }

// declarations looks at what other modules can name.
func (c *confinement) declarations() {
	c.exposed = &walk{Module: c.Module, found: c.Carries, seen: map[string]bool{}}
	for _, p := range c.loaded {
		if strings.HasPrefix(c.owner, p.PkgPath+".") {
			c.linked(p.Types)
		}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			o := scope.Lookup(name)
			if c.why != "" || !c.importable(p.Types) || strings.HasSuffix(c.at(o.Pos()).Filename, "_test.go") {
				continue
			}
			c.declaration(o)
		}
		if slices.ContainsFunc(p.Types.Imports(), func(i *types.Package) bool { return i == types.Unsafe }) {
			c.sizes(p.Syntax, p.TypesInfo)
		}
	}
}

// declaration looks at one object of a package, and at all that others get by it: what its type leads to, the parameters and results of
// functions, because others may hand in functions and get the owner by a type parameter, and the exported methods of types that others
// cannot name.
func (c *confinement) declaration(o types.Object) {
	if !o.Exported() {
		return
	}
	what := "is exported and leads to the owner"
	_, function := o.(*types.Func)
	switch {
	case !c.exposed.in(o.Type()):
		return
	case c.IsOwner(o.Type()):
		what = "is exported"
	case c.exposed.via != "":
		what = "is exported and leads to " + c.exposed.via + ", which gets or returns the owner"
	case function:
		what = "is exported and gets or returns the owner"
	}
	c.why = fmt.Sprintf("%s %s (%s), and code in other modules may share it or copy it", o.Name(), what, c.place(o.Pos()))
}

// inSignature reports whether a function gets or returns what leads to an owner.
func (c *confinement) inSignature(s *types.Signature) bool {
	return c.Carries(s.Params()) || c.Carries(s.Results())
}
