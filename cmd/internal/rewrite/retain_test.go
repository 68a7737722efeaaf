package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

func TestLeadsOn(t *testing.T) {
	const source = `package x
type (
	YesTree struct { left, right *YesTree }
	YesNames []([]string)
	YesText *string
	YesAny struct { n int; v any }
	YesFunc func()
	YesMap map[int]int
	YesFar [2]struct { a struct { b []*int } }
	NoNumber int
	NoText string
	NoWords []uint
	NoPoint *struct { x, y float64 }
	NoBoth struct { name string; points [3][]int }
)`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("x", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.Scope().Names() {
		if got := LeadsOn(pkg.Scope().Lookup(name).Type()); got != strings.HasPrefix(name, "Yes") {
			t.Errorf("%s leads on: %v", name, got)
		}
	}
}
