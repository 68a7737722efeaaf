package reach

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// importable reports whether code outside the module may import a package.
func (m *Module) importable(p *types.Package) bool { return p != nil && !m.mains[p.Path()] }

// declarations inspects the objects to which code of other modules can refer.
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

// declaration inspects an object of a package, and everything that other modules can reach through
// it: values that are reachable from its type; parameters and results of functions, because other
// modules may pass functions and get the owner through a type parameter; and exported methods of
// types that other modules cannot name.
func (c *confinement) declaration(o types.Object) {
	if !o.Exported() {
		return
	}
	what := "is exported and leads to the owner"
	_, function := o.(*types.Func)
	_, name := o.(*types.TypeName)
	switch {
	case name && c.IsOwner(o.Type()) && c.opaque(o.Type()), !c.exposed.finds(o.Type()):
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

// inSignature reports whether a parameter or a result leads to an owner.
func (c *confinement) inSignature(s *types.Signature) bool {
	return c.Carries(s.Params()) || c.Carries(s.Results())
}

// opaque reports whether owners that other modules create themselves cannot reach code of the
// module, although the type name is exported, as in
//
//	type Parser struct{ at int; words []string } // and methods that are not exported
//
// Other modules can declare, share and copy such values. But they cannot pass one to code of the
// module, because it has no exported fields or methods, and implements no interface with methods,
// not even a constraint. Values that the module itself creates are checked elsewhere.
func (c *confinement) opaque(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeParams().Len() > 0 || types.Comparable(n) {
		return false // comparisons of two values would no longer compile
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
	return !c.mayBeExtracted(pointer)
}

// mayBeExtracted reports whether the module may extract an owner from an interface with a type
// assertion, or call an owner's method through an interface.
func (c *confinement) mayBeExtracted(pointer types.Type) bool {
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

// Always reports whether every value of the interface type pkgPath.name is a non-nil pointer to the
// struct owner of the same package. A parser often stores its lexer in such an interface. Always
// inspects the values that the module itself converts to the interface. Other modules must be
// unable to pass a value of the interface type, so Always returns false if any name that they can
// use leads to it.
func (m *Module) Always(pkgPath, name, owner string) bool {
	if m.unknown(pkgPath) != "" {
		return false
	}
	a := &alwaysCheck{Module: m, nils: &nils{m, map[asked]bool{}}, name: pkgPath + "." + name, owner: pkgPath + "." + owner}
	if m.named(a.name) {
		return false
	}
	put := 0
	for _, fn := range m.functions {
		for _, p := range fn.Params {
			if a.denotes(p.Type()) && fn.Object() != nil && m.Linked(pathOf(fn.Object()), symbol(fn)) != "" {
				return false
			}
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !a.fits(i, &put) {
					return false
				}
			}
		}
	}
	return put > 0
}

// asserted reports whether a type assertion never yields a nil pointer: the module does not convert
// nil pointers of the asserted type to an interface, and other modules cannot name the type.
func (n *nils) asserted(v *ssa.TypeAssert) bool {
	pointer, ok := types.Unalias(v.AssertedType).(*types.Pointer)
	if !ok || v.CommaOk || n.seenBefore(v, 0) {
		return ok && !v.CommaOk
	}
	name := fullName(pointer.Elem())
	if name == "" || n.named(name) {
		return false
	}
	n.findBoxes()
	return n.boxedNotNil(v.AssertedType)
}

// alwaysCheck implements Module.Always. It inspects all values of one interface type.
type alwaysCheck struct {
	*Module
	nils        *nils
	name, owner string
}

// denotes reports whether t is the interface type that is being checked.
func (a *alwaysCheck) denotes(t types.Type) bool { return fullName(t) == a.name }

// fullName returns the package path and name of a type, or "" for types that are not declared at
// package level.
func fullName(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	return pathOf(n.Obj()) + "." + n.Obj().Name()
}

// named reports whether other modules can use a name that leads to the given type.
func (m *Module) named(name string) (found bool) {
	if known, ok := m.exposing[name]; ok {
		return known
	}
	if m.exposing == nil {
		m.exposing = map[string]bool{}
	}
	defer func() { m.exposing[name] = found }()
	w := &walk{Module: m, found: func(t types.Type) bool { return fullName(t) == name }, seen: map[string]bool{}}
	for _, p := range m.loaded {
		if !m.importable(p.Types) {
			continue
		}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if o := scope.Lookup(name); o.Exported() && w.finds(o.Type()) {
				return true
			}
		}
	}
	return false
}

// fits reports whether an instruction is consistent with Always: it converts only non-nil pointers
// to the owner to the interface type, and does not use a nil interface value. It adds the number of
// conversions to put.
func (a *alwaysCheck) fits(i ssa.Instruction, put *int) bool {
	for _, o := range i.Operands(nil) {
		if c, ok := (*o).(*ssa.Const); ok && a.denotes(c.Type()) {
			return false
		}
	}
	v, ok := i.(ssa.Value)
	if !ok || !a.denotes(v.Type()) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return true
	case *ssa.MakeInterface:
		*put++
		pointer, ok := types.Unalias(v.X.Type()).(*types.Pointer)
		return ok && fullName(pointer.Elem()) == a.owner && a.nils.notNil(v.X, v)
	}
	return false
}
