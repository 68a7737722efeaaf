package parser_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// allocations is how many a parse takes on the Go heap and in an arena, as docs/ARENA.md has it.
var allocations = map[string][2]float64{"small": {27, 7}, "fragments": {85, 23}, "deep": {37, 3}, "introspection": {120, 3}, "strings": {2551, 657}}

// query returns the source of a name, one of gqlparser's own or one with many strings.
func query(t *testing.T, name string) *ast.Source {
	t.Helper()
	if name != "strings" {
		text, err := os.ReadFile("../testdata/" + name + ".graphql")
		if err != nil {
			t.Fatal(err)
		}
		return &ast.Source{Name: name, Input: string(text)}
	}
	const field = `  f(a: "x\ny\u0041", b: """
   block
     text \"""
  """, c: $a, d: [1, {x: 2.5, y: true}]) @skip(if: true) { g ... on T { h } }
`
	return &ast.Source{Name: name, Input: "# one\n\"a text\"\n# two\nquery Q($a: [Int!]) {\n" + strings.Repeat(field, 40) + "}"}
}

// printed returns a document as text, which is on the Go heap.
func printed(t *testing.T, d *ast.QueryDocument, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	formatter.NewFormatter(&b, formatter.WithComments()).FormatQueryDocument(d)
	return b.String()
}

// Documents of arenas from a pool are those of the Go heap, in several goroutines.
func TestDocumentsInArenas(t *testing.T) {
	var arenas arena.Pool
	for name := range allocations {
		source := query(t, name)
		d, err := parser.ParseQuery(source)
		want := printed(t, d, err)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 10 {
					a := arenas.Get()
					d, err := parser.ParseQueryIn(a, source)
					if err != nil || printed(t, d, err) != want {
						t.Errorf("%s is another document in an arena: %v", name, err)
					}
					arenas.Put(a)
				}
			})
		}
		all.Wait()
	}
}

func TestAllocations(t *testing.T) {
	for name, want := range allocations {
		source := query(t, name)
		var a arena.Arena
		got := [2]float64{
			testing.AllocsPerRun(20, func() { _, _ = parser.ParseQuery(source) }),
			testing.AllocsPerRun(20, func() { _, _ = parser.ParseQueryIn(&a, source); a.Reset() }),
		}
		if t.Logf("%s: %v allocations, %v in an arena", name, got[0], got[1]); got[1] > want[1] || got[0] < 3*got[1] {
			t.Errorf("%s takes %v allocations in an arena and %v without; docs/ARENA.md says %v", name, got[1], got[0], want)
		}
	}
}
