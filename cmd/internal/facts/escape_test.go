package facts

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
)

// TestExplanations reads compiler output that contains an escape through an inlined call, an escape
// in another package, and garbage.
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
	if err := escapes.Read(folder, l); err != nil {
		t.Fatal(err)
	}
	inlined := u.escapes[line{"b.go", 2}]
	if len(inlined) != 1 || inlined[0].Column != 8 || !slices.Equal(inlined[0].Flow, []string{"result 0 ← &T{...} (return, a.go:3)", "heap ← result 0"}) {
		t.Errorf("the inlined one is %+v", inlined)
	}
	if here := u.escapes[line{"a.go", 4}]; len(here) != 1 || here[0].Message != "y escapes to heap" {
		t.Errorf("the plain one is %+v", here)
	}
	if len(u.escapes) != 2 || l.garbled["example.com/p"] != 1 {
		t.Errorf("there are %d lines, and %v cannot be read", len(u.escapes), l.garbled)
	}
}
