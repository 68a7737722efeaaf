package find

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// benchmarks reports whether the package in a folder has a benchmark. It looks in the package's own
// test files and in the test files of the external test package. It parses these files, but does
// not type-check them. Files for other systems and files that cannot be read are ignored.
func benchmarks(dir string) bool {
	here := buildContext()
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			return false
		}
		if built, err := here.MatchFile(dir, e.Name()); err != nil || !built {
			return false
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		return err == nil && slices.ContainsFunc(file.Decls, isBenchmark)
	})
}

// buildContext returns a build context for this system with the tags of GOFLAGS. It also includes
// the release tags of Go versions that are newer than the one that built this program, because the
// user's toolchain may be newer.
func buildContext() *build.Context {
	const newer = 20
	c := build.Default
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			c.BuildTags = append(c.BuildTags, strings.Split(tags, ",")...)
		}
	}
	c.ReleaseTags = slices.Clone(c.ReleaseTags)
	for range newer {
		c.ReleaseTags = append(c.ReleaseTags, fmt.Sprintf("go1.%d", len(c.ReleaseTags)+1))
	}
	return &c
}

// isBenchmark reports whether a declaration is a function that package testing runs as a benchmark.
func isBenchmark(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Type.Params.NumFields() != 1 || f.Type.Results.NumFields() > 0 {
		return false
	}
	rest, ok := strings.CutPrefix(f.Name.Name, "Benchmark")
	if first, _ := utf8.DecodeRuneInString(rest); !ok || unicode.IsLower(first) {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch b := pointer.X.(type) {
	case *ast.SelectorExpr:
		return b.Sel.Name == "B"
	case *ast.Ident: // import . "testing"
		return b.Name == "B"
	}
	return false
}
