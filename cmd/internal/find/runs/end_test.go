package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

func prepared(t *testing.T, text string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := end(gobench.Package{ImportPath: "x", Dir: dir, GoFiles: []string{"main.go"}})
	if err != nil {
		return "", err
	}
	replace, err := c.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(replace) != 2 {
		t.Fatalf("replaced: %v", replace)
	}
	changed, err := os.ReadFile(replace[file])
	if err != nil {
		t.Fatal(err)
	}
	return string(changed), nil
}

func TestEnd(t *testing.T) {
	got, err := prepared(t, `package main

import system "os"

type T struct{}

func (T) main() {}

func main() {
	defer system.Exit(1) // os.Exit
	f := system.Exit
	f(2)
	{
		var system struct{ Exit func(int) }
		system.Exit(3)
	}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{
		7: "func (T) main() {}", 9: "func main() { defer coppiceEnd(); ", 10: "	defer coppiceExit(system.Exit)(1) // os.Exit",
		11: "	f := coppiceExit(system.Exit)", 15: "		system.Exit(3)",
	} {
		if lines := strings.Split(got, "\n"); lines[line-1] != want {
			t.Errorf("line %d is %q, want %q", line, lines[line-1], want)
		}
	}
}

func TestNoMain(t *testing.T) {
	if _, err := prepared(t, "package main\n\nfunc init() {}\n"); err == nil || err.Error() != "x has 0 main functions" {
		t.Error(err)
	}
}

func TestMayMatch(t *testing.T) {
	for pattern, want := range map[string]bool{"Parse": true, "^TestParse$": true, "TestParse/a": true, "Other": false, "Other/Parse": false, "Other/a|TestParse": true, "": true} {
		if MayMatch(pattern, "TestParse") != want {
			t.Errorf("%q: %v", pattern, !want)
		}
	}
}

func TestCycles(t *testing.T) {
	if n := cycles([]byte("gc 1 @0.1s 2%: 0.0\nmine\ngc 2 @0.2s 1%: 0.1\ngc of mine\n")); n != 2 {
		t.Errorf("%d collections", n)
	}
}
