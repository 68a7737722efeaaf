package runs

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

//go:embed end.go.txt
var endSource []byte

// end returns changes that make a program write its profiles. A deferred call writes them when main
// ends. Each reference to os.Exit in package main is wrapped, so that the program also writes them
// before it exits there. The CPU profile starts when a variable of EndFile is initialized. This
// happens before the program's variables are initialized, because the name of EndFile sorts first.
func end(p gobench.Package) (c wrap.Changes, err error) {
	mains := 0 // number of declarations of func main
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		file := filepath.Join(p.Dir, name)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			return c, err
		}
		offset := func(at token.Pos) int { return fset.PositionFor(at, false).Offset }
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" && fn.Body != nil {
				c.Put(file, offset(fn.Body.Lbrace)+1, " defer coppiceEnd(); ")
				mains++
			}
		}
		for _, e := range exits(f) {
			c.Put(file, offset(e.Pos()), "coppiceExit(")
			c.Put(file, offset(e.End()), ")")
		}
	}
	if mains != 1 {
		return c, fmt.Errorf("%s has %d main functions", p.ImportPath, mains)
	}
	c.New(filepath.Join(p.Dir, profiles.EndFile), endSource)
	return c, nil
}

// exits returns the references to os.Exit in a file.
func exits(f *ast.File) (all []ast.Expr) {
	name := ""
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "os" {
			if name = "os"; spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Exit" {
			// If the identifier has an object, it is declared in the file, so it does not denote
			// the import.
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}
