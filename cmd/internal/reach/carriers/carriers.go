// Package carriers finds the types whose values lead to an owner.
package carriers

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// Carriers is a set of types whose values lead to an owner. It contains the owner's type, types
// with a field, an element or a result of such a type, and interfaces that may contain a value of
// such a type.
type Carriers struct {
	set    *token.FileSet
	owners map[string]bool // the owner, and types that are declared with its fields, by their keys
	named  map[string]bool // these, and the interfaces and structs that Include added
	known  map[types.Type]bool
}

// New returns a Carriers that initially contains only the given owners.
func New(fset *token.FileSet, owners map[string]bool) *Carriers {
	return &Carriers{fset, owners, maps.Clone(owners), map[types.Type]bool{}}
}

// Clone returns a copy of c. Adding types to the copy does not change c.
func (c *Carriers) Clone() *Carriers {
	return &Carriers{c.set, c.owners, maps.Clone(c.named), map[types.Type]bool{}}
}

// Include adds a declared type to the carriers. It reports whether the type is new.
func (c *Carriers) Include(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	key := typekey.OfName(c.set, n.Origin().Obj())
	if c.named[key] {
		return false
	}
	c.named[key] = true
	c.known = map[types.Type]bool{}
	return true
}

// Carries reports whether a value of type t may lead to an owner.
func (c *Carriers) Carries(t types.Type) bool {
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

// leads implements Carries. It inspects t and its component types.
func (c *Carriers) leads(t types.Type, seen map[string]bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		key := typekey.OfName(c.set, t.Origin().Obj())
		if c.named[key] {
			return true
		}
		for arg := range t.TypeArgs().Types() {
			if c.leads(arg, seen) {
				return true
			}
		}
		if key += strconv.Itoa(t.TypeArgs().Len()); t.TypeArgs().Len() > 0 {
			key = typekey.Of(t)
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
	case *types.Signature: // code that holds the function can get its results
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

// Holds reports whether a value of type t is or contains an owner, so that copying the value copies
// the owner.
func (c *Carriers) Holds(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if c.owners[typekey.OfName(c.set, t.Origin().Obj())] {
			return true
		}
		return c.Holds(t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if c.Holds(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return c.Holds(t.Elem())
	}
	return false
}

// IsOwner reports whether t is the owner's type, or another type that is declared with the same
// fields.
func (c *Carriers) IsOwner(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && c.owners[typekey.OfName(c.set, n.Origin().Obj())]
}

// Of describes, for messages, a type that leads to the owner.
func (c *Carriers) Of(t types.Type) string {
	if c.IsOwner(t) {
		return typekey.Short(t)
	}
	if p, ok := t.Underlying().(*types.Pointer); ok && c.IsOwner(p.Elem()) {
		return typekey.Short(p.Elem())
	}
	return fmt.Sprintf("%s, which leads to the owner", typekey.Short(t))
}
