package format

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// methods lists the names of the methods that fmt may call.
var methods = []string{"Format", "String", "Error", "GoString"}

// unfit returns the reason that a part cannot be rewritten in some build, or "" if it can be
// rewritten in all builds.
func (k *printer) unfit(p formats.Part) (why string) {
	if p.Operand == nil {
		return ""
	}
	info := k.Package.TypesInfo
	t := info.TypeOf(p.Operand)
	if named, ok := types.Unalias(t).(*types.Named); ok {
		for _, m := range methods {
			if why := k.World.Taken(named.Obj().Name(), m); why != "" {
				return why + ", which fmt may call"
			}
		}
	}
	switch {
	case p.Way == formats.Float && info.Types[p.Operand].Value != nil:
		return "a constant may be rounded differently"
	case shifts(p.Operand) && info.Types[p.Operand].Value == nil && p.Function() != "strconv.Itoa":
		return "the number that is shifted may get another type"
	}
	return ""
}

// shifts reports whether an expression contains a shift. An untyped constant in a shift gets its
// type from the context, which the edit changes.
func shifts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && (b.Op == token.SHL || b.Op == token.SHR)
		return !found
	})
	return found
}

// sum returns an expression that concatenates the parts of a formatted string, or the reason that
// this is not possible.
func (k *printer) sum(path []ast.Node, parts []formats.Part) (words string, why string) {
	var all []string
	for _, p := range parts {
		word, why := k.expression(path, p)
		if why != "" {
			return "", why
		}
		all = append(all, word)
	}
	return strings.Join(all, " + "), ""
}

// expression returns an expression of type string for one part of a formatted string, or the reason
// that this is not possible.
func (k *printer) expression(path []ast.Node, p formats.Part) (expression, why string) {
	switch p.Way {
	case formats.Constant:
		return strconv.Quote(p.Text), ""
	case formats.AsIs:
		if p.Named {
			return k.converted(p, "string")
		}
		return k.operand(p.Operand), ""
	case formats.Rune:
		x, why := k.converted(p, "rune")
		if why == "" && !k.predeclared("string", p.Operand.Pos()) {
			why = "string is redeclared here"
		}
		return "string(" + x + ")", why
	}
	x, why := k.converted(p, argument(p))
	if why != "" {
		return "", why
	}
	qualifier, ok := k.Imported(path, "strconv")
	if !ok {
		return "", "another name shadows package strconv"
	}
	name := qualifier + strings.TrimPrefix(p.Function(), "strconv")
	switch {
	case p.Way == formats.Float:
		return fmt.Sprintf("%s(%s, '%c', %d, %d)", name, x, p.Format, p.Digits, p.Bits), ""
	case strings.HasSuffix(name, "Int") || strings.HasSuffix(name, "Uint"):
		return fmt.Sprintf("%s(%s, %d)", name, x, p.Base), ""
	}
	return name + "(" + x + ")", ""
}

// argument returns the parameter type of the function that formats an operand.
func argument(p formats.Part) string {
	switch p.Way {
	case formats.Unsigned:
		return "uint64"
	case formats.Quoted:
		return "string"
	case formats.QuotedRune:
		return "rune"
	case formats.Truth:
		return "bool"
	case formats.Float:
		return "float64"
	}
	if p.Function() == "strconv.Itoa" {
		return "int"
	}
	return "int64"
}

// converted returns an expression that converts an operand to a predeclared type, or the reason
// that this is not possible.
func (k *printer) converted(p formats.Part, to string) (word, why string) {
	if types.Identical(k.Package.TypesInfo.TypeOf(p.Operand), types.Universe.Lookup(to).Type()) {
		return k.Source(p.Operand), ""
	}
	if !k.predeclared(to, p.Operand.Pos()) {
		return "", to + " is redeclared here"
	}
	return to + "(" + k.Source(p.Operand) + ")", ""
}

// predeclared reports whether a name has its predeclared meaning at a position, and in all files of
// the package.
func (k *printer) predeclared(name string, at token.Pos) bool {
	return change.Lookup(k.Package.Types, name, at) == types.Universe.Lookup(name) && rewrite.Shadowed(k.Package, name) == ""
}

// operand returns the source of a string expression, for use in a concatenation or in the header of
// a statement.
func (k *printer) operand(e ast.Expr) string {
	if primary(e) {
		return k.Source(e)
	}
	return "(" + k.Source(e) + ")"
}

// primary reports whether an expression begins with a name or a value, and has no literal with
// braces.
func primary(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.ParenExpr:
		return true
	case *ast.SelectorExpr:
		return primary(e.X)
	case *ast.IndexExpr:
		return primary(e.X)
	case *ast.SliceExpr:
		return primary(e.X)
	case *ast.CallExpr:
		return primary(e.Fun)
	}
	return false
}
