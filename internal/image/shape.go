package image

import (
	"hash/fnv"
	"io"
	"reflect"
	"strconv"
)

// ShapeOf returns a fingerprint of the types of keys and values: of the kinds, sizes and places of
// all that they hold, and not of any name. So two types that differ in names only have one shape.
// Types with int, uint or uintptr have another on a 32-bit machine. A string is a string on each:
// containers keep its bytes elsewhere.
func ShapeOf[K, V any]() uint64 { return Shape(reflect.TypeFor[K](), reflect.TypeFor[V]()) }

// Shape is ShapeOf for any number of types.
func Shape(types ...reflect.Type) uint64 {
	h := fnv.New64a()
	for _, t := range types {
		describe(h, t)
		io.WriteString(h, ";")
	}
	return h.Sum64()
}

// describe writes a type without its names. No two types of different layout have one description.
func describe(w io.Writer, t reflect.Type) {
	io.WriteString(w, t.Kind().String())
	switch t.Kind() {
	case reflect.String:
		return
	case reflect.Array:
		io.WriteString(w, "["+strconv.Itoa(t.Len())+"]")
		describe(w, t.Elem())
	case reflect.Struct:
		io.WriteString(w, "{")
		for f := range t.Fields() {
			io.WriteString(w, strconv.FormatUint(uint64(f.Offset), 10)+":")
			describe(w, f.Type)
			io.WriteString(w, ",")
		}
		io.WriteString(w, "}")
	}
	io.WriteString(w, "/"+strconv.FormatUint(uint64(t.Size()), 10))
}

// Bools are the places of the bools in values of a type. A bool of a file can be any byte, and the
// compiler takes for granted that it is 0 or 1: it uses a bool as a number, and then as an index
// without a check. So a container whose types have bools looks at each value of an opened file
// before Go code does.
type Bools []uintptr

// BoolsOf returns the places of the bools in values of type t, none for most types.
func BoolsOf(t reflect.Type) Bools { return appendBools(nil, t, 0) }

func appendBools(all Bools, t reflect.Type, at uintptr) Bools {
	switch t.Kind() {
	case reflect.Bool:
		return append(all, at)
	case reflect.Array:
		for i := range t.Len() {
			before := len(all)
			all = appendBools(all, t.Elem(), at+uintptr(i)*t.Elem().Size())
			if len(all) == before {
				break // no element has one
			}
		}
	case reflect.Struct:
		for f := range t.Fields() {
			all = appendBools(all, f.Type, at+f.Offset)
		}
	}
	return all
}

// Valid tells whether each bool in the bytes of one value is 0 or 1.
func (b Bools) Valid(value []byte) bool {
	for _, at := range b {
		if value[at] > 1 {
			return false
		}
	}
	return true
}
