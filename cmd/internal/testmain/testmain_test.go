package testmain_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

func TestIs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.org/m\n\ngo 1.24\n",
		"m.go":            "package m\n",
		"m_test.go":       "package m\n",
		"outer_test.go":   "package m_test\n",
		"x.test/main.go":  "package main\n\nfunc main() {}\n",
		"lib.test/lib.go": "package lib\n",
		"y/main.go":       "package main\n\nfunc main() {}\n",
		"y/main_test.go":  "package main\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := packages.Load(&packages.Config{Dir: dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles | packages.NeedForTest}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range loaded {
		if testmain.Is(p) {
			got = append(got, p.ID)
		}
	}
	slices.Sort(got)
	want := []string{"example.org/m.test", "example.org/m/y.test"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
