package facts

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// A line is a line of source by the base name of its file: profiles, the compiler and the loader may see the same file
// in different folders.
type line struct {
	file string
	line int
}

// cgoSuffix ends the names of files that cgo writes for the compiler.
const cgoSuffix = ".cgo1.go"

// compilerPos returns the position that the compiler gives to what an expression becomes, and so the line that a
// profile names: of calls the parenthesis, of operations the operator, of literals the brace.
func compilerPos(e ast.Expr, isType func(ast.Expr) bool) token.Pos {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return compilerPos(e.X, isType)
	case *ast.CallExpr:
		if isType(e.Fun) && len(e.Args) == 1 { // a conversion is where its operand is
			return compilerPos(e.Args[0], isType)
		}
		return e.Lparen
	case *ast.BinaryExpr:
		return e.OpPos
	case *ast.CompositeLit:
		return e.Lbrace
	case *ast.SelectorExpr:
		return e.X.End() // the dot
	case *ast.TypeAssertExpr:
		return e.X.End()
	case *ast.IndexExpr:
		return e.Lbrack
	case *ast.IndexListExpr:
		return e.Lbrack
	case *ast.SliceExpr:
		return e.Lbrack
	case *ast.KeyValueExpr:
		return e.Colon
	}
	return e.Pos()
}

// compilerPos is the position of an expression of the unit.
func (u *unit) compilerPos(e ast.Expr) token.Pos {
	return compilerPos(e, func(e ast.Expr) bool { return u.TypesInfo.Types[e].IsType() })
}

// physical returns where a position is in the file that the compiler reads.
func (u *unit) physical(pos token.Pos) (at line, column int) {
	p := u.Fset.PositionFor(pos, false)
	name := filepath.Base(p.Filename)
	if !strings.HasSuffix(name, ".go") { // cgo's, in the build cache
		name = strings.TrimSuffix(filepath.Base(u.Fset.Position(pos).Filename), ".go") + cgoSuffix
	}
	return line{name, p.Line}, p.Column
}

// shown returns where a position is in the file that the programmer wrote, as //line directives say.
func (u *unit) shown(pos token.Pos) line {
	p := u.Fset.Position(pos)
	return line{filepath.Base(p.Filename), p.Line}
}
