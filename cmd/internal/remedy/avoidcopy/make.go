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

// A copier leaves out copies that nobody needs. Its forms stand in files of their own:
//
//	make.go          the maker, and what all forms use
//	counterparts.go  functions that there are for strings and for bytes
//	format.go        %s prints bytes as it prints a string
//	guard.go         bytes.ReplaceAll where there is nothing to replace, and clones
//	inline.go        string(b) that has a name, strings.Split in a loop
//	onlookers.go     who may see that the body of a loop becomes a function
//	effects.go       what is proven of the statements between a copy and its last use
type copier struct{ *change.Editor }

// A form is a way to do without a copy. It returns what was done, or why it was not; neither if the
// expression has not its form.
type form func(k *copier, path []ast.Node, call *ast.CallExpr) (done, why string)

// forms are tried in this order. The reason of the first that has one is told.
var forms = []form{(*copier).counterpart, (*copier).write, (*copier).format, (*copier).replaced, (*copier).guard, (*copier).clone, (*copier).split, (*copier).bytesOfString, (*copier).named}

// avoidCopy leaves out copies that nobody needs.
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
	k.About = "A copy that never changes is left out, where this file alone shows that it never does: strings and bytes have the same functions, " +
		"writers take strings, and what is only read needs no copy of its own."
	k.Undo = "The changes are independent: copy again, with bytes.Clone, strings.Clone or a conversion, where it is needed."
	return &k.Change, nil
}

// try changes a site by the first form that fits.
func (k *copier) try(s *site.Site, path []ast.Node) {
	call := path[len(path)-1].(*ast.CallExpr)
	for _, t := range k.Taken {
		if t.Pos() <= call.Pos() && call.End() <= t.End() {
			k.Did(s, "goes with another change of the same expression")
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

// late reports whether the call that gets a copy of bytes, at the end of a path, is that of a go or
// defer statement: the copy is made where that stands, and the call reads later. A string is the
// same then.
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

// find returns the nodes around the call or conversion of a site, or why it stays as it is.
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

// predeclared reports whether a name is that of the language at a place.
func (k *copier) predeclared(name string, at token.Pos) bool {
	return change.Lookup(k.Package.Types, name, at) == types.Universe.Lookup(name)
}

// sameAt reports whether all names in an expression mean the same at another place.
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

// operand returns the text of an expression that can stand anywhere: in parentheses if an operator
// could bind a part of it, or if a literal in it could be the block of a statement.
func (k *copier) operand(e ast.Expr) string {
	if isPrimary(e) {
		return k.Source(e)
	}
	return "(" + k.Source(e) + ")"
}

// isPrimary tells expressions that begin with a name or a value, and no literal with braces.
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

// instead writes an expression where the one at the end of a path stands.
func (k *copier) instead(path []ast.Node, e ast.Expr) {
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

// A conversion is one of the two that copy.
type conversion int

// The conversions.
const (
	toString conversion = iota
	toBytes
)

// converted returns what a conversion copies, if that is what the expression is.
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

// isBytes tells slices of bytes that are assignable to []byte, whatever their name is.
func isBytes(t types.Type) bool {
	return t != nil && types.AssignableTo(t, types.NewSlice(types.Typ[types.Byte]))
}

// isText tells strings, whatever their name is.
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

// isString tells expressions that are strings without a type of their own.
func (k *copier) isString(e ast.Expr) bool {
	b, ok := types.Unalias(k.Package.TypesInfo.TypeOf(e)).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// asString writes an expression as a string, for an argument or an assignment.
func (k *copier) asString(e ast.Expr) string {
	if k.isString(e) {
		return k.Source(e)
	}
	return "string(" + k.Source(e) + ")"
}
