package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestCorpusMatchesCode verifies that the lines that each mutant replaces exist in the code, and
// that the mutated code compiles. It compiles only in full runs, because each kind of build needs
// the whole tree and the standard library from source. `make bugs` checks that the tests detect
// each mutant.
func TestCorpusMatchesCode(t *testing.T) {
	tree := os.DirFS("../..")
	mutants, err := Corpus(os.DirFS(filepath.Join("../..", corpusFolder)))
	if err != nil {
		t.Fatal(err)
	}
	var compiled []planting
	for _, b := range mutants {
		changed, err := b.Apply(tree)
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		for _, folder := range b.Tests {
			if files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go")); len(files) == 0 {
				t.Errorf("%s: there are no tests in %s (%v)", b.Name, folder, err)
			}
		}
		if testsize.Full() {
			compiled = append(compiled, planting{b, changed})
		}
	}
	for _, m := range modes {
		compileAll(t, m, slices.DeleteFunc(slices.Clone(compiled), func(p planting) bool { return p.mutant.Mode != m }))
	}
}

// A planting is a mutant and the changed files.
type planting struct {
	mutant  Mutant
	changed map[string][]byte
}

// compileAll compiles each mutant separately, in one kind of build. It loads test files only for
// the mutants that change them.
func compileAll(t *testing.T, m Mode, all []planting) {
	for _, tests := range []bool{false, true} {
		of := slices.DeleteFunc(slices.Clone(all), func(p planting) bool { return changesTests(p.changed) != tests })
		var folders []string
		for _, p := range of {
			folders = append(folders, foldersOf(p.changed)...)
		}
		if len(folders) == 0 {
			continue
		}
		slices.Sort(folders)
		loaded := load(t, m, slices.Compact(folders), tests)
		for _, p := range of {
			for _, folder := range foldersOf(p.changed) {
				if err := compile(loaded[folder], p.changed); err != nil {
					t.Errorf("%s does not compile: %v", p.mutant.Name, err)
				}
			}
		}
	}
}

func changesTests(changed map[string][]byte) bool {
	for name := range changed {
		if strings.HasSuffix(name, "_test.go") {
			return true
		}
	}
	return false
}

// foldersOf returns the folders that contain changed Go files. Other changed files are embedded in
// a package and cannot break its compilation.
func foldersOf(changed map[string][]byte) (folders []string) {
	for file := range changed {
		if path.Ext(file) == ".go" {
			folders = append(folders, path.Dir(file))
		}
	}
	return folders
}

// load returns the packages in the folders, by folder.
func load(t *testing.T, m Mode, folders []string, tests bool) map[string]*packages.Package {
	t.Helper()
	patterns := make([]string, 0, len(folders))
	for _, folder := range folders {
		patterns = append(patterns, "./"+folder)
	}
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:  "../..", Env: m.environment(), BuildFlags: m.flags(), Fset: token.NewFileSet(), Tests: tests,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*packages.Package{}
	for _, p := range all {
		if len(p.GoFiles) > 0 {
			folder, err := filepath.Rel(root, filepath.Dir(p.GoFiles[0]))
			if err != nil {
				t.Fatal(err)
			}
			if before := found[filepath.ToSlash(folder)]; before == nil || len(before.GoFiles) < len(p.GoFiles) { // prefer the test variant
				found[filepath.ToSlash(folder)] = p
			}
		}
	}
	return found
}

// compile type-checks a package with the changed files. It ignores changed files that are not in
// the package, because they belong to another kind of build or are not Go files.
func compile(p *packages.Package, changed map[string][]byte) error {
	if p == nil {
		return fmt.Errorf("there is no such package in this kind of build")
	}
	seen := 0
	var files []*ast.File
	for i, name := range p.CompiledGoFiles {
		file := p.Syntax[i]
		for suffix, text := range changed {
			if filepath.Base(name) == path.Base(suffix) && filepath.Base(filepath.Dir(name)) == path.Base(path.Dir(suffix)) {
				var err error
				if file, err = parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution); err != nil {
					return err
				}
				seen++
			}
		}
		files = append(files, file)
	}
	if seen == 0 {
		return fmt.Errorf("none of its files is in this kind of build")
	}
	imports := map[string]*types.Package{}
	for path, i := range p.Imports {
		imports[path] = i.Types
	}
	config := types.Config{Importer: importer(imports), Sizes: p.TypesSizes}
	_, err := config.Check(p.PkgPath, p.Fset, files, nil)
	return err
}

// importer finds imported packages among the packages that were loaded with the importing one.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
