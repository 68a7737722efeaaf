// Package smoke builds the commands and runs each of their main functions once, on a small module.
// It answers a new user's first question: does it work here? The detailed tests of the commands are
// next to their code.
package smoke

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// tools is the folder that contains the commands.
var tools string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if child.Emulated() {
		fmt.Println("smoke: skipped: under an emulator, the machine's own Go would build and run for this machine")
		return 0
	}
	folder, err := os.MkdirTemp("", "coppice-smoke-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		return 1
	}
	defer os.RemoveAll(folder)
	if out, err := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "../coppice", "../coppice-vet").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "smoke: building the commands: %v\n%s", err, out)
		return 1
	}
	tools = folder
	return m.Run()
}

// tool returns the path of a command, with the extension .exe on Windows.
func tool(name string) string {
	path := filepath.Join(tools, name)
	if _, err := os.Stat(path); err != nil {
		return path + ".exe"
	}
	return path
}

// calc copies the module in testdata/calc to a temporary folder, and returns the folder. No parent
// folder has a go.work.
func calc(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/calc")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// execute runs a program in a folder, and returns its exit code, its output, and its standard
// error.
func execute(t *testing.T, folder, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = folder
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("%s: %v", program, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// TestFind verifies that coppice find reports the three sites that allocate nodes, and a remedy for
// each.
func TestFind(t *testing.T) {
	t.Parallel()
	code, out, said := execute(t, calc(t), tool("coppice"), "find", "-quick", "-json", "-bench", "Parse")
	var found struct {
		Target struct{ Name string }
		Op     struct{ Allocs float64 }
		Sites  []struct {
			File, Remedy string
			Line         int
		}
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v in\n%s\n%s", code, err, out, said)
	}
	if n := found.Op.Allocs; found.Target.Name != "BenchmarkParse" || n < 2001 || n > 2101 {
		t.Errorf("%s with %.0f allocations an operation, want BenchmarkParse with its 2001 nodes", found.Target.Name, n)
	}
	source, err := os.ReadFile("testdata/calc/calc.go")
	if err != nil {
		t.Fatal(err)
	}
	marks := 0
	for i, text := range strings.Split(string(source), "\n") {
		if !strings.HasSuffix(text, "// found") {
			continue
		}
		marks++
		seen := false
		for _, s := range found.Sites {
			seen = seen || filepath.Base(s.File) == "calc.go" && s.Line == i+1 && s.Remedy == "slab"
		}
		if !seen {
			t.Errorf("calc.go:%d is not in\n%s", i+1, out)
		}
	}
	if marks != 3 {
		t.Errorf("%d lines of calc.go are marked, want 3", marks)
	}
}

// TestProve verifies that coppice prove compares the output of two commands, and then what they
// consume.
func TestProve(t *testing.T) {
	t.Parallel()
	coppice := tool("coppice")
	code, out, said := execute(t, t.TempDir(), coppice, "prove", "-rounds", "6", "--", coppice, "version", ":::", coppice, "version")
	if code != 0 || !strings.Contains(out, "\nequal by output\n") || !strings.Contains(out, "CPU") {
		t.Errorf("exit code %d; the same command twice:\n%s\n%s", code, out, said)
	}
	code, out, said = execute(t, t.TempDir(), coppice, "prove", "-rounds", "6", "--", coppice, "version", ":::", coppice, "help")
	if code != 1 || !strings.Contains(out, "UNEQUAL: ") {
		t.Errorf("exit code %d; two commands that print different lines:\n%s\n%s", code, out, said)
	}
}

// TestFix verifies that the go command makes the edits of coppice fix, given a prepared result of
// coppice find, and that the module's tests still pass.
func TestFix(t *testing.T) {
	t.Parallel()
	folder := calc(t)
	answer, err := os.ReadFile("testdata/find.json")
	if err != nil {
		t.Fatal(err)
	}
	prepared := filepath.Join(t.TempDir(), "find.json")
	text := strings.ReplaceAll(string(answer), "FOLDER", filepath.ToSlash(folder))
	if err := os.WriteFile(prepared, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, said := execute(t, folder, "go", "fix", "-fixtool="+tool("coppice-vet"), "-coppicefix", "-coppicefix.from="+prepared, "./..."); code != 0 {
		t.Fatalf("go fix ends with %d:\n%s%s", code, out, said)
	}
	changed, err := os.ReadFile(filepath.Join(folder, "calc.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(changed), "for word := range strings.FieldsSeq(text) {") {
		t.Errorf("the words are still in a slice:\n%s", changed)
	}
	if code, out, said := execute(t, folder, "go", "test", "./..."); code != 0 {
		t.Errorf("the changed module: go test ends with %d:\n%s%s", code, out, said)
	}
}
