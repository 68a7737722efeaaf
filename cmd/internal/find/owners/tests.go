package owners

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	modules "golang.org/x/mod/module"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Tests contains the test files of the package that runs. They are searched for owners too, because
// a benchmark also creates owners. The files are not type-checked, so owners inside other values
// are not counted.
type Tests struct {
	Dir     string // folder of the package; empty if no test runs
	Package string // import path

	files map[string]*ast.File
	set   *token.FileSet
}

// read reads the files, if they have not been read before. It skips files that cannot be parsed.
func (t *Tests) read() {
	if t.files != nil || t.Dir == "" {
		return
	}
	t.files, t.set = map[string]*ast.File{}, token.NewFileSet()
	names, _ := filepath.Glob(filepath.Join(t.Dir, "*_test.go"))
	for _, name := range names {
		if f, err := parser.ParseFile(t.set, name, nil, parser.SkipObjectResolution); err == nil {
			t.files[name] = f
		}
	}
}

// begins returns the positions in test files at which owners are created. The parameters pkg and
// owner name the type of these owners.
func (t *Tests) begins(pkg, owner string) (all []site.Begin) {
	t.read()
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		f := t.files[name]
		is := t.spelled(f, pkg, owner)
		add := func(n ast.Node, count int, typ string) {
			span := site.Span{File: name, From: t.set.PositionFor(n.Pos(), false).Offset, To: t.set.PositionFor(n.End(), false).Offset}
			all = append(all, site.Begin{Span: span, Count: count, Type: typ})
		}
		addresses := map[ast.Node]ast.Node{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					addresses[ast.Unparen(n.X)] = n
				}
			case *ast.CompositeLit:
				switch address := addresses[n]; {
				case !is(n.Type):
				case address != nil:
					add(address, 1, "*"+facts.OneLine(t.set, n.Type))
				default:
					add(n, 1, facts.OneLine(t.set, n.Type))
				}
			case *ast.CallExpr:
				if fun, ok := n.Fun.(*ast.Ident); ok && fun.Name == "new" && len(n.Args) == 1 && is(n.Args[0]) {
					add(n, 1, "*"+facts.OneLine(t.set, n.Args[0]))
				}
			case *ast.DeclStmt:
				if count := declared(n, is); count > 0 {
					add(n, count, "")
				}
			}
			return true
		})
	}
	return all
}

// declared returns the number of variables without initial values that a declaration in a function
// declares with the given type.
func declared(n *ast.DeclStmt, is func(ast.Expr) bool) (count int) {
	decl, ok := n.Decl.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return 0
	}
	for _, spec := range decl.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 0 && is(v.Type) {
			count += len(v.Names)
		}
	}
	return count
}

// spelled returns a function that reports whether an expression in a test file denotes a type of a
// package. If the package is imported without an explicit name, its name is unknown: every package
// name that belongs to no other import is accepted.
func (t *Tests) spelled(f *ast.File, pkg, owner string) func(ast.Expr) bool {
	external := strings.HasSuffix(f.Name.Name, "_test")
	imported, others := map[string]bool{}, map[string]bool{}
	for _, i := range f.Imports {
		importPath, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := usualName(importPath)
		if i.Name != nil {
			name = i.Name.Name
		}
		switch {
		case importPath != pkg:
			others[name] = true
		case i.Name != nil:
			imported[name] = true
		default:
			imported[""], imported[name] = true, true
		}
	}
	var is func(e ast.Expr) bool
	is = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.IndexExpr:
			return is(e.X)
		case *ast.IndexListExpr:
			return is(e.X)
		case *ast.Ident:
			return e.Name == owner && (pkg == t.Package && !external || imported["."])
		case *ast.SelectorExpr:
			x, ok := e.X.(*ast.Ident)
			return ok && e.Sel.Name == owner && (imported[x.Name] || imported[""] && !others[x.Name])
		}
		return false
	}
	return is
}

// usualName returns the package name that is usual for an import path.
func usualName(importPath string) string {
	if prefix, _, ok := modules.SplitPathVersion(importPath); ok {
		importPath = prefix
	}
	return path.Base(importPath)
}
