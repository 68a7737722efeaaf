package drivertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Forms builds a program as published, and in the forms that the files in the folder changes
// define. It compares their answers at depth 0, with args. lines maps each form to the number
// of lines of code that it adds, as in ../../spec.md.
func Forms(t *testing.T, program string, lines map[string]int, args ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("changes", "*.diff"))
	if err != nil || len(files) != len(lines) {
		t.Fatalf("files %q, %v; %d forms are wanted", files, err, len(lines))
	}
	for form, want := range lines {
		change, err := os.ReadFile(filepath.Join("changes", form+".diff"))
		if err != nil {
			t.Fatal(err)
		}
		if got := CodeLines(change); got != want {
			t.Errorf("%s adds %d lines of code; spec.md says %d", form, got, want)
		}
	}
	if testing.Short() {
		t.Skip("it builds programs")
	}
	original := answer(t, program, "original", args)
	for form := range lines {
		if got := answer(t, program, form, args); !bytes.Equal(got, original) {
			t.Errorf("%s prints %q, the original %q", form, got, original)
		}
	}
}

// answer builds a form of a program and returns what it prints.
func answer(t *testing.T, program, form string, args []string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), form)
	build := exec.Command("go", "run", "./cmd/internal/rewrite/foreign", "-program", program, "-form", form, "-o", file)
	build.Dir = filepath.Join("..", "..", "..")
	build.Env = append(os.Environ(), "GOWORK=") // the command is in the workspace
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", form, err, out)
	}
	out, err := exec.Command(file, append(args, "0")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", form, err, out)
	}
	return out
}

var (
	added = regexp.MustCompile(`(?m)^\+[^+\n].*$`)
	other = regexp.MustCompile(`^\+\s*("[^"]*"|\w+ "[^"\s]+/[^"\s]+"|//.*)?$`)
)

// CodeLines counts the lines that a change adds, except imports, comments and empty lines.
func CodeLines(change []byte) (count int) {
	for _, line := range added.FindAll(change, -1) {
		if !other.Match(line) {
			count++
		}
	}
	return count
}
