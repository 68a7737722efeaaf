package flat

import (
	"fmt"
	"go/types"
)

// A field describes a field of a record in the schema.
type field struct {
	name, typ string
	from      string // name of the field in the Go package
	// convert returns the statements that copy the field. from and to are expressions.
	convert func(from, to string) string
}

// wide maps types whose size depends on the machine to their types in the schema.
var wide = map[types.BasicKind]string{types.Int: "int64", types.Uint: "uint64"}

// field describes a field of the given type, or returns the reason that the schema cannot contain
// it.
func (s *schema) field(t types.Type, name string) (f field, why string) {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		return s.slice(slice, name)
	}
	return s.value(t, name)
}

// value is like field, but for types other than slices. It also describes the elements of lists.
func (s *schema) value(t types.Type, name string) (f field, why string) {
	switch under := t.Underlying().(type) {
	case *types.Basic:
		return s.basic(t, under, name)
	case *types.Interface:
		if u := s.sum(s.own(t)); u != nil {
			return field{typ: u.name, convert: s.calls("to" + u.name)}, ""
		}
		return f, "no struct of this package is known to implement the interface " + s.short(t)
	case *types.Struct:
		if r := s.record(s.own(t)); r != nil {
			return field{typ: "*" + r.name, convert: func(from, to string) string { return fmt.Sprintf("%s = c.to%s(&%s)\n", to, r.name, from) }}, ""
		}
		return f, "the struct " + s.short(t) + " is in another package, or has no name"
	case *types.Pointer:
		return s.pointer(under, name)
	case *types.Array:
		return s.array(under, name)
	case *types.Slice:
		return f, "a schema cannot contain a list of lists; wrap the inner list in a struct"
	}
	return f, "a schema cannot contain " + s.short(t)
}

// calls returns a function for field.convert. The function writes a call to the given method of the
// converter.
func (s *schema) calls(method string) func(from, to string) string {
	return func(from, to string) string { return fmt.Sprintf("%s = c.%s(%s)\n", to, method, from) }
}

func (s *schema) short(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(s.Package.Types))
}

// basic describes a field that is a number, a string or a bool. A named type is replaced by its
// basic type. The schema cannot use the named type, because it would have to import the package,
// and the package imports the schema.
func (s *schema) basic(t types.Type, b *types.Basic, name string) (f field, why string) {
	typ := b.Name()
	if instead, ok := wide[b.Kind()]; ok {
		typ = instead
		s.Later("%s is an %s: in the schema it is an %s; a smaller type takes less space", name, b.Name(), instead)
	}
	if b.Kind() == types.Uintptr || b.Info()&types.IsComplex != 0 || b.Kind() == types.UnsafePointer {
		return f, "a schema cannot contain " + b.Name()
	}
	if types.Identical(t, types.Universe.Lookup(typ).Type()) {
		return field{typ: typ, convert: func(from, to string) string { return to + " = " + from + "\n" }}, ""
	}
	return field{typ: typ, convert: func(from, to string) string { return fmt.Sprintf("%s = %s(%s)\n", to, typ, from) }}, ""
}

// pointer describes a field that is a pointer to a record, or an optional value.
func (s *schema) pointer(p *types.Pointer, name string) (f field, why string) {
	if r := s.record(s.own(p.Elem())); r != nil {
		return field{typ: "*" + r.name, convert: s.calls("to" + r.name)}, ""
	}
	b, ok := p.Elem().Underlying().(*types.Basic)
	if !ok {
		return f, "a schema cannot contain " + s.short(p)
	}
	inner, why := s.basic(p.Elem(), b, name)
	if why != "" {
		return f, why
	}
	return field{typ: "*" + inner.typ, convert: func(from, to string) string {
		return fmt.Sprintf("if %s != nil {\nv := %s(*%s)\n%s = &v\n}\n", from, inner.typ, from, to)
	}}, ""
}

// slice describes a field that is a list.
func (s *schema) slice(slice *types.Slice, name string) (f field, why string) {
	if types.Identical(slice.Elem(), types.Typ[types.Byte]) {
		return field{typ: "[]byte", convert: func(from, to string) string { return fmt.Sprintf("%s = %s\n", to, from) }}, ""
	}
	inner, why := s.value(slice.Elem(), name)
	if why != "" {
		return f, why
	}
	return field{typ: "[]" + inner.typ, convert: func(from, to string) string {
		return fmt.Sprintf("%s = make([]%s, len(%s))\nfor i := range %s {\n%s}\n", to, s.qualified(inner.typ), from, from, inner.convert(from+"[i]", to+"[i]"))
	}}, ""
}

// array describes a field that is a list with a fixed length.
func (s *schema) array(array *types.Array, name string) (f field, why string) {
	inner, why := s.value(array.Elem(), name)
	if why != "" {
		return f, why
	}
	return field{typ: fmt.Sprintf("[%d]%s", array.Len(), inner.typ), convert: func(from, to string) string {
		return fmt.Sprintf("for i := range %s {\n%s}\n", from, inner.convert(from+"[i]", to+"[i]"))
	}}, ""
}
