package flatgen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// TestLineEnds verifies that the generator supports a checkout with CRLF line ends. Generated files
// are not reported as stale, flat.lock can be read, and files that change keep their line ends.
func TestLineEnds(t *testing.T) {
	const declarations = "package box\n\n//flat:version 1\n//flat:root Node\n\n// Node is\n// a node.\ntype Node struct {\n\tID   uint32\n\tName string `flat:\"intern\"` // its name\n\tKids []*Node\n}\n"
	dir := module(t, "box", declarations)
	o := Options{Dir: dir, Patterns: []string{"./box"}, Cpp: "box.hpp"}
	if err := Generate(o); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "box", "*", "*"))
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	names = append(names, filepath.Join(dir, "box", "schema.go"), filepath.Join(dir, "box.hpp"))
	edit := func(name string, change func(string) string) {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(change(string(data))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		edit(name, func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") })
	}
	check := o
	check.Check = true
	if err := Generate(check); err != nil {
		t.Errorf("with other line ends: %v", err)
	}

	stale := filepath.Join(dir, "box", "boxflat", "zold.go")
	if err := os.WriteFile(stale, []byte(strings.ReplaceAll(schema.Mark, "\n", "\r\n")+"package boxflat\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edit(filepath.Join(dir, "box", "schema.go"), func(text string) string {
		return strings.NewReplacer("version 1", "version 2", "Kids []*Node", "Kids []*Node\r\n\tMore bool").Replace(text)
	})
	if err := Generate(o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a file that is no longer generated is still there")
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, lineend.Like([]byte("\r\n"), data)) {
			t.Errorf("%s has lines that end as others do not", name)
		}
	}
	if lock, err := os.ReadFile(filepath.Join(dir, "box", "boxflat", lockName)); err != nil || !bytes.Contains(lock, []byte("version 1\r\n")) || !bytes.Contains(lock, []byte("version 2\r\n")) {
		t.Errorf("%v: the lock has %q", err, lock)
	}
}
