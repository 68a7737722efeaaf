package change

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEmbeds verifies that a pattern matches a file or a folder that contains it, however the
// pattern is quoted.
func TestEmbeds(t *testing.T) {
	for _, c := range []struct {
		line, name string
		want       bool
	}{
		{"//go:embed c*", "chunks.go", true},
		{"//go:embed a b chunks.go", "chunks.go", true},
		{"//go:embed a\tb", "chunks.go", false},
		{"\t//go:embed .", "sub/chunks.go", true},
		{"//go:embed all:sub", "sub/chunks.go", true},
		{"//go:embed sub", "sub/below/chunks.go", true},
		{"//go:embed sub/*", "sub/below/chunks.go", true},
		{"//go:embed su?/*.txt", "sub/chunks.go", false},
		{`//go:embed "all:a b" "s\x75b"`, "sub/chunks.go", true},
		{"//go:embed `all:a b` `sub`", "sub/chunks.go", true},
		{`//go:embed "sub`, "sub/chunks.go", false},
		{"// go:embed *", "chunks.go", false},
		{"//go:embed", "chunks.go", false},
	} {
		if got := embeds([]byte("package p\n\n"+c.line+"\nvar x string\n"), c.name); got != c.want {
			t.Errorf("%s has %s: %v, want %v", c.line, c.name, got, c.want)
		}
	}
}

// TestDataOf verifies that a file is found to be embedded if the directive is in any Go file of the
// same package or of a package in an enclosing folder, but not if that package belongs to another
// module.
func TestDataOf(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.com/m\n",
		"all.go":             "package m\n\n//go:embed whole\nvar whole embed.FS\n",
		"some_test.go":       "package m_test\n\n//go:embed some/*/c*\nvar some embed.FS\n",
		"whole/a/a.go":       "package a\n",
		"some/[b]/b.go":      "package b\n",
		"other/a.go":         "package other\n\n//go:embed ../whole\nvar wrong embed.FS\n",
		"whole/inner/go.mod": "module example.com/m/whole/inner\n",
		"whole/inner/a.go":   "package inner\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"whole/a/a.go": "all.go", "whole/a/new.go": "all.go", "some/[b]/b.go": "", "some/[b]/chunks.go": "some_test.go", "other/new.go": "", "new.go": "",
		"whole/inner/a.go": "",
	} {
		by, err := DataOf(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = filepath.Join(root, want)
		}
		if by != want {
			t.Errorf("%q has %s as data, want %q", by, name, want)
		}
	}
}
