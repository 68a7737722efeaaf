package fleet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Tree is the source of a module, to compare profiles with. It is safe for concurrent use.
type Tree struct {
	dir, module string

	mu    sync.Mutex
	files map[string][]span // nil for files that are missing or cannot be parsed
}

// A span has the lines of a function.
type span struct {
	name       string // as the linker writes it, without closures and type arguments
	first, end int
}

// NewTree reads the name of the module in dir, a folder with a go.mod file.
func NewTree(dir string) (*Tree, error) {
	file := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	module := modfile.ModulePath(data)
	if module == "" {
		return nil, fmt.Errorf("%s: no module line", file)
	}
	return &Tree{dir: dir, module: module, files: map[string][]span{}}, nil
}

// Mine reports whether a package with that import path belongs to the module.
func (t *Tree) Mine(importPath string) bool {
	return profiles.OfModule(importPath, t.module)
}

// Has reports whether the line of a place is in a function with the place's name. known is
// false for places of other modules, and for places outside function declarations: initial
// values of variables, and files made by the build.
func (t *Tree) Has(p site.Place) (has, known bool) {
	if !t.Mine(strings.TrimSuffix(p.Package, "_test")) && p.Package != "main" || !strings.HasSuffix(p.File, ".go") || strings.HasPrefix(path.Base(p.File), "_") {
		return false, false
	}
	want := declared(p.Function)
	if want == "" {
		return false, false
	}
	spans := t.find(p)
	if spans == nil {
		// A main package may belong to another module; any other package of this module must exist.
		return false, p.Package != "main"
	}
	for _, s := range spans {
		if p.Line < s.first || s.end < p.Line {
			continue
		}
		if s.name == want || closureOf(p.Function, s.name) {
			return true, true
		}
	}
	return false, true
}

// find returns the functions of the place's file. The import path determines the file. For
// package main, which has no such path, it is the file that shares the longest path suffix with
// the place.
func (t *Tree) find(p site.Place) []span {
	if p.Package != "main" {
		below := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(p.Package, "_test"), t.module), "/")
		return t.spans(filepath.Join(t.dir, filepath.FromSlash(below), path.Base(p.File)))
	}
	for rest := strings.TrimPrefix(filepath.ToSlash(p.File), "/"); rest != ""; {
		if spans := t.spans(filepath.Join(t.dir, filepath.FromSlash(rest))); spans != nil {
			return spans
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return nil
}

func (t *Tree) spans(file string) []span {
	t.mu.Lock()
	defer t.mu.Unlock()
	spans, ok := t.files[file]
	if !ok {
		spans = read(file)
		t.files[file] = spans
	}
	return spans
}

func read(file string) []span {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if parsed == nil || err != nil {
		return nil
	}
	spans := []span{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil && len(f.Recv.List) == 1 {
			name = receiver(f.Recv.List[0].Type) + "." + name
		}
		spans = append(spans, span{name, fset.Position(f.Pos()).Line, fset.Position(f.End()).Line})
	}
	return spans
}

// receiver writes a receiver's type as the linker does, without type arguments.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(e.X) + ")"
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// declared returns the declared function that a function is part of: (*List).Each for
// (*List[...]).Each[...].func1. It is empty for code outside function declarations.
func declared(function string) string {
	function = site.Place{Function: strings.ReplaceAll(function, "[...]", "")}.Declared()
	if strings.HasPrefix(function, "glob.") || function == "init" {
		return ""
	}
	if receiver, rest, ok := strings.Cut(function, ")."); ok {
		method, _, _ := strings.Cut(rest, ".")
		return receiver + ")." + strings.TrimSuffix(method, "-fm")
	}
	parts := strings.Split(function, ".")
	if parts[0] == "init" {
		return "init" // init.0 is a function init; a package may have several
	}
	// T.M and F.func1 have the same form; the compiler's names for closures distinguish them.
	if len(parts) > 1 && !made(parts[1]) {
		return parts[0] + "." + strings.TrimSuffix(parts[1], "-fm")
	}
	return parts[0]
}

// closureOf reports whether a function may be a closure of a declared function that was inlined
// into others: F.G.func1 and F.(*T).M.func1 are closures of G and of M.
func closureOf(function, declared string) bool {
	parts := strings.Split(strings.ReplaceAll(function, "[...]", ""), ".")
	return slices.ContainsFunc(parts, made) && slices.Contains(parts, declared[strings.LastIndexByte(declared, '.')+1:])
}

// made reports whether a name was generated by the compiler: func1, gowrap2, deferwrap1, 3.
func made(name string) bool {
	for _, prefix := range []string{"func", "gowrap", "deferwrap"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && digits(rest) == len(rest) {
			return true
		}
	}
	return digits(name) > 0
}
