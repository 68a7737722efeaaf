package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the folder of the README.
const root = "../.."

func readme(t *testing.T) string {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The first program of the README compiles as it stands, and does what it says: every tree has two children of its own.
func TestProgramOfTheReadme(t *testing.T) {
	_, program, found := strings.Cut(readme(t), "\n```go\npackage main\n")
	program, _, closed := strings.Cut(program, "\n```\n")
	if !found || !closed {
		t.Fatal("the README has no block that starts with package main")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte("package main\n"+program), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-race=false", file)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != strings.Repeat("true\n", 1000) {
		t.Errorf("the README's program: %v; it prints\n%.200s", err, out)
	}
}

// `make fresh` runs the first two commands of the README on an empty machine: the first is the main job, the second the tests.
func TestSetUpCommands(t *testing.T) {
	all := steps("README.md", readme(t))
	if len(all) < 2 {
		t.Fatalf("%d commands, want two and more", len(all))
	}
	for i, want := range []string{"go run ./workloads/binary-trees -allocator slab 10", "go test -short ./... ./cmd/smoke"} {
		if s := all[i]; s.command != want || len(s.output) == 0 {
			t.Errorf("command %d of the README is %q, want %q with what it prints", i+1, s.command, want)
		}
	}
}

// mostRead is what somebody reads in thirty seconds.
const mostRead = 120

var comment = regexp.MustCompile("(?s)<!--.*?-->") // which nobody sees

var question = regexp.MustCompile("(?m)^\\| ([^|]+\\?) \\| `([^`]+)` \\| `([^`]+)` \\|$")

// Each of the six questions of CONTRIBUTING.md has its answer in the README, near the words that lead to it.
func TestSixQuestions(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := question.FindAllStringSubmatch(string(data), -1)
	if len(all) != 6 {
		t.Fatalf("CONTRIBUTING.md has %d questions, want six", len(all))
	}
	for _, q := range all {
		_, from, found := strings.Cut("\n"+comment.ReplaceAllString(readme(t), ""), "\n"+q[2])
		way, _, answered := strings.Cut(from, q[3])
		if n := len(strings.Fields(way)); !found || !answered || n > mostRead {
			t.Errorf("%s %q to %q: %d words, or not there; want at most %d", q[1], q[2], q[3], n, mostRead)
		}
	}
}
