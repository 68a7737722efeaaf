package escapes

import (
	"reflect"
	"testing"
)

// TestBrief parses the compiler's one-line messages, including one after a //line directive, one at
// an inlined call, and one for a value that does not escape.
func TestBrief(t *testing.T) {
	const text = `# example.com/p
./a.go:4:6: can inline New
./a.go:5:9: &T{...} escapes to heap
./x.y:7[/src/p/x.go:12:3]: moved to heap: v
./a.go:9:5: inlining call to New
./a.go:9:5: &T{...} escapes to heap
./a.go:9:5: ... argument escapes to heap
./a.go:9:8: s does not escape
# example.com/p [example.com/p.test]
./a.go:5:9: &T{...} escapes to heap
`
	want := []Spoken{
		{"a.go", Escape{Line: 5, Column: 9, Message: "&T{...} escapes to heap"}},
		{"x.go", Escape{Line: 12, Column: 3, Message: "v escapes to heap"}},
		{"a.go", Escape{Line: 9, Column: 5, Message: "... argument escapes to heap"}},
		{"a.go", Escape{Line: 5, Column: 9, Message: "&T{...} escapes to heap"}}, // again for the tests
	}
	if got := heard(text); len(got) != 1 || !reflect.DeepEqual(got["example.com/p"], want) {
		t.Errorf("it says %+v; want %+v", got, want)
	}
}
