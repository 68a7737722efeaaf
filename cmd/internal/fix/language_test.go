package fix

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// added lists the files that find and fix add to packages. language is the oldest version of the
// packages that receive them; no version before go1.11 has modules.
var added = []struct {
	language, folder string
	files            []string
}{
	{"go1.11", "../find/owners", []string{"counter.go.txt"}},
	{"go1.11", "../find/values", []string{"counter.go.txt"}},
	{"go1.11", "../find/runs", []string{"end.go.txt"}},
	{"go1.11", "../rewrite/witness", []string{"witness.go", "goroutines.go", "violation.go", "activations.go", "poison_unsafe.go"}},
	{"go1.18", "../rewrite/witness", []string{
		"witness.go", "goroutines.go", "violation.go", "activations.go", "poison_unsafe.go", "owner.go", "array.go",
	}},
}

// TestAddedInOldLanguage verifies that files that find and fix add to a package compile in the
// language version of its module.
func TestAddedInOldLanguage(t *testing.T) {
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", nil)
	for _, c := range added {
		var files []*ast.File
		for _, name := range c.files {
			name = filepath.Join(c.folder, name)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source := strings.NewReplacer("PACKAGE", "p", "PLACES", "3").Replace(string(text))
			file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		config := types.Config{GoVersion: c.language, Importer: from, Error: func(err error) { t.Errorf("%s: %v", c.language, err) }}
		_, _ = config.Check("p", fset, files, nil) // Error receives all errors
	}
}
