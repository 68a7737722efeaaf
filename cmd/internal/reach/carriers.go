package reach

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"strconv"
)

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
	set    *token.FileSet
	owners map[string]bool // the owner, and types that are declared to have its fields, by their keys
	named  map[string]bool // these, interfaces and holders
	known  map[types.Type]bool
}

func newCarriers(fset *token.FileSet, owners map[string]bool) *carriers {
	return &carriers{fset, owners, maps.Clone(owners), map[types.Type]bool{}}
}

// clone returns a copy that can get more of them.
func (c *carriers) clone() *carriers {
	return &carriers{c.set, c.owners, maps.Clone(c.named), map[types.Type]bool{}}
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
		if c.owners[nameKey(c.set, t.Origin().Obj())] {
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

// isOwner tells the owner itself, and types with its fields.
func (c *carriers) isOwner(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && c.owners[nameKey(c.set, n.Origin().Obj())]
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
