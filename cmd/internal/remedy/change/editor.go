package change

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// An Editor edits the source of a package. It is for remedies that change several separate
// expressions or statements.
type Editor struct {
	*Request
	Change
	World  *World
	Locals rewrite.Locals
	text   map[string][]byte // original contents of files, by name
	Taken  []ast.Node        // expressions and statements that are changed
}

// NewEditor returns an Editor without edits.
func NewEditor(r *Request) (*Editor, error) {
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	return &Editor{Request: r, World: world, Locals: rewrite.LocalsOf(r.Package), text: map[string][]byte{}}, nil
}

// Source returns the source of a node.
func (k *Editor) Source(n ast.Node) string { return k.Between(n.Pos(), n.End()) }

// Between returns the source between two positions.
func (k *Editor) Between(from, to token.Pos) string {
	f := k.Package.Fset.File(from)
	data, ok := k.text[f.Name()]
	if !ok {
		data, _ = os.ReadFile(f.Name()) // if the file cannot be read, the check of the offsets fails
		k.text[f.Name()] = data
	}
	start, end := f.Offset(from), f.Offset(to)
	if end > len(data) {
		return ""
	}
	return string(data[start:end])
}

// Indent returns the indentation of the line that contains a position.
func (k *Editor) Indent(pos token.Pos) string {
	f := k.Package.Fset.File(pos)
	line := k.Between(f.LineStart(f.PositionFor(pos, false).Line), pos)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// Replace replaces the source between two positions with the given text.
func (k *Editor) Replace(from, to token.Pos, text string) {
	k.Edits.Replace(k.Package.Fset, from, to, text)
}

// Take records that a node is changed.
func (k *Editor) Take(n ast.Node) { k.Taken = append(k.Taken, n) }

// Free reports whether a node can be edited: no part of it is changed yet, and it contains no
// comment.
func (k *Editor) Free(path []ast.Node, n ast.Node) bool {
	return k.Untouched(n) && !slices.ContainsFunc(path[0].(*ast.File).Comments, func(c *ast.CommentGroup) bool { return n.Pos() < c.End() && c.Pos() < n.End() })
}

// Untouched reports whether no part of a node is changed yet.
func (k *Editor) Untouched(n ast.Node) bool {
	return !slices.ContainsFunc(k.Taken, func(t ast.Node) bool { return t.Pos() < n.End() && n.Pos() < t.End() })
}

// Busy is the reason why an expression that is not Free cannot be changed.
const Busy = "there is a comment or another change in the expression"

// Callee returns the full name of the called function, such as bytes.Index or
// (*bytes.Buffer).Write.
func (k *Editor) Callee(call *ast.CallExpr) string {
	if fn, ok := typeutil.Callee(k.Package.TypesInfo, call).(*types.Func); ok {
		return fn.FullName()
	}
	return ""
}

// Builtin returns the name of the called builtin, or "" if the call is not a call to a builtin.
func Builtin(info *types.Info, call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(info, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// Imported returns the name by which code at the end of a path can refer to a package. It adds an
// import if the file has none. ok is false if a different declaration shadows the name there, or if
// the file would need a different name for a package of the standard library.
func (k *Editor) Imported(around []ast.Node, importPath string) (name string, ok bool) {
	file, at := around[0].(*ast.File), around[len(around)-1].Pos()
	for _, p := range k.Package.Types.Imports() { // shadowing is checked before anything is changed
		if p.Path() != importPath {
			continue
		}
		for _, spec := range file.Imports {
			seen := k.Package.TypesInfo.PkgNameOf(spec)
			if seen == nil || seen.Imported() != p || seen.Name() == "." || seen.Name() == "_" {
				continue
			}
			return seen.Name(), Lookup(k.Package.Types, seen.Name(), at) == seen
		}
	}
	if name := path.Base(importPath); goroot.Has(importPath) && (edits.Declares(filepath.Dir(k.Package.GoFiles[0]), k.Package.Name, name) || declares(file, name)) {
		return "", false
	}
	return k.Edits.Import(k.Package.Fset, k.Package.Types, file, importPath), true
}

// declares reports whether a name occurs in a file, apart from its import declarations.
func declares(file *ast.File, name string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// Lookup returns the object that a name denotes at a position.
func Lookup(pkg *types.Package, name string, at token.Pos) types.Object {
	scope := pkg.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, object := scope.LookupParent(name, at)
	return object
}

// Around returns the node that uses the expression at the end of a path, and the index of that node
// in the path. It skips parentheses.
func Around(path []ast.Node) (ast.Node, int) {
	for i := len(path) - 2; i >= 0; i-- {
		if _, ok := path[i].(*ast.ParenExpr); !ok {
			return path[i], i
		}
	}
	return nil, 0
}

// RemoveLine removes a statement. If its line contains nothing else, RemoveLine removes the whole
// line.
func (k *Editor) RemoveLine(s ast.Stmt) {
	f := k.Package.Fset.File(s.Pos())
	line := f.PositionFor(s.End(), false).Line
	from, to := s.Pos(), s.End()
	if line < f.LineCount() && strings.TrimSpace(k.Between(to, f.LineStart(line+1))) == "" && k.Indent(from) == k.Between(f.LineStart(f.PositionFor(from, false).Line), from) {
		from, to = f.LineStart(f.PositionFor(from, false).Line), f.LineStart(line+1)
	}
	k.Replace(from, to, "")
}

// Names reports whether an expression denotes a given variable or field.
func (k *Editor) Names(e ast.Expr, o types.Object) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return k.Package.TypesInfo.ObjectOf(e) == o
	case *ast.SelectorExpr:
		return k.Package.TypesInfo.ObjectOf(e.Sel) == o
	}
	return false
}
