package reach

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/reach/carriers"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// HasMember reports whether a struct of a package has a field or method with the given name, in
// this build or its tests. It also returns true for promoted fields and methods, and for names that
// are ambiguous because several embedded fields provide them.
func (m *Module) HasMember(pkgPath, structName, name string) bool {
	for _, p := range m.variants(pkgPath) {
		if object := p.Types.Scope().Lookup(structName); object != nil {
			if member, index, _ := types.LookupFieldOrMethod(object.Type(), true, p.Types, name); member != nil || index != nil {
				return true
			}
		}
	}
	return false
}

// HasName reports whether a package, including its tests, declares a name in this build, or whether
// one of its files imports a package under that name. No file of the package can then declare the
// name again.
func (m *Module) HasName(pkgPath, name string) bool {
	for _, p := range m.variants(pkgPath) {
		if p.Types.Scope().Lookup(name) != nil {
			return true
		}
		for _, file := range p.Syntax {
			for _, spec := range file.Imports {
				if imported := p.TypesInfo.PkgNameOf(spec); imported != nil && (imported.Name() == name || imported.Name() == "." && imported.Imported().Scope().Lookup(name) != nil) {
					return true
				}
			}
		}
	}
	return false
}

// variants returns the loaded variants of a package: with its tests and without them.
func (m *Module) variants(pkgPath string) (all []*packages.Package) {
	for _, p := range m.loaded {
		if p.PkgPath == pkgPath {
			all = append(all, p)
		}
	}
	return all
}

// Promotes returns the first position in any package at which a struct embeds the given struct, so
// that fields and methods are promoted. The struct may be embedded directly or indirectly, by value
// or by pointer. Promotes returns "" if no struct embeds it.
func (m *Module) Promotes(pkgPath, name string) (where string) {
	owner := pkgPath + "." + name
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok && where == "" {
					if t := p.TypesInfo.TypeOf(s); t != nil && m.promoted(t, owner, map[string]bool{}) {
						where = m.place(s.Pos())
					}
				}
				return where == ""
			})
		}
	}
	return where
}

// promoted reports whether t embeds the owner, at any depth. An embedded type always has a name, so
// type arguments are irrelevant.
func (m *Module) promoted(t types.Type, owner string, seen map[string]bool) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if !field.Embedded() {
			continue
		}
		inner := types.Unalias(field.Type())
		if pointer, ok := inner.(*types.Pointer); ok {
			inner = types.Unalias(pointer.Elem())
		}
		key := typekey.Of(inner)
		if named, ok := inner.(*types.Named); ok {
			key = typekey.OfName(m.fset, named.Origin().Obj())
		}
		if key == owner {
			return true
		}
		if !seen[key] {
			seen[key] = true
			if m.promoted(inner, owner, seen) {
				return true
			}
		}
	}
	return false
}

// Names returns the names through which a file of the package may get an owner: the name of its
// type, and the names of declarations that accept, contain or return an owner. It calls Confined to
// find the types that lead to an owner.
func (m *Module) Names(pkgPath, structName string) []string {
	names := map[string]bool{structName: true}
	m.Confined(pkgPath, structName)
	c := m.carriersOf[pkgPath+"."+structName]
	for _, p := range m.variants(pkgPath) {
		for id, object := range p.TypesInfo.Defs {
			if c != nil && object != nil && id.Name != "_" && id.Name != "init" && id.Name != "main" && hasOwner(c, object) {
				names[id.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// hasOwner reports whether a package-level declaration, a method or a field accepts, contains or
// returns an owner.
func hasOwner(c *carriers.Carriers, object types.Object) bool {
	t := object.Type()
	switch object := object.(type) {
	case *types.Func:
		if receiver := object.Signature().Recv(); receiver != nil && c.Carries(receiver.Type()) {
			return true
		}
	case *types.Var:
		if !object.IsField() && object.Parent() != object.Pkg().Scope() {
			return false
		}
	case *types.TypeName:
		if object.Parent() != object.Pkg().Scope() {
			return false
		}
	default:
		return false
	}
	s, function := t.Underlying().(*types.Signature)
	return c.Carries(t) || function && (c.Carries(s.Params()) || c.Carries(s.Results()))
}

// Sees reports whether this build includes a file.
func (m *Module) Sees(name string) bool {
	for _, p := range m.loaded {
		if slices.Contains(p.CompiledGoFiles, name) {
			return true
		}
	}
	return false
}
