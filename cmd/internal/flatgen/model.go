// Package flatgen writes packages of flat trees from Go declarations. It is a pipeline, a file
// for each step: load the schema's package, read its declarations into a model, lay the records
// out (internal/flatlayout), keep versions in flat.lock, emit Go, and compare or write files.
package flatgen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A Model is a schema as the emitters need it: as the format defines it, and with its Go names.
type Model struct {
	Path    string // import path of the schema's package
	Package string // its name
	Import  string // its name in the generated package
	Dir     string // its folder
	Schema  *flatlayout.Schema
	Layout  *flatlayout.Layout
	Earlier []string // schema texts of earlier versions, oldest first
	Root    *Type    // a reference
	Sums    []*Sum
	Records []*Struct // by kind, from 1; the first is nil
	Structs []*Struct // inline ones
	Mixins  []*Struct // those that are only embedded: their fields belong to what embeds them
}

// A Sum is an interface of the schema.
type Sum struct {
	Name     string
	Pos      token.Position
	Variants []*Struct
}

// A Struct is a record or an inline struct. Records are variants of sums, and structs that a pointer or the root leads to.
type Struct struct {
	Name   string
	Pos    token.Position
	Kind   int    // of a record
	Sums   []*Sum // with the record as a variant; the first is its home
	Value  bool   // of a variant: the struct itself implements the sums, not only a pointer to it
	Fields []*Field
	Shape  []Member
	Block  *flatlayout.Block
}

// A Member is a field as Go declares it: the fields of an embedded struct are Fields of the struct around it, and one Member.
type Member struct{ Name, Type string }

// A Field is a field of a struct.
type Field struct {
	Name   string
	Path   string   // how Go selects it: its name, after those of embedded structs
	Doc    []string // lines of the comments above it and beside it
	Pos    token.Position
	Type   *Type
	Intern bool
	*flatlayout.Place
}

// A Type is the type of a field or item.
type Type struct {
	flatlayout.Type
	Go    string // in the schema's package, as other packages write it: "expr.Op"
	Elem  *Type
	Value bool // a struct that is a record, but stands in a field by value: *T is a pointer to it
	Size  bool // int or uint, whose size depends on the machine
	Wide  bool // a number of 64 bits, or of the machine's size, in Go
}

// A Problem is an error in a schema: its position, what is wrong, and what to do.
type Problem struct {
	Pos  token.Position
	Text string
}

// Problems is all errors in schemas, as one error.
type Problems []Problem

// Error returns a line for each problem.
func (p Problems) Error() string {
	var lines []string
	lines = slices.Grow(lines, len(p))
	for _, one := range p {
		lines = append(lines, fmt.Sprintf("%s: %s", one.Pos, one.Text))
	}
	return strings.Join(lines, "\n")
}
