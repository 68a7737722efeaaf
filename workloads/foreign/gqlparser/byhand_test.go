package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

// TestByHand verifies what docs/ARENA.md says about converting gqlparser by hand: the number of
// changed lines, and, by the tests in testdata/byhand, the resulting documents and allocations.
func TestByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a copy of gqlparser")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	change := filepath.Join(here, "testdata", "byhand", "arena.diff")
	text, err := os.ReadFile(change)
	if err != nil {
		t.Fatal(err)
	}
	if lines := drivertest.CodeLines(text); lines != 29 {
		t.Errorf("the change has %d lines of code; docs/ARENA.md says 29", lines)
	}
	copied := filepath.Join(t.TempDir(), "gqlparser")
	module := strings.TrimSpace(run(t, here, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/vektah/gqlparser/v2"))
	for _, folder := range []string{"ast", "formatter", "gqlerror", "lexer", "parser", "testdata"} {
		copyFiles(t, filepath.Join(copied, folder), filepath.Join(module, folder))
	}
	run(t, copied, "git", "apply", "--unidiff-zero", change)
	copyFile(t, filepath.Join(copied, "parser", "arena_test.go"), filepath.Join(here, "testdata", "byhand", "arena_test.go"))
	copyFile(t, filepath.Join(copied, "go.sum"), filepath.Join(here, "go.sum"))
	root := filepath.Join(here, "..", "..", "..")
	writeFile(t, filepath.Join(copied, "go.mod"), []byte("module github.com/vektah/gqlparser/v2\n\ngo 1.26.0\n\nrequire github.com/coppice-go/coppice v0.1.0\n\nreplace github.com/coppice-go/coppice => "+root+"\n"))
	t.Log(run(t, copied, "go", "test", "-mod=mod", "-v", "-run", "^(TestDocumentsInArenas|TestAllocations)$", "./parser"))
}

// run runs a program in the given folder and returns its standard output. It fails the test if the
// program fails.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// copyFiles copies the files of a folder, except for tests.
func copyFiles(t *testing.T, to, from string) {
	t.Helper()
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Type().IsRegular() && !strings.HasSuffix(f.Name(), "_test.go") {
			copyFile(t, filepath.Join(to, f.Name()), filepath.Join(from, f.Name()))
		}
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, text)
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
