package typeset_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

const source = `package p

type lists interface{ ~[]string | [2]string }

type strings = interface{ lists; Add(string) }

func f[
	Any any,
	Methods interface{ Add(string) },
	Comparable comparable,
	Map ~map[string]int,
	One interface{ []string },
	Lists lists,
	Embedded strings,
	Open interface{ any | ~[]string },
	Both interface{ lists; ~[]string },
	Own ~[]Own,
]() {}
`

// TestBelow tests Below and MayBe with the type parameters of the function f in source.
func TestBelow(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Any": "", "Methods": "", "Comparable": "", "Map": "map[string]int ", "One": "[]string ", "Lists": "[]string [2]string ",
		"Embedded": "[]string [2]string ", "Open": "", "Both": "[]string [2]string []string ", "Own": "[]Own ",
	}
	for parameter := range pkg.Scope().Lookup("f").Type().(*types.Signature).TypeParams().TypeParams() {
		got := ""
		for _, below := range typeset.Below(parameter) {
			got += below.String() + " "
		}
		if name := parameter.Obj().Name(); got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
		if got, want := typeset.MayBe[*types.Array](parameter), map[string]bool{"Map": true, "One": true, "Own": true}[parameter.Obj().Name()]; got == want {
			t.Errorf("%s: may be an array: %t", parameter.Obj().Name(), got)
		}
	}
	if named := pkg.Scope().Lookup("lists").Type(); len(typeset.Below(named)) != 1 || typeset.MayBe[*types.Slice](named) {
		t.Error("a type that is no parameter is more than itself")
	}
}
