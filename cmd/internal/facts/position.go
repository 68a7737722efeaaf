package facts

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
)

// A line is a line of source, with the base name of its file: profiles, the compiler and the loader
// may see the same file in different folders.
type line struct {
	file string
	line int
}

// cgoSuffix ends the names of the files that cgo writes for the compiler.
const cgoSuffix = ".cgo1.go"

// compilerPos returns the position of an expression of the unit.
func (u *unit) compilerPos(e ast.Expr) token.Pos {
	return escapes.Position(e, func(e ast.Expr) bool { return u.TypesInfo.Types[e].IsType() })
}

// physical returns the line and the column of a position in the file that the compiler reads.
func (u *unit) physical(pos token.Pos) (at line, column int) {
	p := u.Fset.PositionFor(pos, false)
	name := filepath.Base(p.Filename)
	if !strings.HasSuffix(name, ".go") { // cgo's, in the build cache
		name = strings.TrimSuffix(filepath.Base(u.Fset.Position(pos).Filename), ".go") + cgoSuffix
	}
	return line{name, p.Line}, p.Column
}

// shown returns the line of a position in the file that the programmer wrote, as given by //line
// directives.
func (u *unit) shown(pos token.Pos) line {
	p := u.Fset.Position(pos)
	return line{filepath.Base(p.Filename), p.Line}
}
