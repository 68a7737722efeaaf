package edits

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDrop verifies that unused imports are removed together with their lines, and that other
// imports stay.
func TestDrop(t *testing.T) {
	const body = "\nvar A = strings.ToUpper(\"a\")\n"
	for name, c := range map[string]struct{ source, want string }{
		"group": {"package a\n\nimport (\n\t\"fmt\"\n\t\"strings\" // for A\n)\n\nvar B = fmt.Sprint()\n", "package a\n\nimport (\n\t\"fmt\"\n)\n\nvar B = fmt.Sprint()\n"},
		"only":  {"package a\n\nimport \"strings\"\n", "package a\n"},
		"all":   {"package a\n\nimport (\n\t\"strings\"\n)\n", "package a\n"},
		"used":  {"package a\n\nimport \"strings\"\n\nvar C = strings.ToLower(\"b\")\n", "package a\n\nimport \"strings\"\n\nvar C = strings.ToLower(\"b\")\n"},
		"named": {"package a\n\nimport strings \"strings\"\n", "package a\n"},
		"twice": {"package a\n\nimport (\n\t\"strings\"\n\ts \"strings\"\n)\n\nvar D = s.ToLower(\"b\")\n", "package a\n\nimport (\n\ts \"strings\"\n)\n\nvar D = s.ToLower(\"b\")\n"},
		"first": {"package a\n\nimport \"strings\"; import \"fmt\"\n\nvar B = fmt.Sprint()\n", "package a\n\nimport \"fmt\"\n\nvar B = fmt.Sprint()\n"},
		"last":  {"package a\n\nimport \"fmt\" ; import \"strings\"\n\nvar B = fmt.Sprint()\n", "package a\n\nimport \"fmt\"\n\nvar B = fmt.Sprint()\n"},
		"blank": {"package a\n\nimport (\n\t\"strings\"\n\t_ \"strings\"\n)\n", "package a\n\nimport (\n\t_ \"strings\"\n)\n"},
	} {
		file := filepath.Join(t.TempDir(), "a.go")
		source := c.source + body
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		var s, other Set
		s.Replace(fset, parsed.FileEnd-token.Pos(len(body)), parsed.FileEnd, "")
		other.Drop(fset, parsed, "strings")
		if err := s.Add(&other); err != nil {
			t.Fatal(err)
		}
		files, err := s.Apply()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := string(files[file]); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// List returns insertions before the same byte as one edit, in the order in which they were made.
func TestList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	const source = "package a\n\nvar a = 1\n"
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var s Set
	one := parsed.FileEnd - 2
	s.Replace(fset, one, one+1, "2")
	s.Insert(fset, one, "-")
	s.Insert(fset, one, "+")
	s.Insert(fset, parsed.Name.End(), "b")
	list, err := s.List()
	at := len(source) - 2
	if want := []Edit{{file, 9, 9, "b"}, {file, at, at + 1, "-+2"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v and %v, want %v", list, err, want)
	}
	if err := s.Create("new", nil); err != nil || !slices.Equal(s.Created(), []string{"new"}) {
		t.Errorf("created are %v", s.Created())
	}
}
