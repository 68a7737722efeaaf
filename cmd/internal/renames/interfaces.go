package renames

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// interfaces leaves to the user each interface method that a type of Coppice, or a type that embeds
// such a type, now has under a different name. Such a type no longer implements the interface.
// Whether to rename the interface's method depends on the other types that implement it.
func (l *look) interfaces(p *packages.Package) {
	var having []*types.Pointer // pointers to types that have such methods
	known := map[types.Type]bool{}
	add := func(t types.Type) {
		if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(named) && !known[named] {
			known[named] = true
			if set := types.NewMethodSet(types.NewPointer(named)); l.anyRenamed(set) {
				having = append(having, types.NewPointer(named))
			}
		}
	}
	wanting := map[*types.Interface]bool{}
	for _, tv := range p.TypesInfo.Types {
		if tv.Type == nil {
			continue
		}
		add(tv.Type)
		if it, ok := tv.Type.Underlying().(*types.Interface); ok && it.NumMethods() > 0 {
			wanting[it] = true
		}
	}
	for it := range wanting {
		for _, t := range having {
			if types.Implements(t, it) {
				l.renamedIn(it, t)
			}
		}
	}
}

// anyRenamed reports whether a type has a method whose name has changed.
func (l *look) anyRenamed(set *types.MethodSet) bool {
	for m := range set.Methods() {
		if names[l.key(m.Obj())] != "" {
			return true
		}
	}
	return false
}

// renamedIn leaves to the user those methods of the interface that t now has under a different
// name.
func (l *look) renamedIn(it *types.Interface, t *types.Pointer) {
	for wanted := range it.Methods() {
		method, _, _ := types.LookupFieldOrMethod(t, true, l.pkg, wanted.Name())
		if now := names[l.key(method)]; now != "" && l.key(wanted) == "" {
			l.leave(wanted.Pos(), nameOf(t)+" has "+now+" instead of "+wanted.Name()+" now, and does not implement this interface any more")
		}
	}
}

// nameOf returns the qualified name of the type that pointer points to, without type arguments.
func nameOf(pointer *types.Pointer) string {
	named := pointer.Elem().(*types.Named)
	if pkg := named.Obj().Pkg(); pkg != nil {
		return pkg.Name() + "." + named.Obj().Name()
	}
	return named.Obj().Name()
}
