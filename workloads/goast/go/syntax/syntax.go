// Package syntax is the schema of Go's syntax: what go/ast holds, as `coppice flat` reads it.
//
// It keeps every node, position and comment. To be small it differs from go/ast in this:
//
//   - A position is an offset in its file, plus 1; 0 is none. An [Ident], a literal and every other
//     node that has room for it beside its kind has it in 24 bits, At. Files end before 16 MiB.
//   - The kind of a literal is the kind of its record.
//   - The name after the dot is a part of the [SelectorExpr].
//   - Most fields have neither tag nor comment, and are a [Param].
//   - The dots of f(x...) are a [Spread] around x.
//   - Comments belong to the file. What they document has their number, from 1.
package syntax

import "github.com/coppice-go/coppice/flat"

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../syntaxflat

// Unit is what a tree is of: one file or many.
//
//flat:sum
//flat:root Unit
type Unit interface{ isUnit() }

// A Program is many files.
type Program struct{ Files []*File }

// A File is a source file. Base is the token.Pos at which it starts, Size is how long it is.
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

// Part is what may occur in one kind of place only.
//
//flat:sum
type Part interface{ isPart() }

// A CommentGroup is comments with nothing between them.
type CommentGroup struct{ List []*Comment }

// A Comment is one comment, with its slashes.
type Comment struct {
	At   flat.Uint24
	Text string
}

// A FieldList is fields between parentheses or braces, or without them.
type FieldList struct {
	Opening uint32
	Closing uint32
	List    []FieldNode
}

// FieldNode is a parameter, a result, a type parameter, or a field or method of a type.
//
//flat:sum
type FieldNode interface{ isFieldNode() }

// A Param is a field with no more than names and a type.
type Param struct {
	Type  Expr
	Names []*Ident
}

// A Field is one with all that there may be.
type Field struct {
	Type    Expr
	Tag     *StringLit
	Doc     uint32
	Comment uint32
	Names   []*Ident
}

// Token is a token.Token, of the release that made the tree.
type Token uint8

func (*Program) isUnit() {}
func (*File) isUnit()    {}

func (*CommentGroup) isPart() {}
func (*Comment) isPart()      {}
func (*FieldList) isPart()    {}

func (*Param) isFieldNode() {}
func (*Field) isFieldNode() {}
