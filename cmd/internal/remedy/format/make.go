package format

import (
	"cmp"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const about = "A string that package fmt made is now concatenated from strings and results of package strconv: the same string, byte for byte. " +
	"The operands are strings, numbers and booleans, and their types have no methods that fmt might call; the verbs have no flags and no width."

const undo = "The changes are independent: write the format again, with its operands in the order of the string."

const assumedOfStrings = "a result that consists of one string may be that string itself, and keep alive what it was cut from; " +
	"assumed of other modules: the bytes of strings that they hand out never change"

// A printer edits calls to functions of package fmt.
type printer struct{ *change.Editor }

// withoutFmt is the maker. It replaces calls to functions of package fmt.
func withoutFmt(r *change.Request) (*change.Change, error) {
	e, err := change.NewEditor(r)
	if err != nil {
		return nil, err
	}
	k := &printer{e}
	for _, s := range r.Sites {
		path, why := k.find(s)
		if why == "" && k.changed(path) {
			k.Did(s, "is part of another change to the same expression")
			continue
		}
		done := ""
		if why == "" {
			done, why = k.change(path)
		}
		if why != "" {
			k.Leave(s, why)
			continue
		}
		k.Did(s, done)
	}
	k.About, k.Undo = about, undo
	return &k.Change, nil
}

// changed reports whether the call at the end of a path has been changed already.
func (k *printer) changed(path []ast.Node) bool {
	call := path[len(path)-1]
	return slices.ContainsFunc(k.Taken, func(t ast.Node) bool { return t.Pos() <= call.Pos() && call.End() <= t.End() })
}

// find returns the path to the call to package fmt for a site. The site is the call itself or one
// of its operands. If the site is neither, find returns the reason that the site is left unchanged.
func (k *printer) find(s *site.Site) (path []ast.Node, why string) {
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
	if s.Facts.Kind == site.Box { // the expression is an operand of the call
		_, at := change.Around(path)
		path = path[:at+1]
	}
	if statement, ok := path[len(path)-1].(*ast.ExprStmt); ok { // it has the position of its call
		path = append(slices.Clip(path), ast.Unparen(statement.X))
	}
	call, ok := path[len(path)-1].(*ast.CallExpr)
	if !ok || !formats.Is(k.Package.TypesInfo, call) {
		return nil, "it is not a call of package fmt that makes a string"
	}
	return path, ""
}

// change rewrites the call at the end of a path. It returns a description of the edit, or the
// reason that the call is left unchanged.
func (k *printer) change(path []ast.Node) (done, why string) {
	call := path[len(path)-1].(*ast.CallExpr)
	if _, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); !ok {
		return "", "the file imports fmt without its name"
	}
	text, why := formats.Of(k.Package.TypesInfo, k.Package.Types, call)
	if why != "" {
		return "", why
	}
	for _, p := range text.Parts {
		if why := k.unfit(p); why != "" {
			return "", why
		}
	}
	switch {
	case text.MayBeOperand() && k.World.Unsafe():
		return "", "the result may be a string of the program itself, and the module imports unsafe: its bytes may change"
	case text.To != nil && strings.HasPrefix(text.Name, "F"):
		return k.write(path, call, text)
	case text.To != nil:
		return k.appended(path, call, text)
	}
	if why := cmp.Or(k.order(call.Args), k.conflict(path, exposed(text.Parts))); why != "" {
		return "", why
	}
	if _, statement := path[len(path)-2].(*ast.ExprStmt); statement {
		return "", "the string is not used"
	}
	if !k.Free(path, call) {
		return "", change.Busy
	}
	words, why := k.sum(path, text.Parts)
	if why != "" {
		return "", why
	}
	if len(text.Parts) > 1 && bound(path) {
		words = "(" + words + ")"
	}
	k.replaced(path, call, words)
	if text.MayBeOperand() {
		k.assume(assumedOfStrings)
	}
	return "made by " + text.Summary(), ""
}

// assume adds an assumption to the price of the change, unless the price already contains it.
func (k *printer) assume(what string) {
	if !slices.Contains(k.Price, what) {
		k.Price = append(k.Price, what)
	}
}

// replaced replaces the source of a node, and removes the import of fmt if nothing uses it any
// more.
func (k *printer) replaced(path []ast.Node, n ast.Node, words string) {
	k.Replace(n.Pos(), n.End(), words)
	k.Edits.Drop(k.Package.Fset, path[0].(*ast.File), "fmt")
	k.Take(n)
}

// bound reports whether the expression at the end of a path is indexed or sliced. In that case, the
// concatenation needs parentheses; without them, the index would apply only to its last operand.
func bound(path []ast.Node) bool {
	e := path[len(path)-1]
	switch up := path[len(path)-2].(type) {
	case *ast.IndexExpr:
		return up.X == e
	case *ast.SliceExpr:
		return up.X == e
	}
	return false
}
