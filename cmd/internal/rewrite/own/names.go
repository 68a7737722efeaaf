package own

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// fieldNames returns a name for the field that allocates values of a type, and the plural of the
// type's name. The field name is derived from the plural or, if that name is taken, chosen
// differently.
func (p *pass) fieldNames(o *owner, t types.Type) (name, plural string) {
	single := singular(t)
	plural = pluralOf(single)
	name = plural
	for i := 1; p.taken(o, name); i++ {
		name = single + "Slab"
		if i > 1 {
			name += strconv.Itoa(i)
		}
	}
	return name, plural
}

// singular returns a variable name that is derived from the name of a type.
func singular(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return lowerFirst(t.Obj().Name())
	case *types.Basic:
		return t.Name()
	case *types.Pointer:
		return singular(t.Elem()) + "Ptr"
	case *types.Slice:
		return singular(t.Elem()) + "List"
	case *types.Array:
		return singular(t.Elem()) + "Array"
	case *types.Map:
		return singular(t.Elem()) + "Map"
	}
	return "value"
}

// lowerFirst converts an exported name to an unexported one: Node becomes node, URL becomes
// url, HTTPNode becomes httpNode.
func lowerFirst(name string) string {
	runes := []rune(strings.TrimLeft(name, "_"))
	if len(runes) == 0 {
		return "value"
	}
	for i, r := range runes {
		if i > 0 && (!unicode.IsUpper(r) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// pluralOf returns the English plural of a name. The result is correct for most names.
func pluralOf(name string) string {
	end := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasSuffix(name, s) })
	}
	switch {
	case end("ss", "x", "ch", "sh", "z"):
		return name + "es"
	case end("s"):
		return name
	case end("y") && !end("ay", "ey", "oy", "uy"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// taken reports whether a field cannot have the given name, because another new field has this name
// or because code in the module prevents it.
func (p *pass) taken(o *owner, name string) bool {
	return slices.ContainsFunc(o.slabs, func(a *slab) bool { return a.name == name }) || p.module.Taken(o.Name, name) != ""
}
