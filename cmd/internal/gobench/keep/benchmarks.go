package keep

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// A Benchmark contains the name of a benchmark and the position of its declaration.
type Benchmark struct {
	Name, File string
	Line       int
}

// Benchmarks finds the benchmarks in the test files of a folder.
func Benchmarks(dir string) ([]Benchmark, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var all []Benchmark
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Benchmark") {
				all = append(all, Benchmark{f.Name.Name, name, fset.PositionFor(f.Pos(), false).Line})
			}
		}
	}
	return all, nil
}
