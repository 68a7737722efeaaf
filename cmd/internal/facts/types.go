package facts

import (
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// size returns the size of a type in bytes, or -1 if the size depends on type arguments.
func (u *unit) size(t types.Type) int64 {
	if t == nil || u.TypesSizes == nil || dependsOnArguments(t, map[types.Type]bool{}) {
		return -1
	}
	return u.TypesSizes.Sizeof(t)
}

// dependsOnArguments reports whether the size of a type depends on unknown type arguments.
func dependsOnArguments(t types.Type, seen map[types.Type]bool) bool {
	if isTypeParameter(t) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.Underlying().(type) {
	case *types.Array:
		return dependsOnArguments(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if dependsOnArguments(f.Type(), seen) {
				return true
			}
		}
	case *types.Tuple:
		return true // a tuple is not a single value
	}
	return false
}

// typeName returns a type as it is written in source code. Types of other packages are qualified
// with the package name.
func (u *unit) typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(t, func(other *types.Package) string {
		if other == u.Types {
			return ""
		}
		return other.Name()
	})
}

// pointers determines what kind of pointers the values of a type contain.
func pointers(t types.Type) site.Pointers {
	if t == nil {
		return site.SomePointers
	}
	p := pointing{to: t, found: site.NoPointers, seen: map[types.Type]bool{}}
	p.look(t)
	return p.found
}

// A pointing is the state of a search for pointers in the values of a type.
type pointing struct {
	to    types.Type
	found site.Pointers
	seen  map[types.Type]bool
}

func (p *pointing) look(t types.Type) {
	if p.seen[t] || p.found == site.SomePointers {
		return
	}
	p.seen[t] = true
	if isTypeParameter(t) {
		p.found = site.SomePointers // a type argument may contain pointers
		return
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer {
			p.found = site.SomePointers
		}
	case *types.Struct:
		for f := range t.Fields() {
			p.look(f.Type())
		}
	case *types.Array:
		if t.Len() > 0 {
			p.look(t.Elem())
		}
	case *types.Pointer:
		p.point(t.Elem())
	case *types.Slice:
		p.point(t.Elem())
	default:
		p.found = site.SomePointers
	}
}

// point records that values of type p.to contain a pointer to values of type t. Nested pointers and
// slices are unwrapped: a pointer to a slice of pointers to p.to is treated as a pointer to p.to.
func (p *pointing) point(t types.Type) {
	if types.Identical(t, p.to) {
		p.found = site.OwnPointers
		return
	}
	switch inner := types.Unalias(t).(type) {
	case *types.Pointer:
		p.point(inner.Elem())
	case *types.Slice:
		p.point(inner.Elem())
	default:
		p.found = site.SomePointers
	}
}
