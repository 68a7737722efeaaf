package facts

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestExplanations reads what a compiler writes: an explanation with inlining, one of another package, and garbage.
func TestExplanations(t *testing.T) {
	folder := t.TempDir()
	const text = `{"version":0,"package":"example.com/p","file":"/src/p/a.go"}
{"range":{"start":{"line":7,"character":3}},"code":"isInBounds","message":""}
{"range":{"start":{"line":9,"character":5}},"code":"escape","message":"&T{...} escapes to heap","relatedInformation":[{"location":{"uri":"file:///src/p/b.go","range":{"start":{"line":2,"character":8}}},"message":"inlineLoc"},{"location":{"uri":"file:///src/p/b.go","range":{"start":{"line":2,"character":8}}},"message":"escflow:    flow: ~r0 ← &{storage for &T{...}}:"},{"location":{"uri":"file:///src/p/b.go","range":{"start":{"line":2,"character":8}}},"message":"escflow:      from &T{...} (spill)"},{"location":{"uri":"file:///src/p/a.go","range":{"start":{"line":3,"character":1}}},"message":"escflow:      from return &T{...} (return)"},{"location":{"uri":"file:///src/p/a.go","range":{"start":{"line":3,"character":1}}},"message":"escflow:    flow: {heap} ← ~r0:"}]}
{"range":{"start":{"line":9,"character":5}},"code":"escape","message":"x escapes to heap","relatedInformation":[{"location":{"uri":"file:///src/q/a.go","range":{"start":{"line":1,"character":1}}},"message":"inlineLoc"}]}
{"range":{"start":{"line":9,"character":5}},"code":"escape","mess
{"range":{"start":{"line":4,"character":6}},"code":"escapes","message":"y escapes to heap"}
{"range":{"start":{"line":4,"character":6}},"code":"escape","message":""}
{"range":{"start":{"line":4,"character":6}},"code":"escapes","message":"y escapes to heap"}
`
	if err := os.MkdirAll(filepath.Join(folder, "example.com%2Fp"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "example.com%2Fp", "a.json"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	u := &unit{Package: &packages.Package{PkgPath: "example.com/p"}}
	l := &loading{units: []*unit{u}, garbled: map[string]int{}}
	if err := l.explain(folder); err != nil {
		t.Fatal(err)
	}
	inlined := u.escapes[line{"b.go", 2}]
	if len(inlined) != 1 || inlined[0].column != 8 || !slices.Equal(inlined[0].flow, []string{"result 0 ← &T{...} (return, a.go:3)", "heap ← result 0"}) {
		t.Errorf("the inlined one is %+v", inlined)
	}
	if here := u.escapes[line{"a.go", 4}]; len(here) != 1 || here[0].message != "y escapes to heap" {
		t.Errorf("the plain one is %+v", here)
	}
	if len(u.escapes) != 2 || l.garbled["example.com/p"] != 1 {
		t.Errorf("there are %d lines, and %v cannot be read", len(u.escapes), l.garbled)
	}
}

// TestHeard reads what a compiler says in a line each: after a //line directive, of an inlined call, and of what stays.
func TestHeard(t *testing.T) {
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
	u := &unit{Package: &packages.Package{PkgPath: "example.com/p"}}
	for _, e := range heard(text)["example.com/p"] {
		u.explained(e.file, e.escape)
	}
	for at, want := range map[line]escape{
		{"a.go", 5}:  {line: 5, column: 9, message: "&T{...} escapes to heap"},
		{"x.go", 12}: {line: 12, column: 3, message: "v escapes to heap"},
		{"a.go", 9}:  {line: 9, column: 5, message: "... argument escapes to heap"},
	} {
		if got := u.escapes[at]; len(got) != 1 || got[0].column != want.column || got[0].message != want.message {
			t.Errorf("of %v it says %+v; want %+v", at, got, want)
		}
	}
	if len(u.escapes) != 3 {
		t.Errorf("there are %d lines; want 3: %v", len(u.escapes), u.escapes)
	}
}
