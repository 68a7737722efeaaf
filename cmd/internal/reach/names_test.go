package reach

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNames verifies that names are found in all files of a package, including its tests, and that
// promoted fields are found whichever way a struct embeds the owner.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"calc.go":        "package calc\n\ntype parser struct{ base }\n\ntype base struct{ at int }\n\ntype two struct {\n\tleft\n\tright\n}\n\ntype left struct{ x int }\n\ntype right struct{ x int }\n",
		"calc_test.go":   "package calc\n\nimport . \"strings\"\nimport words \"testing\"\n\ntype other = parser\n\nfunc (p *parser) deep() {}\n\nfunc TestAll(t *words.T) {\n\tvar x struct {\n\t\tToken\n\t\tmiddle[int]\n\t}\n\t_, _ = x, ToUpper\n}\n\ntype Token int\n\ntype middle[T any] struct{ *other }\n",
		"lone/lone.go":   "package lone\n\ntype parser struct{ at int }\n\ntype has struct{ p parser }\n",
		"inner/inner.go": "package inner\n\nvar chunks int\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"at": true, "base": true, "deep": true, "x": false, "nodes": false} {
		if got := m.HasMember("example.com/m", "parser", name); got != want {
			t.Errorf("parser has a member %s: %v", name, got)
		}
	}
	if !m.HasMember("example.com/m", "two", "x") {
		t.Error("a name that two embedded structs have counts")
	}
	for name, want := range map[string]bool{"other": true, "words": true, "ToUpper": true, "parser": true, "chunks": false, "t": false} {
		if got := m.HasName("example.com/m", name); got != want {
			t.Errorf("the package has the name %s: %v", name, got)
		}
	}
	for structName, want := range map[string]string{"parser": "calc_test.go:11", "right": "calc.go:7", "base": "calc.go:3", "two": ""} {
		if got := m.Promotes("example.com/m", structName); got != want {
			t.Errorf("%s is embedded at %q, want %q", structName, got, want)
		}
	}
	if got := m.Promotes("example.com/m/lone", "parser"); got != "" {
		t.Errorf("a field with a name promotes nothing; it does at %q", got)
	}
}
