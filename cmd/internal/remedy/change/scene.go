package change

import (
	"bytes"
	"cmp"
	"fmt"
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

// A Scene describes the position of a site's expression in the source. It contains the file, the
// function, and the nodes that enclose the expression.
type Scene struct {
	*Request
	Path []ast.Node // nodes from the file to the expression
	File *ast.File
	Decl *ast.FuncDecl
}

// Scene returns the Scene of a site, or the reason that the site must be left unchanged.
func (r *Request) Scene(s *site.Site) (*Scene, string) {
	switch {
	case Generated(s) != "":
		return nil, Generated(s)
	case s.Facts.Test:
		return nil, "it is in a test file"
	}
	path, err := r.Expression(s)
	if err != nil {
		return nil, err.Error()
	}
	all := &Scene{Request: r, Path: path, File: path[0].(*ast.File)}
	if len(path) > 1 {
		all.Decl, _ = path[1].(*ast.FuncDecl)
	}
	switch {
	case !slices.Contains(r.Package.GoFiles, r.Package.Fset.File(all.File.FileStart).Name()):
		return nil, "the file uses cgo, but coppice fix changes only files that the compiler reads as they are written"
	case all.Decl == nil:
		return nil, "it is outside a function, where it runs once"
	case NoRoom(path):
		return nil, rewrite.NoRoom
	case rewrite.Jumps(all.Decl):
		return nil, "the function contains a goto, which coppice fix does not follow"
	}
	return all, ""
}

// InLiteral is the reason why code in a function literal is left unchanged.
const InLiteral = "it is in a function literal, but coppice fix changes only what a declared function does itself"

// NeedsSlices returns the reason for not changing code in a module whose Go version lacks package
// slices.
func NeedsSlices(language string) string {
	return fmt.Sprintf("the change calls package slices, which needs go 1.21 in go.mod, but the module has %s", strings.Replace(cmp.Or(language, "none"), "go", "go ", 1))
}

// Generated returns the reason that a site's expression in a generated file is left unchanged, or
// "" if the file is not generated.
func Generated(s *site.Site) (why string) {
	if !s.Facts.Generated && !s.Facts.Directive {
		return ""
	}
	return cmp.Or(s.Facts.Stays, "the file is generated; change what it is generated from")
}

// NoRoom reports whether the end of a path is in a function whose stack cannot grow. The path
// begins with the file.
func NoRoom(path []ast.Node) bool {
	decl, ok := path[1].(*ast.FuncDecl)
	return ok && rewrite.NoSplit(path[0].(*ast.File), decl)
}

// List returns the innermost statement list that encloses the expression, and the index of the
// statement that contains the expression.
func (s *Scene) List() (list []ast.Stmt, at int) {
	for i := len(s.Path) - 2; i > 0; i-- {
		if list := Statements(s.Path[i]); list != nil {
			return list, slices.IndexFunc(list, func(stmt ast.Stmt) bool { return stmt == s.Path[i+1] })
		}
	}
	return nil, -1
}

// Statements returns the statement list of a block or a clause, and nil for other nodes.
func Statements(n ast.Node) []ast.Stmt {
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

// Whole returns the node that is evaluated together with the expression at the end of a path. This
// is the statement or, in the header of a compound statement, the part that contains the
// expression. Within this node, the order of reads and calls is unspecified.
func Whole(path []ast.Node) ast.Node {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			return path[i+1]
		case ast.Stmt, ast.Spec:
			return n
		}
	}
	return path[len(path)-1]
}

// Text returns the source of a node, or "" if the file has changed since it was loaded.
func (s *Scene) Text(n ast.Node) string { return s.sourceBetween(n.Pos(), n.End()) }

