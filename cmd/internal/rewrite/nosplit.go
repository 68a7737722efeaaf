package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// NoRoom is the reason for leaving a function unchanged if NoSplit returns true for it.
const NoRoom = "the function is marked //go:nosplit, so its stack may have no room for more"

// NoSplit reports whether a function is marked //go:nosplit. The stack of such a function does not
// grow, and the linker limits it to a few hundred bytes. The mark may be anywhere between the
// previous declaration and the body.
func NoSplit(file *ast.File, decl *ast.FuncDecl) bool {
	from, to := file.Name.End(), decl.End()
	if decl.Body != nil {
		to = decl.Body.Lbrace
	}
	for _, d := range file.Decls {
		if d.End() <= decl.Pos() {
			from = d.End()
		}
	}
	return marked(file, from, to)
}

// marked reports whether a //go:nosplit comment is between two positions.
func marked(file *ast.File, from, to token.Pos) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if from <= c.Pos() && c.Pos() < to && strings.HasPrefix(c.Text, "//go:nosplit") {
				return true
			}
		}
	}
	return false
}
