package image

import (
	"hash/fnv"
	"io"
	"reflect"
	"strconv"
)

// ShapeOf returns a fingerprint of the types of keys and values. It depends on the kinds, sizes and
// offsets of all their fields and elements, but not on names. Two types that differ only in names
// have the same shape. Types with int, uint or uintptr have a different shape on 32-bit machines.
// Strings have the same shape on all machines, because containers store their bytes elsewhere.
func ShapeOf[K, V any]() uint64 { return Shape(reflect.TypeFor[K](), reflect.TypeFor[V]()) }

// Shape implements ShapeOf for any number of types.
func Shape(types ...reflect.Type) uint64 {
	h := fnv.New64a()
	for _, t := range types {
		describe(h, t)
		io.WriteString(h, ";")
	}
	return h.Sum64()
}

// describe writes a description of the layout of a type. Types with different layouts have
// different descriptions; names are not part of a description.
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

// Bools contains the offsets of the bools in values of a type. A bool that was read from a file can
// be any byte, but the compiler assumes that it is 0 or 1. The compiler may, for example, convert a
// bool to a number and use the number as an index without a bounds check. A container whose types
// have bools therefore checks each value of an opened file before Go code reads it.
type Bools []uintptr

// BoolsOf returns the offsets of the bools in values of type t; most types have none.
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
				break // the elements have none
			}
		}
	case reflect.Struct:
		for f := range t.Fields() {
			all = appendBools(all, f.Type, at+f.Offset)
		}
	}
	return all
}

// Valid reports whether each bool is 0 or 1 in value, which contains the bytes of one value of the
// type.
func (b Bools) Valid(value []byte) bool {
	for _, at := range b {
		if value[at] > 1 {
			return false
		}
	}
	return true
}