// End returns the separator between an inserted statement and the existing statement that follows
// it. If the existing statement begins its line, the separator is a newline and the indentation.
// Otherwise, it is a semicolon.
func (s *Scene) End(before ast.Node) string {
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

// After returns the position at which a statement can be inserted after stmt. If stmt begins its
// line, this is the position after any comment at the end of the line, so that the new statement
// begins a line, too.
func (s *Scene) After(stmt ast.Node) token.Pos {
	if !strings.HasPrefix(s.End(stmt), "\n") {
		return stmt.End()
	}
	for _, c := range s.File.Comments {
		if c.Pos() >= stmt.End() && s.Line(c.Pos()) == s.Line(stmt.End()) && strings.HasPrefix(c.List[0].Text, "//") && strings.TrimSpace(s.sourceBetween(stmt.End(), c.Pos())) == "" {
			return c.List[0].End()
		}
	}
	return stmt.End()
}

// EndsLine reports whether nothing but white space follows a position on its line.
func (s *Scene) EndsLine(at token.Pos) bool {
	rest, _, _ := strings.Cut(s.sourceBetween(at, s.File.FileEnd), "\n")
	return strings.TrimSpace(rest) == ""
}

// sourceBetween returns the source from one position to another.
func (s *Scene) sourceBetween(from, to token.Pos) string {
	file := s.Package.Fset.File(from)
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) != file.Size() {
		return ""
	}
	return string(data[file.Offset(from):file.Offset(to)])
}

// Commented reports whether a comment is between two positions.
func (s *Scene) Commented(from, to token.Pos) bool {
	return slices.ContainsFunc(s.File.Comments, func(c *ast.CommentGroup) bool { return from <= c.Pos() && c.Pos() < to })
}

// Line returns the line of a position. It ignores //line directives.
func (s *Scene) Line(pos token.Pos) int { return s.Package.Fset.PositionFor(pos, false).Line }

// Lookup returns the object that a name denotes at a position, or nil.
func (s *Scene) Lookup(name string, at token.Pos) types.Object {
	inner := s.Package.Types.Scope().Innermost(at)
	if inner == nil {
		return nil
	}
	_, object := inner.LookupParent(name, at)
	return object
}

// Builtin reports whether a name has its predeclared meaning at a position.
func (s *Scene) Builtin(name string, at token.Pos) bool {
	return s.Lookup(name, at) == types.Universe.Lookup(name)
}

// Fresh returns the given name, with a number appended if the function already uses the name.
func (s *Scene) Fresh(name string) string {
	used := map[string]bool{}
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for i, base := 2, name; used[name] || s.Lookup(name, s.Decl.Body.Lbrace+1) != nil; i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// Calls reports whether a node calls a function, starts a goroutine, or may wait for a goroutine in
// a channel operation or a select statement. A range loop over a function is treated as a call to
// the function. Conversions are ignored, and so are builtins other than panic and close.
func (r *Request) Calls(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fun := r.Package.TypesInfo.Types[n.Fun]
			name, _ := ast.Unparen(n.Fun).(*ast.Ident)
			stops := fun.IsBuiltin() && name != nil && (name.Name == "panic" || name.Name == "close")
			found = found || !fun.IsType() && !fun.IsBuiltin() || stops
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
			found = true
		case *ast.RangeStmt:
			switch r.Package.TypesInfo.TypeOf(n.X).Underlying().(type) {
			case *types.Signature, *types.Chan:
				found = true
			case *types.Slice, *types.Array, *types.Pointer, *types.Map, *types.Basic:
			default: // a type parameter
				found = true
			}
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// Mentions returns the first name in a node that denotes a given variable, or nil.
func (r *Request) Mentions(n ast.Node, v types.Object) (first *ast.Ident) {
	ast.Inspect(n, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && first == nil && r.Package.TypesInfo.ObjectOf(name) == v {
			first = name
		}
		return first == nil
	})
	return first
}

// Parameter returns the variable of parameter i, or nil if the parameter has no name.
func (r *Request) Parameter(list *ast.FieldList, i int) types.Object {
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
