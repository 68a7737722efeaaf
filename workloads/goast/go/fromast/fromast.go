// Package fromast converts syntax trees of go/ast to trees of the schema in ../syntax. [Tree]
// returns the pointer form, [Forest] one flat tree of all files, and [Each] a flat tree of each
// file. All three keep every node, position and comment, and store equal names and literals once.
//
// They accept any tree that go/parser can produce. Bad nodes are kept. The deprecated objects and
// scopes are dropped, as are redundant fields: File.Imports, and ValueEnd of a literal.
package fromast

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/flat"
)

// greatestFile is the maximum length of a file whose positions fit in 24 bits.
const greatestFile = 1<<24 - 3

// places turns the positions and comments of one file into numbers.
type places struct {
	base   token.Pos
	groups map[*ast.CommentGroup]uint32
}

// enter begins a file. The parser puts every comment group into the file's list, including
// documentation.
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

// at returns a position in the form of the schema.
func (p *places) at(pos token.Pos) uint32 {
	if !pos.IsValid() {
		return 0
	}
	return uint32(pos-p.base) + 1
}

// short is like at, but returns the position in 24 bits.
func (p *places) short(pos token.Pos) flat.Uint24 { return flat.Uint24(p.at(pos)) }

// doc returns the number of a comment group, or 0 for nil.
func (p *places) doc(g *ast.CommentGroup) uint32 { return p.groups[g] }

// isParam reports whether a field has only names and a type.
func isParam(f *ast.Field) bool { return f.Tag == nil && f.Doc == nil && f.Comment == nil }
