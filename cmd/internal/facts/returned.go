package facts

import (
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// returnedBy returns the name of an exported function through whose result a caller may obtain the
// values of a candidate, or "" if there is none. It compares only types, so the named function may
// never actually return these values. This error is on the safe side: a value that a caller keeps
// must not be reused.
func (u *unit) returnedBy(c *candidate, f *site.Facts) string {
	if u.Name == "main" || c.typ == nil {
		return ""
	}
	if f.Result {
		return c.function.name
	}
	var like func(t types.Type) bool
	implements := func(t, want types.Type) bool { // an error or an any may hold any value, so such results are not evidence
		i, ok := t.Underlying().(*types.Interface)
		named, is := types.Unalias(t).(*types.Named)
		return ok && is && named.Obj().Pkg() != nil && !i.Empty() && !isTypeParameter(t) && (types.Implements(want, i) || types.Implements(types.NewPointer(want), i))
	}
	switch want := c.typ; c.kind {
	case site.Literal, site.New, site.Moved, site.MakeMap, site.Call:
		if p, ok := want.Underlying().(*types.Pointer); ok {
			want = p.Elem()
		}
		like = func(t types.Type) bool { return sameType(t, want) || implements(t, want) }
	case site.MakeSlice, site.Append, site.ToBytes:
		like = func(t types.Type) bool {
			s, ok := t.Underlying().(*types.Slice)
			return ok && sameType(s.Elem(), want)
		}
	default:
		return ""
	}
	if _, basic := c.typ.Underlying().(*types.Basic); basic && !leaves(f) { // byte slices are too common to be evidence
		return ""
	}
	for _, fn := range u.functions {
		if fn.decl == nil || InTest(fn.from.file) || !u.exported(fn.decl) {
			continue
		}
		results := u.TypesInfo.Defs[fn.decl.Name].(*types.Func).Signature().Results()
		for v := range results.Variables() {
			if mayContain(v.Type(), like, map[types.Type]bool{}) {
				return fn.name
			}
		}
	}
	return ""
}

// leaves reports whether a function may return a value, because the compiler says so or does not
// say where the value goes.
func leaves(f *site.Facts) bool {
	return f.NoFlow != "" || !slices.ContainsFunc(f.Escapes, func(e site.Escape) bool { return len(e.Flow) > 0 }) ||
		slices.ContainsFunc(f.Escapes, func(e site.Escape) bool {
			return slices.ContainsFunc(e.Flow, func(step string) bool { return strings.HasPrefix(step, "result ") })
		})
}

// sameType reports whether two types are identical or are instances of the same generic type.
func sameType(a, b types.Type) bool {
	if isTypeParameter(a) && isTypeParameter(b) || types.Identical(a, b) {
		return true
	}
	x, ok := types.Unalias(a).(*types.Named)
	y, is := types.Unalias(b).(*types.Named)
	return ok && is && x.Origin() == y.Origin()
}

// mayContain reports whether a value of type t may contain or point to a value of a type that
// satisfies like. It follows fields and elements.
func mayContain(t types.Type, like func(types.Type) bool, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	if seen[t] = true; like(t) {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return mayContain(t.Elem(), like, seen)
	case *types.Slice:
		return mayContain(t.Elem(), like, seen)
	case *types.Array:
		return mayContain(t.Elem(), like, seen)
	case *types.Chan:
		return mayContain(t.Elem(), like, seen)
	case *types.Map:
		return mayContain(t.Key(), like, seen) || mayContain(t.Elem(), like, seen)
	case *types.Struct:
		for v := range t.Fields() {
			if mayContain(v.Type(), like, seen) {
				return true
			}
		}
	}
	return false
}
