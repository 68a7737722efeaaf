package slicegrowth

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// setCount takes prealloc's expression for the count of elements. It reports whether the
// expression can be computed before the loop, with the names in scope there and without side
// effects. A count that may be negative is raised to 0, because the loop then does nothing.
func (g *growth) setCount(text string) bool {
	expr, err := parser.ParseExpr(text)
	if err != nil || !harmless(expr) || g.changesNames(expr) {
		return false
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(g.pass.Fset, g.pass.Pkg, g.loop.Pos(), expr, info); err != nil {
		return false
	}
	of := info.Types[expr]
	kind, ok := of.Type.Underlying().(*types.Basic)
	if !ok || kind.Info()&types.IsInteger == 0 {
		return false
	}
	g.raw = text
	switch {
	case of.Value != nil: // a constant needs no conversion
	case kind.Info()&types.IsUnsigned != 0 && subtracts(expr):
		return false // a negative result would wrap around to a huge count
	case of.Type != types.Typ[types.Int]:
		text = "max(0, int(" + text + "))"
	case !positive(expr):
		text = "max(0, " + text + ")"
	}
	g.count = text
	return g.meansBuiltins()
}

// changesNames reports whether a name in an expression means something else in the body of the loop
// than before it.
func (g *growth) changesNames(e ast.Expr) (found bool) {
	body := body(g.loop).Lbrace + 1
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || g.changesNames(n.X)
			return false // the field is no name by itself
		case *ast.Ident:
			found = found || lookup(g.pass.Pkg, n.Name, g.loop.Pos()) != lookup(g.pass.Pkg, n.Name, body)
		}
		return true
	})
	return found
}

func body(loop ast.Stmt) *ast.BlockStmt {
	if r, ok := loop.(*ast.RangeStmt); ok {
		return r.Body
	}
	return loop.(*ast.ForStmt).Body
}

// meansBuiltins reports whether the names of functions in the count are those of the language where the
// loop begins.
func (g *growth) meansBuiltins() bool {
	text := g.count
	if !g.hasSlices() {
		text = g.raw
	}
	return !slices.ContainsFunc([]string{"len", "int", "max"}, func(name string) bool {
		return strings.Contains(text, name+"(") && lookup(g.pass.Pkg, name, g.loop.Pos()) != types.Universe.Lookup(name)
	})
}

// hasSlices reports whether the language has package slices, and max.
func (g *growth) hasSlices() bool {
	goVersion := g.pass.TypesInfo.FileVersions[g.file]
	return goVersion == "" || version.Compare(goVersion, "go1.21") >= 0
}

// harmless reports whether computing an expression has no side effects. Reading a field or an
// element may panic, but the loop reads the same.
func harmless(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return harmless(e.X)
	case *ast.SelectorExpr:
		return harmless(e.X)
	case *ast.IndexExpr:
		return harmless(e.X) && harmless(e.Index)
	case *ast.StarExpr:
		return harmless(e.X)
	case *ast.BinaryExpr:
		return e.Op != token.QUO && e.Op != token.REM && harmless(e.X) && harmless(e.Y)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.Ident)
		return ok && len(e.Args) == 1 && (f.Name == "len" || f.Name == "int") && harmless(e.Args[0])
	}
	return false
}

// positive reports whether an expression consists of lengths and constants and cannot be
// negative.
func positive(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return positive(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.MUL) && positive(e.X) && positive(e.Y)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.Ident)
		return ok && f.Name == "len"
	}
	return false
}

// subtracts reports whether an expression contains a subtraction.
func subtracts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && b.Op == token.SUB
		return true
	})
	return found
}

// fix inserts slices.Grow just before the loop. There the operands of the count have their values.
// Unlike make in the declaration, it keeps a nil slice nil if the loop is empty.
func (g *growth) fix() []analysis.SuggestedFix {
	if !g.hasSlices() {
		return nil
	}
	pos := g.loop.Pos()
	var edits []analysis.TextEdit
	switch obj := lookup(g.pass.Pkg, "slices", pos).(type) {
	case nil:
		edits = append(edits, addImport(g.file))
	case *types.PkgName:
		if obj.Imported().Path() != "slices" {
			return nil
		}
	default:
		return nil
	}
	indent := strings.Repeat("\t", g.pass.Fset.Position(pos).Column-1)
	edits = append(edits, analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(g.line("slices") + "\n" + indent)})
	return []analysis.SuggestedFix{{Message: "make room before the loop", TextEdits: edits}}
}

// line is the statement that makes room, by the name that package slices has.
func (g *growth) line(slices string) string {
	return fmt.Sprintf("%s = %s.Grow(%s, %s)", g.name, slices, g.name, g.count)
}

// lookup returns the object that a name denotes at a position.
func lookup(pkg *types.Package, name string, pos token.Pos) types.Object {
	inner := pkg.Scope().Innermost(pos)
	if inner == nil {
		return nil
	}
	_, obj := inner.LookupParent(name, pos)
	return obj
}

// addImport returns an edit that imports package slices. Formatting sorts the imports.
func addImport(file *ast.File) analysis.TextEdit {
	at, text := file.Name.End(), "\n\nimport \"slices\""
	for _, d := range file.Decls {
		imports, ok := d.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		if imports.Lparen.IsValid() {
			at, text = imports.Lparen+1, "\n\t\"slices\""
		} else {
			at, text = imports.End(), "\nimport \"slices\""
		}
		break
	}
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}
