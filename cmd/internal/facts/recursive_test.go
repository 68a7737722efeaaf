package facts

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

func TestRecursive(t *testing.T) {
	const src = `package p

type Tree struct{ Left, Right *Tree }
type List struct{ Name string; Children []List2 }
type List2 = *List
type ByMap struct{ m map[string]ByMap2 }
type ByMap2 struct{ up *ByMap }
type Expr interface{ expr() }
type Call struct{ Args []Expr }
func (*Call) expr() {}
type Generic[T any] struct{ next *Generic[T]; value T }

type Plain struct{ A, B int; Name string }
type Any struct{ v any }
type Fun struct{ f func(*Fun) *Fun; c chan *Fun }
type Other struct{ t *Tree }
type Stranger struct{ e Expr }
type Numbers []int
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"Tree": true, "List": true, "ByMap": true, "ByMap2": true, "Call": true, "Generic": true,
		"Plain": false, "Any": false, "Fun": false, "Other": false, "Stranger": false, "Numbers": false,
	} {
		if got := recursive(pkg.Scope().Lookup(name).Type()); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if recursive(types.Typ[types.String]) {
		t.Error("a string is recursive")
	}
}
