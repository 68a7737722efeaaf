package change

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A scene is what stands around the expression of a site.
type scene struct {
	*Request
	path []ast.Node // the file first, the expression last
	file *ast.File
	decl *ast.FuncDecl
}

// scene returns what stands around a site, or why the site must stay as it is.
func (r *Request) scene(s *site.Site) (*scene, string) {
	switch {
	case s.Facts.Generated || s.Facts.Directive:
		return nil, "the file is generated; change what it is generated from"
	case s.Facts.Test:
		return nil, "it stands in a test file"
	}
	path, err := r.expression(s)
	if err != nil {
		return nil, err.Error()
	}
	all := &scene{Request: r, path: path, file: path[0].(*ast.File)}
	if len(path) > 1 {
		all.decl, _ = path[1].(*ast.FuncDecl)
	}
	switch {
	case !slices.Contains(r.Package.GoFiles, r.Package.Fset.File(all.file.FileStart).Name()):
		return nil, "the file uses cgo"
	case all.decl == nil:
		return nil, "it stands outside of a function"
	case noRoom(path):
		return nil, rewrite.NoRoom
	case all.jumps():
		return nil, "the function has a goto"
	}
	return all, ""
}

// noRoom reports whether a path, with the file first, leads into a function whose stack does not grow.
func noRoom(path []ast.Node) bool {
	decl, ok := path[1].(*ast.FuncDecl)
	return ok && rewrite.NoSplit(path[0].(*ast.File), decl)
}

// jumps reports whether the function has a goto.
func (s *scene) jumps() (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// list returns the innermost list of statements around the expression, and which statement of it has the expression.
func (s *scene) list() (list []ast.Stmt, at int) {
	for i := len(s.path) - 2; i > 0; i-- {
		if list := statements(s.path[i]); list != nil {
			return list, slices.IndexFunc(list, func(stmt ast.Stmt) bool { return stmt == s.path[i+1] })
		}
	}
	return nil, -1
}

// statements is the list of statements that a node has, or nil.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// text returns the source of a node; empty if the file changed since it was loaded.
func (s *scene) text(n ast.Node) string { return s.between(n.Pos(), n.End()) }

// end ends a statement that is inserted before another one: with a new line where that one begins its line.
func (s *scene) end(before ast.Node) string {
	file := s.Package.Fset.File(before.Pos())
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) != file.Size() {
		return "; "
	}
	at := file.Offset(before.Pos())
	space := string(data[bytes.LastIndexByte(data[:at], '\n')+1 : at])
	if strings.TrimSpace(space) != "" {
		return "; "
	}
	return "\n" + space
}

// after is where a statement can be inserted behind another one, which end has ended: behind the comment on its line, if there is one, where
// that is a new line.
func (s *scene) after(stmt ast.Node) token.Pos {
	if !strings.HasPrefix(s.end(stmt), "\n") {
		return stmt.End()
	}
	for _, c := range s.file.Comments {
		if c.Pos() >= stmt.End() && s.line(c.Pos()) == s.line(stmt.End()) && strings.HasPrefix(c.List[0].Text, "//") && strings.TrimSpace(s.between(stmt.End(), c.Pos())) == "" {
			return c.List[0].End()
		}
	}
	return stmt.End()
}

// endsLine reports whether nothing stands behind a position on its line.
func (s *scene) endsLine(at token.Pos) bool {
	rest, _, _ := strings.Cut(s.between(at, s.file.FileEnd), "\n")
	return strings.TrimSpace(rest) == ""
}

// between is the source from one position to another.
func (s *scene) between(from, to token.Pos) string {
	file := s.Package.Fset.File(from)
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) != file.Size() {
		return ""
	}
	return string(data[file.Offset(from):file.Offset(to)])
}

// commented reports whether a comment stands between two positions.
func (s *scene) commented(from, to token.Pos) bool {
	return slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool { return from <= c.Pos() && c.Pos() < to })
}

// line is the line of a position in the file that the compiler reads.
func (s *scene) line(pos token.Pos) int { return s.Package.Fset.PositionFor(pos, false).Line }

// lookup returns what a name means at a position, or nil.
func (s *scene) lookup(name string, at token.Pos) types.Object {
	inner := s.Package.Types.Scope().Innermost(at)
	if inner == nil {
		return nil
	}
	_, object := inner.LookupParent(name, at)
	return object
}

// builtin reports whether a name is that of the language at a position.
func (s *scene) builtin(name string, at token.Pos) bool {
	return s.lookup(name, at) == types.Universe.Lookup(name)
}

// fresh returns a name for a variable that means nothing in the function yet: the one that is asked for, or that with a number.
func (s *scene) fresh(name string) string {
	used := map[string]bool{}
	ast.Inspect(s.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for i, base := 2, name; used[name] || s.lookup(name, s.decl.Body.Lbrace+1) != nil; i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// calls reports whether a node calls a function, or receives from a channel. Conversions and builtins do not count, apart from those
// that stop the function.
func (r *Request) calls(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fun := r.Package.TypesInfo.Types[n.Fun]
			name, _ := ast.Unparen(n.Fun).(*ast.Ident)
			stops := fun.IsBuiltin() && name != nil && (name.Name == "panic" || name.Name == "close")
			found = found || !fun.IsType() && !fun.IsBuiltin() || stops
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// mentions reports whether a node names a variable, and where first.
func (r *Request) mentions(n ast.Node, v types.Object) (first *ast.Ident) {
	ast.Inspect(n, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && first == nil && r.Package.TypesInfo.ObjectOf(name) == v {
			first = name
		}
		return first == nil
	})
	return first
}

// parameter returns the variable of a parameter that has a name, or nil.
func (r *Request) parameter(list *ast.FieldList, i int) types.Object {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		if i < len(f.Names) {
			return r.Package.TypesInfo.Defs[f.Names[i]]
		}
		i -= max(1, len(f.Names))
	}
	return nil
}
