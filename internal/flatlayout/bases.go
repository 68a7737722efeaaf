package flatlayout

import "fmt"

// Base identifies a base type, or the way in which a composite type is built.
type Base uint8

// These are the bases. Each base before Ref is a row of the table of base types.
const (
	Bool Base = iota
	Int8
	Uint8
	Int16
	Uint16
	Int24
	Uint24
	Int32
	Uint32
	Float32
	Int64
	Uint64
	Float64
	String
	Bytes    // like String, but meant for any bytes
	Ref      // a record of the sum or record Name
	Inline   // the struct Name
	Array    // Len items of Elem
	Slice    // any number of items of Elem
	Optional // Elem, or nothing
	Link     // like Ref, but to a record anywhere, which has another parent
)

// A Class determines how the bits of a scalar are interpreted.
type Class uint8

// These are the classes of scalars, and NotScalar for all other bases.
const (
	NotScalar Class = iota
	Boolean
	Signed // in two's complement
	Unsigned
	Floating
)

// A BaseType is a row of the table of base types. Everything that depends on the type of a scalar
// is computed from this table: its layout, validation, printing and conversion, and the Go and C++
// code that reads, writes and checks it.
type BaseType struct {
	Name  string // in schema text
	Go    string // the Go type of a field in a schema
	Basic string // the predeclared Go type of values; if it differs from Go, values are checked on entry to a tree
	Cpp   string // the C++ type of the values
	Class Class
	Bits  int // in a record; fewer than 32 make the field small
	Item  int // bits of an item of an array or slice: fewer than 32 share a word; 32 if Bits is not a power of 2
}

var baseTypes = [...]BaseType{
	Bool:    {"bool", "bool", "bool", "bool", Boolean, 1, 8},
	Int8:    {"int8", "int8", "int8", "std::int8_t", Signed, 8, 8},
	Uint8:   {"uint8", "uint8", "uint8", "std::uint8_t", Unsigned, 8, 8},
	Int16:   {"int16", "int16", "int16", "std::int16_t", Signed, 16, 16},
	Uint16:  {"uint16", "uint16", "uint16", "std::uint16_t", Unsigned, 16, 16},
	Int24:   {"int24", "flat.Int24", "int32", "std::int32_t", Signed, 24, 32},
	Uint24:  {"uint24", "flat.Uint24", "uint32", "std::uint32_t", Unsigned, 24, 32},
	Int32:   {"int32", "int32", "int32", "std::int32_t", Signed, 32, 32},
	Uint32:  {"uint32", "uint32", "uint32", "std::uint32_t", Unsigned, 32, 32},
	Float32: {"float32", "float32", "float32", "float", Floating, 32, 32},
	Int64:   {"int64", "int64", "int64", "std::int64_t", Signed, 64, 64},
	Uint64:  {"uint64", "uint64", "uint64", "std::uint64_t", Unsigned, 64, 64},
	Float64: {"float64", "float64", "float64", "double", Floating, 64, 64},
	String:  {"string", "string", "string", "std::string_view", NotScalar, 32, 32},
	Bytes:   {"bytes", "[]byte", "[]byte", "std::string_view", NotScalar, 32, 32},
}

var noBaseType BaseType

// Info returns the base's row in the table of base types. The row is empty if the base is not in
// the table. Callers must not change the row.
func (b Base) Info() *BaseType {
	switch {
	case int(b) < len(baseTypes):
		return &baseTypes[b]
	case b >= firstWidth && int(b-firstWidth) < len(widths):
		return &widths[b-firstWidth]
	default:
		return &noBaseType
	}
}

// IsScalar reports whether the base is a bool or a number.
func (b Base) IsScalar() bool { return b.Info().Class != NotScalar }

// IsSmall reports whether fields of the base share a word with other fields.
func (b Base) IsSmall() bool { return b.IsScalar() && b.Info().Bits < 32 }

// IsNarrow reports whether the base has fewer bits than the Go type of its values.
func (b Base) IsNarrow() bool { return b.IsScalar() && b.Info().Go != b.Info().Basic }

// Bits returns the size of a scalar in a record.
func (b Base) Bits() int { return b.Info().Bits }

// String returns the base's name in schema text.
func (b Base) String() string {
	if name := b.Info().Name; name != "" {
		return name
	}
	return fmt.Sprintf("base %d", uint8(b))
}

// named returns the base with the given name in schema text.
func named(name string) (b Base, ok bool) {
	for i := range baseTypes {
		if baseTypes[i].Name == name {
			return Base(i), true
		}
	}
	for i := range widths {
		if widths[i].Name == name && name != "" {
			return firstWidth + Base(i), true
		}
	}
	return 0, false
}

// OfGo returns the base of fields with the given Go type. The type is written as in a package that
// imports flat, such as "uint16" or "flat.Uint24".
func OfGo(name string) (b Base, ok bool) {
	for i := range baseTypes {
		if baseTypes[i].Go == name {
			return Base(i), true
		}
	}
	return 0, false
}
