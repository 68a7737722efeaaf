package reach

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
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
	_, name := o.(*types.TypeName)
	switch {
	case name && c.IsOwner(o.Type()) && c.opaque(o.Type()), !c.exposed.in(o.Type()):
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

// opaque reports whether other modules can do nothing with values of an owner that they make themselves, although its name is exported, as with
//
//	type Parser struct{ at int; words []string } // and methods that are not exported
//
// They can declare such values, share them and copy them, but no code of the module ever gets one: no field and no method is exported, and no
// interface has methods that the owner has, not even those of type parameters. Who gets an owner of the module is asked elsewhere.
func (c *confinement) opaque(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeParams().Len() > 0 || types.Comparable(n) {
		return false // comparing two of them would not compile any more
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() {
			return false
		}
	}
	pointer := types.NewPointer(n)
	for m := range c.methodSets.MethodSet(pointer).Methods() {
		if m.Obj().Exported() {
			return false
		}
	}
	return !c.taken(pointer)
}

// taken reports whether the module may take an owner out of an interface, or call methods of one that is behind an interface.
func (c *confinement) taken(pointer types.Type) bool {
	seen := map[types.Type]bool{}
	for _, p := range c.loaded {
		if p.TypesInfo == nil {
			continue
		}
		for _, value := range p.TypesInfo.Types {
			i, ok := types.Unalias(value.Type).Underlying().(*types.Interface)
			if !ok || i.NumMethods() == 0 || seen[i] {
				continue
			}
			seen[i] = true
			if c.hasMethods(pointer, i) {
				return true
			}
		}
	}
	for _, fn := range c.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if a, ok := i.(*ssa.TypeAssert); ok && c.Carries(a.AssertedType) {
					return true
				}
			}
		}
	}
	return false
}
