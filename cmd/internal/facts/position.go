package facts

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
)

// A line is a source line, identified by the base name of its file and the line number. The folder
// is omitted because profiles, the compiler and the loader may use different folders for the same
// file.
type line struct {
	file string
	line int
}

// cgoSuffix is the suffix of the names of the Go files that cgo generates.
const cgoSuffix = ".cgo1.go"

// compilerPos returns the position that the compiler assigns to an expression of the unit.
func (u *unit) compilerPos(e ast.Expr) token.Pos {
	return escapes.Position(e, func(e ast.Expr) bool { return u.TypesInfo.Types[e].IsType() })
}

// physical returns the line and column of a position in the file that the compiler reads, ignoring
// //line directives.
func (u *unit) physical(pos token.Pos) (at line, column int) {
	p := u.Fset.PositionFor(pos, false)
	name := filepath.Base(p.Filename)
	if !strings.HasSuffix(name, ".go") { // a file that cgo wrote to the build cache
		name = strings.TrimSuffix(filepath.Base(u.Fset.Position(pos).Filename), ".go") + cgoSuffix
	}
	return line{name, p.Line}, p.Column
}

// shown returns the line of a position as the programmer sees it, applying //line directives.
func (u *unit) shown(pos token.Pos) line {
	p := u.Fset.Position(pos)
	return line{filepath.Base(p.Filename), p.Line}
}
