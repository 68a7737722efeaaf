// Package syntax is the schema of Go's syntax trees: the contents of go/ast, for `coppice
// flat`.
//
// It keeps every node, position and comment. To save memory, it differs from go/ast in these
// points:
//
//   - A position is an offset in its file plus 1, or 0 for none. An [Ident], a literal and
//     every other node with room beside its kind holds it in 24 bits, in the field At. Files
//     must be shorter than 16 MiB.
//   - The kind of a literal is the kind of its record.
//   - The name after the dot is part of the [SelectorExpr].
//   - A field with neither tag nor comment is a [Param]; most fields are.
//   - The dots of f(x...) are a [Spread] around x.
//   - Comments belong to the file. The node that a comment group documents holds its number,
//     from 1.
package syntax

import "github.com/coppice-go/coppice/flat"

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../syntaxflat

// Unit is the content of a tree: one file or many.
//
//flat:sum
//flat:root Unit
type Unit interface{ isUnit() }

// A Program is many files.
type Program struct{ Files []*File }

// A File is a source file. Base is the token.Pos at which it starts, and Size is its length.
type File struct {
	Base      uint32
	Size      uint32
	Package   uint32
	Doc       uint32
	Name      *Ident
	GoVersion string `flat:"intern"`
	Decls     []Decl
	Comments  []*CommentGroup
}

// Part is a node that can occur in only one kind of place.
//
//flat:sum
type Part interface{ isPart() }

// A CommentGroup is a list of comments with nothing between them.
type CommentGroup struct{ List []*Comment }

// A Comment is one comment, with its comment markers.
type Comment struct {
	At   flat.Uint24
	Text string
}

// A FieldList is a list of fields, in parentheses or braces, or without them.
type FieldList struct {
	Opening uint32
	Closing uint32
	List    []FieldNode
}

// FieldNode is a parameter, a result, a type parameter, or a field or method of a type.
//
//flat:sum
type FieldNode interface{ isFieldNode() }

// A Param is a field with only names and a type.
type Param struct {
	Type  Expr
	Names []*Ident
}

// A Field is a field with everything that a field can have.
type Field struct {
	Type    Expr
	Tag     *StringLit
	Doc     uint32
	Comment uint32
	Names   []*Ident
}

// Token is a token.Token of the Go release that made the tree.
type Token uint8

func (*Program) isUnit() {}
func (*File) isUnit()    {}

func (*CommentGroup) isPart() {}
func (*Comment) isPart()      {}
func (*FieldList) isPart()    {}

func (*Param) isFieldNode() {}
func (*Field) isFieldNode() {}
