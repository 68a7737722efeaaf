package edits

import (
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// imported returns the source after imports of the paths were added, and the names of the imported
// packages.
func imported(t *testing.T, source string, paths ...string) (string, []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var s Set
	var names []string
	names = slices.Grow(names, len(paths))
	for _, path := range paths {
		names = append(names, s.Import(fset, types.NewPackage("a", "a"), file, path))
	}
	s.Insert(fset, file.FileEnd, "\n// changed\n")
	files, err := s.Apply()
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(files[name]), "// changed")
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), names
}

// TestImport verifies that added imports are sorted and grouped as in code formatted by gofmt.
func TestImport(t *testing.T) {
	for name, c := range map[string]struct {
		source, want string
		paths        []string
	}{
		"none":     {"package a\n", "package a\n\nimport (\n\t\"slices\"\n)\n", []string{"slices"}},
		"single":   {"package a\n\nimport \"fmt\"\n", "package a\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n)\n", []string{"slices"}},
		"other":    {"package a\n\nimport \"fmt\"\n", "package a\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/slab\"\n)\n", []string{"x.org/slab"}},
		"sorted":   {"package a\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n", "package a\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n\t\"strings\"\n)\n", []string{"slices"}},
		"groups":   {"package a\n\nimport (\n\t\"fmt\"\n\n\t\"y.org/y\"\n)\n", "package a\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n\n\t\"x.org/slab\"\n\t\"y.org/y\"\n)\n", []string{"slices", "x.org/slab"}},
		"first":    {"package a\n\nimport (\n\t\"y.org/y\"\n)\n", "package a\n\nimport (\n\t\"slices\"\n\n\t\"y.org/y\"\n)\n", []string{"slices"}},
		"new":      {"package a\n\nimport (\n\t\"fmt\"\n)\n", "package a\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/slab\"\n)\n", []string{"x.org/slab"}},
		"c":        {"package a\n\nimport \"C\"\n\nimport \"fmt\"\n", "package a\n\nimport \"C\"\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n)\n", []string{"slices"}},
		"comments": {"package a // import \"x.org/a\"\n\nimport \"b\" // for b\n", "package a // import \"x.org/a\"\n\nimport (\n\t\"b\" // for b\n\t\"slices\"\n)\n", []string{"slices"}},
		"existing": {"package a\n\nimport s \"slices\"\n", "package a\n\nimport s \"slices\"\n", []string{"slices"}},
		"one line": {"package a\n\nimport (\"b\"; \"fmt\")\n", "package a\n\nimport (\"b\"; \"fmt\")\n\nimport (\n\t\"slices\"\n)\n", []string{"slices"}},
		"packed":   {"package a\n\nimport (\n\t\"b\"; \"fmt\"\n)\n", "package a\n\nimport (\n\t\"b\"; \"fmt\"\n)\n\nimport (\n\t\"slices\"\n)\n", []string{"slices"}},
		"windows":  {"package a\r\n\r\nimport (\r\n\t\"fmt\"\r\n)\r\n", "package a\r\n\r\nimport (\r\n\t\"fmt\"\r\n\t\"slices\"\r\n)\r\n", []string{"slices"}},
		"taken":    {"package a\n\nvar slices int\n", "package a\n\nimport (\n\tcoppiceslices \"slices\"\n)\n\nvar slices int\n", []string{"slices"}},
	} {
		if got, _ := imported(t, c.source, c.paths...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, names := imported(t, "package a\n\nvar slices int\n", "slices", "slices"); names[0] != "coppiceslices" || names[1] != names[0] {
		t.Errorf("the names are %v", names)
	}
	if _, names := imported(t, "package a\n\nimport s \"slices\"\n", "slices"); names[0] != "s" {
		t.Errorf("the name is %v", names)
	}
}

// Two sets of edits can be combined unless they change the same bytes in different ways.
func TestAdd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	const source = "package a\n\nvar a, b = 1, 2\n"
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	set := func(from, to int, text string) *Set {
		return &Set{edits: map[string][]edit{name: {{start: from, end: to, text: text}}}}
	}
	one := strings.Index(source, "1")
	for want, others := range map[string][]*Set{
		"package a\n\nvar a, b = 3, 4\n":   {set(one, one+1, "3"), set(one+3, one+4, "4"), set(one, one+1, "3")},
		"package a\n\nvar a, b = -+1, 2\n": {set(one, one, "-"), set(one, one, "+")},
		"two changes overlap":              {set(one, one+1, "3"), set(one, one+4, "4")},
	} {
		var s Set
		for _, other := range others {
			if err := s.Add(other); err != nil {
				t.Fatal(err)
			}
		}
		files, err := s.Apply()
		if got := string(files[name]); got != want && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%q and %v, want %q", got, err, want)
		}
	}
	var s Set
	if err := s.Create(name, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(&Set{created: map[string][]byte{name: []byte("y")}}); err == nil {
		t.Error("one file was made twice")
	}
	if _, err := s.Apply(); err == nil {
		t.Error("a file that exists was made")
	}
}

// The witness variant of a set may have other replacements and other composed files. Combining two
// sets must keep both variants.
func TestWitness(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	const source = "package a\n\nvar a = 1\n"
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var part, s Set
	end := file.End()
	part.Replace(fset, end-1, end, "2")
	if part.HasWitness() {
		t.Error("nothing is for the witness form")
	}
	part.InsertBoth(fset, end-1, "", "10+")
	part.InsertOnceBoth(fset, end, "+3", "+4")
	for i, err := range []error{part.Compose(other, "", "package a\n"), part.Compose(other, "1", "// plain\n"), part.ComposeWitness(other, "1", "// watched\n"), s.Add(&part), s.Add(&part)} {
		if err != nil {
			t.Fatal(i, err)
		}
	}
	if err := s.ComposeWitness(other, "1", "// another\n"); err == nil {
		t.Error("two texts of one part")
	}
	if !s.HasWitness() {
		t.Error("there is a witness form")
	}
	for form, set := range map[string]*Set{"var a = 2 + 3|// plain": &s, "var a = 10 + 10 + 2 + 4|// watched": s.Witness()} {
		files, err := set.Apply()
		if err != nil {
			t.Fatal(err)
		}
		declared, comment, _ := strings.Cut(form, "|")
		if got, want := string(files[name]), "package a\n\n"+declared+"\n"; got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
		if got, want := string(files[other]), "package a\n"+comment+"\n"; got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Text != "2" || list[1].Text != "+3" {
		t.Errorf("the list has %+v", list)
	}
}
