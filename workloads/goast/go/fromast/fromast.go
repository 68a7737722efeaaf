// Package fromast turns syntax trees of go/ast into those of the schema in ../syntax: [Tree] into its
// pointer form, [Forest] into a flat tree of all files, [Each] into one for each. All keep all nodes, positions and
// comments, and equal names and literals once.
//
// What go/parser can make is what they know. Bad nodes stay; the deprecated objects and
// scopes are left out, and so are fields that follow from others: File.Imports, and ValueEnd of a literal.
package fromast

import (
	"fmt"
	"go/ast"
	"go/token"
)

// greatestFile is how long a file may be, so that its positions fit in 24 bits.
const greatestFile = 1<<24 - 3

// places turns the positions and comments of one file into numbers.
type places struct {
	base   token.Pos
	groups map[*ast.CommentGroup]uint32
}

// enter begins a file. The parser puts every group into the file's list, those that document something too.
func (p *places) enter(f *ast.File) error {
	if size := f.FileEnd - f.FileStart; size > greatestFile {
		return fmt.Errorf("package %s has a file of %d bytes; a tree takes files of up to %d", f.Name.Name, size, greatestFile)
	}
	p.base = f.FileStart
	if p.groups == nil {
		p.groups = map[*ast.CommentGroup]uint32{}
	}
	clear(p.groups)
	for i, g := range f.Comments {
		p.groups[g] = uint32(i) + 1
	}
	return nil
}

// at is a position as the schema has it.
func (p *places) at(pos token.Pos) uint32 {
	if !pos.IsValid() {
		return 0
	}
	return uint32(pos-p.base) + 1
}

// split is the same in 24 bits.
func (p *places) split(pos token.Pos) (low uint16, high uint8) {
	at := p.at(pos)
	return uint16(at), uint8(at >> 16)
}

// doc is the number of a comment, 0 for nil.
func (p *places) doc(g *ast.CommentGroup) uint32 { return p.groups[g] }

// isParam tells whether a field has only names and a type.
func isParam(f *ast.Field) bool { return f.Tag == nil && f.Doc == nil && f.Comment == nil }
