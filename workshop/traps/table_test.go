package traps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryTrapIsInTheList verifies that docs/TRAPS.md lists exactly the tests of this package.
func TestEveryTrapIsInTheList(t *testing.T) {
	list, err := os.ReadFile("../../docs/TRAPS.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, here []string
	for _, row := range regexp.MustCompile("(?m)^\\|.*\\| `(TestTrap\\w+)` \\|$").FindAllSubmatch(list, -1) {
		listed = append(listed, string(row[1]))
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "TestTrap") {
				here = append(here, fn.Name.Name)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(here)
	if len(here) < 20 || !slices.Equal(listed, here) {
		t.Errorf("docs/TRAPS.md lists\n%s\nand workshop/traps has\n%s", strings.Join(listed, "\n"), strings.Join(here, "\n"))
	}
}
