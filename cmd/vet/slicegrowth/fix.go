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

	"github.com/coppice-go/coppice/cmd/internal/imports"
)

// setCount sets g.count to the expression that prealloc reports. It returns true if the expression
// can be computed before the loop, with the names in scope there and without side effects, and if
// the loop does not change its value. If the count may be negative, setCount raises it to 0,
// because the loop has no iterations then.
func (g *growth) setCount(text string) bool {
	expr, err := parser.ParseExpr(text)
	if err != nil || !harmless(expr) || !g.steady(expr) {
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
	case multipliesSigned(expr) && (of.Type != types.Typ[types.Int] || g.old()):
		return false // two negative factors have a positive product
	case of.Type != types.Typ[types.Int]:
		text = "max(0, int(" + text + "))"
	default:
		text = raise(expr, text)
	}
	g.count = text
	return text != "" && g.meansBuiltins()
}

// raise returns an expression for the count e, in which values that may be negative are raised to
// 0. Such a value is the whole count or, if two factors of a product may be negative, each of these
// factors. It returns "" if such a product is part of a larger expression.
func raise(e ast.Expr, text string) string {
	of := text[e.Pos()-1 : e.End()-1]
	switch {
	case positive(e):
		return of
	case !multipliesSigned(e):
		return "max(0, " + of + ")"
	}
	product, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || product.Op != token.MUL {
		return ""
	}
	x, y := raise(product.X, text), raise(product.Y, text)
	if x == "" || y == "" {
		return ""
	}
	return x + " * " + y
}

// multipliesSigned reports whether an expression has a product of two factors that may be negative.
func multipliesSigned(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		p, ok := n.(*ast.BinaryExpr)
		found = found || ok && p.Op == token.MUL && !positive(p.X) && !positive(p.Y)
		return true
	})
	return found
}

// meansBuiltins reports whether the function names in the count have their predeclared meaning
// where the loop begins.
func (g *growth) meansBuiltins() bool {
	text := g.count
	if g.old() {
		text = g.raw
	}
	return !slices.ContainsFunc([]string{"len", "int", "max"}, func(name string) bool {
		return strings.Contains(text, name+"(") && lookup(g.pass.Pkg, name, g.loop.Pos()) != types.Universe.Lookup(name)
	})
}

// harmless reports whether the evaluation of an expression has no side effects. Reading a field or
// an element may panic, but the loop reads the same field or element.
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

// fix returns a fix that inserts slices.Grow just before the loop, where the operands of the count
// already have their values. Unlike a make in the declaration, this keeps a nil slice nil if the
// loop has no iterations.
func (g *growth) fix() []analysis.SuggestedFix {
	if g.old() {
		return nil
	}
	pos := g.loop.Pos()
	var edits []analysis.TextEdit
	switch obj := lookup(g.pass.Pkg, "slices", pos).(type) {
	case nil:
		added, err := g.addImport()
		if err != nil {
			return nil // the file has changed since the analysis
		}
		edits = added
	case *types.PkgName:
		if obj.Imported().Path() != "slices" {
			return nil
		}
	default:
		return nil
	}
	indent := strings.Repeat("\t", g.pass.Fset.PositionFor(pos, false).Column-1)
	edits = append(edits, analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(g.line("slices") + "\n" + indent)})
	return []analysis.SuggestedFix{{Message: "make room before the loop", TextEdits: edits}}
}

// old reports whether the file's language version lacks package slices and the function max.
func (g *growth) old() bool {
	goVersion := g.pass.TypesInfo.FileVersions[g.file]
	return goVersion != "" && version.Compare(goVersion, "go1.21") < 0
}

// line returns the statement that grows the capacity. The parameter slices is the name of package
// slices at the position of the statement.
func (g *growth) line(slices string) string {
	return fmt.Sprintf("%s = %s.Grow(%s, %s)", g.name, slices, g.name, g.count)
}

// lookup returns the object that name denotes at pos.
func lookup(pkg *types.Package, name string, pos token.Pos) types.Object {
	inner := pkg.Scope().Innermost(pos)
	if inner == nil {
		return nil
	}
	_, obj := inner.LookupParent(name, pos)
	return obj
}

// addImport returns the edits that import package slices.
func (g *growth) addImport() ([]analysis.TextEdit, error) {
	file := g.pass.Fset.File(g.file.FileStart)
	source, err := g.pass.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	added, err := imports.Add(file.Name(), source, map[string]string{"slices": ""})
	if err != nil {
		return nil, err
	}
	var edits []analysis.TextEdit
	for _, e := range added {
		edits = append(edits, analysis.TextEdit{Pos: file.Pos(e.Start), End: file.Pos(e.End), NewText: []byte(e.Text)})
	}
	return edits, nil
}
