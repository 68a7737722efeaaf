package inline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestLengthsOfArrays verifies that Array permits the lengths that its comment states.
func TestLengthsOfArrays(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "array.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	ast.Inspect(file, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok {
			length, err := strconv.Atoi(a.Len.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, length)
		}
		return true
	})
	var want []int
	for n := 1; n <= 32; n++ {
		want = append(want, n)
	}
	for start := 32; start < 1024; start *= 2 {
		for quarter := 1; quarter <= 4; quarter++ {
			want = append(want, start+quarter*start/4)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the lengths are %d, want %d", got, want)
	}
}
