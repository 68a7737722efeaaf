package imports_test

import (
	"go/format"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/imports"
)

// TestCommentsStay adds an import to files with comments in different positions. Every comment must
// remain next to the code that it belongs to.
func TestCommentsStay(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"of the package clause":       {"package a // import \"x.org/a\"\n", "package a // import \"x.org/a\"\n\nimport (\n\t\"slices\"\n)\n"},
		"in the package clause":       {"package a /* a */ // b\n\nvar x int\n", "package a /* a */ // b\n\nimport (\n\t\"slices\"\n)\n\nvar x int\n"},
		"of a semicolon":              {"package a; // b\n", "package a // b\n\nimport (\n\t\"slices\"\n)\n"},
		"of lines":                    {"package a /* one\ntwo */\n", "package a /* one\ntwo */\n\nimport (\n\t\"slices\"\n)\n"},
		"below the package clause":    {"package a\n\n// x is that.\nvar x int\n", "package a\n\nimport (\n\t\"slices\"\n)\n\n// x is that.\nvar x int\n"},
		"of an import":                {"package a\n\nimport \"fmt\" // for x\n", "package a\n\nimport (\n\t\"fmt\" // for x\n\t\"slices\"\n)\n"},
		"of a named import":           {"package a\n\nimport . \"fmt\" // for x\n", "package a\n\nimport (\n\t. \"fmt\" // for x\n\t\"slices\"\n)\n"},
		"of a declaration":            {"package a\n\nimport ( // all\n\t\"fmt\"\n)\n", "package a\n\nimport ( // all\n\t\"fmt\"\n\t\"slices\"\n)\n"},
		"of the first import":         {"package a\n\nimport (\n\t// for x\n\t\"fmt\"\n)\n", "package a\n\nimport (\n\t\"slices\"\n\t// for x\n\t\"fmt\"\n)\n"},
		"of imports that are packed":  {"package a\n\nimport (\"b\"; \"fmt\") // c\n", "package a\n\nimport (\n\t\"b\"\n\t\"fmt\"\n) // c\n\nimport (\n\t\"slices\"\n)\n"},
		"that is a preamble":          {"package a // c\n\n// #include <math.h>\nimport \"C\"\n", "package a // c\n\nimport (\n\t\"slices\"\n)\n\n// #include <math.h>\nimport \"C\"\n"},
		"with a //line directive":     {"package a // c\n\n//line b.y:7\nvar x int\n", "package a // c\n\nimport (\n\t\"slices\"\n)\n\n//line b.y:7\nvar x int\n"},
		"of a file with a //line one": {"//line b.y:7\npackage a // c\n", "//line b.y:7\npackage a // c\n\nimport (\n\t\"slices\"\n)\n"},
	} {
		edits, err := imports.Add("a.go", []byte(c.before), map[string]string{"slices": ""})
		if err != nil || len(edits) != 1 {
			t.Fatalf("%s: %v, %v", name, edits, err)
		}
		e := edits[0]
		text, err := format.Source([]byte(c.before[:e.Start] + e.Text + c.before[e.End:]))
		if err != nil || string(text) != c.after {
			t.Errorf("a comment %s: %q, %v, want %q", name, text, err, c.after)
		}
	}
}
