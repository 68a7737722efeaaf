package deephash

import (
	"reflect"
	"strings"
)

// A typePlan describes how to hash the values of one type.
type typePlan struct {
	kind     deepKind
	elem     *typePlan   // plan of the elements, the pointer's target, or the map's values
	key      *typePlan   // plan for the keys of a map
	fields   []planField // hashed fields of a struct; for a vector, see vectorPlan
	name     uint64      // hash of the type's name
	empty    bool        // whether values have size zero, so that their addresses mean nothing
	pointers bool        // for a map: whether its keys hold pointers or interfaces
	nested   bool        // for a slice: whether it may contain itself without a pointer in between

	typeName string   // name of a struct type
	all      []string // names of all fields of a struct
	met      uint64   // for a struct: number of the last call of Hash that found one
}

type planField struct {
	index int
	plan  *typePlan
}

// A deepKind is a reflect.Kind, reduced to the distinctions that matter for hashing.
type deepKind uint8

const (
	deepIgnored deepKind = iota
	deepBool
	deepInt
	deepUint
	deepFloat
	deepComplex
	deepString
	deepBytes
	deepSlice
	deepArray
	deepStruct
	deepVector // an inline.Vec, which is hashed like a slice
	deepPointer
	deepMap
	deepInterface
)

var deepKinds = [...]deepKind{
	reflect.Bool: deepBool,
	reflect.Int:  deepInt, reflect.Int8: deepInt, reflect.Int16: deepInt, reflect.Int32: deepInt, reflect.Int64: deepInt,
	reflect.Uint: deepUint, reflect.Uint8: deepUint, reflect.Uint16: deepUint, reflect.Uint32: deepUint, reflect.Uint64: deepUint,
	reflect.Float32: deepFloat, reflect.Float64: deepFloat,
	reflect.Complex64: deepComplex, reflect.Complex128: deepComplex,
	reflect.String: deepString, reflect.Slice: deepSlice, reflect.Array: deepArray, reflect.Struct: deepStruct,
	reflect.Pointer: deepPointer, reflect.Map: deepMap, reflect.Interface: deepInterface,
	reflect.Uintptr: deepIgnored, reflect.Chan: deepIgnored, reflect.Func: deepIgnored, reflect.UnsafePointer: deepIgnored,
}

// plan returns the typePlan of t.
func (h *DeepHasher) plan(t reflect.Type) *typePlan {
	if p := h.plans[t]; p != nil {
		return p
	}
	name := deepTypeName(t)
	p := &typePlan{name: deepMixString(0, name), empty: t.Size() == 0}
	h.plans[t] = p // stored before the plans of its element types, which may lead back to t
	if ignoredType(t) {
		return p
	}
	p.kind = deepKinds[t.Kind()]
	switch p.kind {
	case deepSlice:
		p.elem = h.plan(t.Elem())
		if t.Elem().Kind() == reflect.Uint8 {
			p.kind = deepBytes
		}
		p.nested = nests(t.Elem(), t)
	case deepArray, deepPointer:
		p.elem = h.plan(t.Elem())
		if p.kind == deepPointer && p.elem.kind == deepIgnored {
			p.kind = deepIgnored
		}
	case deepMap:
		p.key, p.elem = h.plan(t.Key()), h.plan(t.Elem())
		p.pointers = holdsPointers(t.Key())
	case deepStruct:
		if !h.vectorPlan(p, t) {
			h.structPlan(p, t, name)
		}
	}
	return p
}

func (h *DeepHasher) structPlan(p *typePlan, t reflect.Type, name string) {
	p.typeName = name
	for i := range t.NumField() {
		f := t.Field(i)
		p.all = append(p.all, f.Name)
		if plan := h.plan(f.Type); plan.kind != deepIgnored && !h.skip[name+"."+f.Name] {
			p.fields = append(p.fields, planField{i, plan})
		}
	}
}

// vectorPlan reports whether t is an inline.Vec and, if so, makes p its plan. The fields of the
// plan are the spilled elements, the number of inline elements, and the inline elements.
func (h *DeepHasher) vectorPlan(p *typePlan, t reflect.Type) bool {
	if t.PkgPath() != deepLibrary+"/inline" || !strings.HasPrefix(t.Name(), "Vec[") {
		return false
	}
	for _, name := range []string{"spill", "n", "inline"} {
		f, ok := t.FieldByName(name)
		if !ok {
			return false
		}
		p.fields = append(p.fields, planField{f.Index[0], h.plan(f.Type)})
	}
	p.kind, p.elem = deepVector, p.fields[0].plan.elem
	return true
}

// deepLibrary is the import path of Coppice. Its allocators are not part of the results that
// contain them.
const deepLibrary = "github.com/coppice-go/coppice"

// ignoredType reports whether values of type t are excluded from hashes, which depends on the
// package that declares t.
func ignoredType(t reflect.Type) bool { return ignoredPackage(t.PkgPath()) }

func ignoredPackage(path string) bool {
	switch path {
	case "sync", "runtime", "reflect", "hash/maphash":
		return true
	}
	if in, ok := strings.CutPrefix(path, deepLibrary+"/"); ok {
		// The following packages belong to the library. Values of Coppice's other packages, the
		// tools and workloads, are hashed.
		noun, _, _ := strings.Cut(in, "/")
		switch noun {
		case "slab", "arena", "store", "pool", "flat", "internal", "hashmap", "btree", "symbols", "cache":
			return true
		}
	}
	return strings.HasPrefix(path, "internal/")
}

// nests reports whether a value of type t, which is itself part of a slice, may contain a slice of
// type whole or an interface with no pointer or map in between. Without pointers and maps, a type
// can contain itself only through a slice.
func nests(t, whole reflect.Type) bool { return nestsIn(t, whole, map[reflect.Type]bool{}) }

func nestsIn(t, whole reflect.Type, been map[reflect.Type]bool) bool {
	if t == whole || t.Kind() == reflect.Interface {
		return true
	}
	if been[t] || ignoredType(t) {
		return false
	}
	been[t] = true
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return nestsIn(t.Elem(), whole, been)
	case reflect.Struct:
		for i := range t.NumField() {
			if nestsIn(t.Field(i).Type, whole, been) {
				return true
			}
		}
	}
	return false
}

// holdsPointers reports whether values of the comparable type t contain pointers or interfaces.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// deepTypeName returns the name of t. If t is a named type, its name is qualified by the full
// import path of its package.
func deepTypeName(t reflect.Type) string {
	switch {
	case t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	case t.Name() == "" && t.Kind() == reflect.Pointer:
		return "*" + deepTypeName(t.Elem())
	case t.Name() == "" && t.Kind() == reflect.Slice:
		return "[]" + deepTypeName(t.Elem())
	}
	return t.String()
}

// skipSet parses a comma-separated list of fields. Commas within the brackets of a generic type do
// not separate fields.
func skipSet(list string) map[string]bool {
	set := map[string]bool{}
	depth, start := 0, 0
	for i, c := range list + "," {
		switch c {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				set[strings.TrimSpace(list[start:i])] = true
				start = i + 1
			}
		}
	}
	return set
}
