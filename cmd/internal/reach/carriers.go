package reach

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"strconv"
)

// typeKey is a text that identical types have in common, also those of a package and of the same package with its tests.
func typeKey(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// signatureKey is the text of a function's type without the names of its parameters, which do not count.
func signatureKey(s *types.Signature) string {
	unnamed := func(t *types.Tuple) *types.Tuple {
		var all []*types.Var
		for v := range t.Variables() {
			all = append(all, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(all...)
	}
	return typeKey(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()))
}

// nameKey is the text of a declared type. Types that functions declare have their place in it.
func nameKey(fset *token.FileSet, o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	if o.Parent() != o.Pkg().Scope() {
		return o.Pkg().Path() + "." + o.Name() + "@" + fset.PositionFor(o.Pos(), false).String()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// A fieldKey tells a field of a struct.
type fieldKey struct {
	typ   string
	field int
}

// keyOf is the key of a field of a struct, or of what a pointer to one points to.
func keyOf(fset *token.FileSet, t types.Type, field int) fieldKey {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return fieldKey{nameKey(fset, n.Origin().Obj()), field}
	}
	return fieldKey{typeKey(t), field}
}

// carriers are the types whose values lead to an owner: the owner, what has a field, an element or a result of such a type, and interfaces
// that have one behind them.
type carriers struct {
	set   *token.FileSet
	owner string
	named map[string]bool // the owner, interfaces and holders by their keys
	known map[types.Type]bool
}

func newCarriers(fset *token.FileSet, owner string) *carriers {
	return &carriers{fset, owner, map[string]bool{owner: true}, map[types.Type]bool{}}
}

// clone returns a copy that can get more of them.
func (c *carriers) clone() *carriers {
	return &carriers{c.set, c.owner, maps.Clone(c.named), map[types.Type]bool{}}
}

// add makes a declared type a carrier. It reports whether it was none before.
func (c *carriers) add(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	key := nameKey(c.set, n.Origin().Obj())
	if c.named[key] {
		return false
	}
	c.named[key] = true
	c.known = map[types.Type]bool{}
	return true
}

// carries reports whether values of a type may lead to an owner.
func (c *carriers) carries(t types.Type) bool {
	if t == nil {
		return false
	}
	known, ok := c.known[t]
	if !ok {
		known = c.leads(t, map[string]bool{})
		c.known[t] = known
	}
	return known
}

// leads looks at a type and at those below it.
func (c *carriers) leads(t types.Type, seen map[string]bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		key := nameKey(c.set, t.Origin().Obj())
		if c.named[key] {
			return true
		}
		for arg := range t.TypeArgs().Types() {
			if c.leads(arg, seen) {
				return true
			}
		}
		if key += strconv.Itoa(t.TypeArgs().Len()); t.TypeArgs().Len() > 0 {
			key = typeKey(t)
		}
		if seen[key] {
			return false
		}
		seen[key] = true
		return c.leads(t.Underlying(), seen)
	case *types.Pointer:
		return c.leads(t.Elem(), seen)
	case *types.Slice:
		return c.leads(t.Elem(), seen)
	case *types.Array:
		return c.leads(t.Elem(), seen)
	case *types.Chan:
		return c.leads(t.Elem(), seen)
	case *types.Map:
		return c.leads(t.Key(), seen) || c.leads(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if c.leads(f.Type(), seen) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if c.leads(v.Type(), seen) {
				return true
			}
		}
	case *types.Signature: // who has the function has what it returns
		return c.leads(t.Results(), seen)
	case *types.Interface:
		for f := range t.Methods() {
			if c.leads(f.Signature().Results(), seen) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a value of a type is an owner or has one in it, so that a copy of the value is a copy of the owner.
func (c *carriers) holds(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if nameKey(c.set, t.Origin().Obj()) == c.owner {
			return true
		}
		return c.holds(t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if c.holds(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return c.holds(t.Elem())
	}
	return false
}

// isOwner tells the owner itself.
func (c *carriers) isOwner(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && nameKey(c.set, n.Origin().Obj()) == c.owner
}

// short is a type as people write it.
func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// of names a type that leads to the owner.
func (c *carriers) of(t types.Type) string {
	if c.isOwner(t) {
		return short(t)
	}
	if p, ok := t.Underlying().(*types.Pointer); ok && c.isOwner(p.Elem()) {
		return short(p.Elem())
	}
	return fmt.Sprintf("%s, which leads to the owner", short(t))
}
