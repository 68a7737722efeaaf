// Package flatlayout defines schemas of flat trees and the location of each field of a record. The
// generator derives accessors from these locations, and package flatimpl uses them to check, print
// and convert files. docs/FLAT.md is the specification.
package flatlayout

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Format is the version of the file format and the placement rules.
const Format = 1

// These constants limit the size of a schema.
const (
	MaxKinds = 255          // a kind is 8 bits, and 0 is nil
	MaxWords = 65535        // of the fixed part of a record or struct
	MaxText  = 1 << 20      // bytes of a schema's text
	MaxItems = MaxWords     // of an array
	maxDepth = 32           // of types in types
	maxSlots = 4 * MaxWords // references, strings and the like in one fixed part
)

// A Type is the type of a field, of an item, or of an optional value.
type Type struct {
	Base Base
	Name string // of a Ref, a Link or an Inline
	Len  int    // of an Array
	Elem *Type  // of an Array, a Slice or an Optional
}

// String returns the type as in schema text.
func (t Type) String() string {
	switch t.Base {
	case Ref:
		return "&" + t.Name
	case Link:
		return "@" + t.Name
	case Inline:
		return t.Name
	case Array:
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem)
	case Slice:
		return "[]" + t.Elem.String()
	case Optional:
		return "?" + t.Elem.String()
	default:
		return t.Base.String()
	}
}

// A Field describes a field of a record or struct.
type Field struct {
	Name string
	Type Type
}

// A Struct describes a record or an inline struct.
type Struct struct {
	Name   string
	Fields []Field
}

// A Sum is a named set of records.
type Sum struct {
	Name     string
	Variants []string
}

// A Schema contains everything that a program needs to know to read the trees in a file.
type Schema struct {
	Version int // 0 for none
	Share   bool
	Root    string // name of a sum or record
	Sums    []Sum
	Structs []Struct
	Records []Struct // the kind of a record is its index plus 1

	index *index // set once the names are checked
}

// An index finds declarations by name. A megabyte of schema text can have a hundred thousand names.
type index struct{ sums, structs, records map[string]int }

// Text returns the schema text, which files contain.
func (s *Schema) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "flat %d\n", Format)
	if s.Version > 0 {
		fmt.Fprintf(&b, "version %d\n", s.Version)
	}
	if s.Share {
		b.WriteString("share\n")
	}
	fmt.Fprintf(&b, "root %s\n", s.Root)
	for _, sum := range s.Sums {
		fmt.Fprintf(&b, "sum %s %s\n", sum.Name, strings.Join(sum.Variants, " "))
	}
	writeStructs(&b, "struct", s.Structs)
	writeStructs(&b, "record", s.Records)
	return b.String()
}

func writeStructs(b *strings.Builder, word string, structs []Struct) {
	for _, s := range structs {
		fmt.Fprintf(b, "%s %s\n", word, s.Name)
		for _, f := range s.Fields {
			fmt.Fprintf(b, " %s %s\n", f.Name, f.Type)
		}
	}
}

// Hash returns the layout hash of schema text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// KindOf returns the kind of the record with the given name, or 0 if there is none.
func (s *Schema) KindOf(name string) int {
	if s.index != nil {
		if i, is := s.index.records[name]; is {
			return i + 1
		}
		return 0
	}
	for i := range s.Records {
		if s.Records[i].Name == name {
			return i + 1
		}
	}
	return 0
}

// SumOf returns the sum with the given name, or nil if there is none.
func (s *Schema) SumOf(name string) *Sum {
	if s.index != nil {
		if i, is := s.index.sums[name]; is {
			return &s.Sums[i]
		}
		return nil
	}
	for i := range s.Sums {
		if s.Sums[i].Name == name {
			return &s.Sums[i]
		}
	}
	return nil
}

// StructOf returns the inline struct with the given name, or nil if there is none.
func (s *Schema) StructOf(name string) *Struct {
	if s.index != nil {
		if i, is := s.index.structs[name]; is {
			return &s.Structs[i]
		}
		return nil
	}
	for i := range s.Structs {
		if s.Structs[i].Name == name {
			return &s.Structs[i]
		}
	}
	return nil
}

// KindsOf returns the kinds of the records to which a reference to the sum or record can refer.
func (s *Schema) KindsOf(name string) []int {
	if kind := s.KindOf(name); kind > 0 {
		return []int{kind}
	}
	sum := s.SumOf(name)
	if sum == nil {
		return nil
	}
	var kinds []int
	for _, variant := range sum.Variants {
		kinds = append(kinds, s.KindOf(variant))
	}
	return kinds
}
