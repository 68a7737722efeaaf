package own

import (
	"fmt"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// ownerOf returns the owner with the given name, or an error if no field can be added to the
// struct. It does not check whether the struct is copied; the method fit does.
func (p *pass) ownerOf(name string) (*owner, error) {
	if o, ok := p.owners[name]; ok {
		return o, nil
	}
	object, err := p.Owner(name)
	if err != nil {
		return nil, err
	}
	if err := p.Named(object.Object); err != nil {
		return nil, err
	}
	if why := Declared(p.Package, object.Object.Obj(), p.module); why != "" {
		return nil, fmt.Errorf("%s cannot get a field: %s", name, why)
	}
	o := &owner{Owner: object}
	p.owners[name] = o
	return o, nil
}

// slabOf returns the owner's slab for a type. It adds a new slab if there is none.
func (p *pass) slabOf(o *owner, t types.Type) *slab {
	for _, s := range o.slabs {
		if types.Identical(s.typ, t) {
			return s
		}
	}
	name, plural := p.fieldNames(o, t)
	s := &slab{name: name, plural: plural, typ: t}
	o.slabs = append(o.slabs, s)
	return s
}

// reach returns the expression for the owner at a site, usually a variable, or the reason why the
// code at the site has no such expression. In a function that gets a variant with an arena, the
// expression is the arena parameter.
func (p *pass) reach(s rewrite.Site, o *owner) (where, why string) {
	if p.arena != nil && s.Function() == p.arena.decl && !s.InClosure() {
		return p.arena.parameter, ""
	}
	v, why := p.At(s, o.Owner)
	if why == o.NotAtHand() {
		if where := p.asserted(s, o); where != "" {
			return where, ""
		}
	}
	if why != "" {
		return "", why
	}
	return v.Name(), p.refuseReach(s, v)
}

// asserted returns an expression for the owner at a site: a type assertion of a parameter whose
// interface type always contains an owner. It returns "" if the function has no such parameter.
// Parsers often store their lexers in this way.
func (p *pass) asserted(s rewrite.Site, o *owner) string {
	fn := s.Function()
	if fn == nil || s.InClosure() {
		return ""
	}
	at := p.Types.Scope().Innermost(s.Node.Pos())
	seen := func(name string) types.Object {
		_, object := at.LookupParent(name, s.Node.Pos())
		return object
	}
	for _, field := range fn.Type.Params.List {
		named, ok := types.Unalias(p.TypesInfo.TypeOf(field.Type)).(*types.Named)
		if !ok || !types.IsInterface(named) || named.Obj().Parent() != p.Types.Scope() || named.TypeParams().Len() > 0 {
			continue
		}
		for _, name := range field.Names {
			v := p.TypesInfo.Defs[name]
			if v != nil && !p.callers.reassign[v] && seen(name.Name) == v && seen(o.Name) == o.Object.Obj() && p.module.Always(p.PkgPath, named.Obj().Name(), o.Name) {
				return name.Name + ".(*" + o.Name + ")"
			}
		}
	}
	return ""
}

// refuseReach returns the reason why the code at a site cannot use an owner through the variable
// that points to it, or "" if it can.
func (p *pass) refuseReach(s rewrite.Site, v *types.Var) string {
	if p.callers.reassign[v] {
		return "the variable of the owner is assigned to"
	}
	if !p.notNil(v, s.Node) {
		return "the owner may be nil: nothing follows the pointer before, and not every caller is known to have one"
	}
	if why := p.module.Captured(p.at(v.Pos()), p.at(s.Node.Pos())); why != "" {
		return "a function literal would get the owner: " + why
	}
	return ""
}

// source returns the expression that hands out the values of a site, and its counterpart in the
// witness form. For slabs, both select a field of the owner, whose expression is passed in where.
func (p *pass) source(s rewrite.Site, a *Ask, where string) (from, inWitness string) {
	if p.arena != nil {
		return p.arena.source(where), ""
	}
	field := p.slabOf(p.owners[a.Owner], s.Type).name
	return where + "." + field, watched(where, field, a.Owner)
}
