package avoidcopy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A copier removes unnecessary copies. Each kind of edit has its own file:
//
//	make.go          the maker, and what all forms use
//	counterparts.go  functions that exist for strings and for bytes
//	format.go        %s prints bytes as it prints a string
//	guard.go         bytes.ReplaceAll where there is nothing to replace, and clones
//	inline.go        string(b) that has a name, strings.Split in a loop
//	onlookers.go     code that may see that the body of a loop becomes a function
//	effects.go       what is proven about the statements between a copy and its last use
type copier struct{ *change.Editor }

// A form tries one kind of edit. It returns a description of the edit, or the reason that nothing
// was edited. Both are "" if this kind of edit does not apply to the expression.
type form func(k *copier, path []ast.Node, call *ast.CallExpr) (done, why string)

// forms lists the forms in the order in which they are tried. The first form that applies
// determines the result.
var forms = []form{(*copier).counterpart, (*copier).write, (*copier).format, (*copier).replaced, (*copier).guard, (*copier).clone, (*copier).split, (*copier).bytesOfString, (*copier).named}

// avoidCopy is the maker. It removes the unnecessary copies at the sites of a request.
func avoidCopy(r *change.Request) (*change.Change, error) {
	e, err := change.NewEditor(r)
	if err != nil {
		return nil, err
	}
	k := &copier{e}
	for _, s := range r.Sites {
		path, why := k.find(s)
		if why != "" {
			k.Leave(s, why)
			continue
		}
		k.try(s, path)
	}
	k.About = "A copy that never changes is omitted where this file alone shows that it never does: strings and bytes have the same functions, " +
		"writers take strings, and what is only read needs no copy of its own."
	k.Undo = "The changes are independent: copy again, with bytes.Clone, strings.Clone or a conversion, where it is needed."
	return &k.Change, nil
}

// try changes a site with the first form that applies.
func (k *copier) try(s *site.Site, path []ast.Node) {
	call := path[len(path)-1].(*ast.CallExpr)
	for _, t := range k.Taken {
		if t.Pos() <= call.Pos() && call.End() <= t.End() {
			k.Did(s, "is part of another change to the same expression")
			return
		}
	}
	if k.late(path) {
		k.Leave(s, "the call of a go or defer statement runs later, and would read the later contents")
		return
	}
	for _, f := range forms {
		if done, why := f(k, path, call); done != "" {
			k.Did(s, done)
			return
		} else if why != "" {
			k.Leave(s, why)
			return
		}
	}
	k.Leave(s, "the copy goes to something that may keep or change it")
}

// late reports whether the node at the end of a path copies bytes for an argument of a go or defer
// statement. Such a copy is made when the statement is executed, but the call reads it later, when
// the bytes may have changed. Copies of strings are ignored, because a string cannot change.
func (k *copier) late(path []ast.Node) bool {
	up, at := change.Around(path)
	site := path[len(path)-1].(*ast.CallExpr)
	if _, call := up.(*ast.CallExpr); !call || len(site.Args) > 0 && isText(k.Package.TypesInfo.TypeOf(site.Args[0])) && !k.World.Unsafe() {
		return false
	}
	switch path[at-1].(type) {
	case *ast.GoStmt, *ast.DeferStmt:
		return true
	}
	return false
}

// find returns the path to the call or conversion of a site, or the reason that the site is left
// unchanged.
func (k *copier) find(s *site.Site) (path []ast.Node, why string) {
	switch {
	case s.Facts.Test:
		return nil, "it is in a test"
	case change.Generated(s) != "":
		return nil, change.Generated(s)
	}
	path, err := k.Expression(s)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), fmt.Sprintf("%s:%d: ", filepath.Base(s.File), s.Line))
	}
	if change.NoRoom(path) {
		return nil, rewrite.NoRoom
	}
	call, ok := path[len(path)-1].(*ast.CallExpr)
	if !ok {
		return nil, "it is neither a call nor a conversion"
	}
	for _, name := range []string{"byte", "string"} {
		if !k.predeclared(name, call.Pos()) {
			return nil, name + " is redeclared here"
		}
	}
	return path, ""
}

// predeclared reports whether a name has its predeclared meaning at a position.
func (k *copier) predeclared(name string, at token.Pos) bool {
	return change.Lookup(k.Package.Types, name, at) == types.Universe.Lookup(name)
}

// sameAt reports whether all names in an expression have the same meaning at a different position.
func (k *copier) sameAt(e ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			same = same && k.sameAt(n.X, at)
			return false
		case *ast.Ident:
			same = same && change.Lookup(k.Package.Types, n.Name, at) == k.Package.TypesInfo.Uses[n]
		}
		return same
	})
	return same
}

// operand returns the source of an expression for use in any context. It adds parentheses if an
// operator could bind to a part of the expression, or if a literal in the expression could be
// parsed as the block of a statement.
func (k *copier) operand(e ast.Expr) string {
	if isPrimary(e) {
		return k.Source(e)
	}
	return "(" + k.Source(e) + ")"
}

// isPrimary reports whether an expression begins with a name or a value, and has no literal with
// braces.
func isPrimary(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.ArrayType:
		return true
	case *ast.SelectorExpr:
		return isPrimary(e.X)
	case *ast.IndexExpr:
		return isPrimary(e.X)
	case *ast.SliceExpr:
		return isPrimary(e.X)
	case *ast.TypeAssertExpr:
		return isPrimary(e.X)
	case *ast.CallExpr:
		return isPrimary(e.Fun)
	}
	return false
}

// replace replaces the expression at the end of a path with e.
func (k *copier) replace(path []ast.Node, e ast.Expr) {
	old, text := path[len(path)-1].(ast.Expr), k.operand(e)
	switch up := path[len(path)-2].(type) {
	case *ast.ParenExpr:
		text = k.Source(e)
	case *ast.CallExpr:
		if up.Fun != old {
			text = k.Source(e)
		}
	}
	k.Replace(old.Pos(), old.End(), text)
}

// A conversion is the direction of a conversion between strings and bytes. Both directions copy.
type conversion int

// These are the two directions.
const (
	toString conversion = iota
	toBytes
)

// converted returns the operand of an expression if the expression is a conversion in the given
// direction. It returns nil for other expressions.
func (k *copier) converted(e ast.Expr, by conversion) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !k.Package.TypesInfo.Types[call.Fun].IsType() {
		return nil
	}
	to, from := k.Package.TypesInfo.TypeOf(call), k.Package.TypesInfo.TypeOf(call.Args[0])
	if by == toString && isText(to) && isBytes(from) || by == toBytes && isBytes(to) && isText(from) {
		return call.Args[0]
	}
	return nil
}

// isBytes reports whether a type is a slice of bytes that is assignable to []byte.
func isBytes(t types.Type) bool {
	return t != nil && types.AssignableTo(t, types.NewSlice(types.Typ[types.Byte]))
}

// isText reports whether the underlying type is string.
func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	return ok && b.Info()&types.IsString != 0
}

// isString reports whether an expression has the predeclared type string.
func (k *copier) isString(e ast.Expr) bool {
	b, ok := types.Unalias(k.Package.TypesInfo.TypeOf(e)).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// asString returns the source of an expression, converted to the type string if necessary, for use
// as an argument or in an assignment.
func (k *copier) asString(e ast.Expr) string {
	if k.isString(e) {
		return k.Source(e)
	}
	return "string(" + k.Source(e) + ")"
}
