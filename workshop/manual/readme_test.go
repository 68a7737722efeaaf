package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/prose"
)

// root is the folder that contains the README.
const root = "../.."

func readme(t *testing.T) string {
	t.Helper()
	return readFile(t, filepath.Join(root, "README.md"))
}

// firstProgram returns the first complete program of the README.
func firstProgram(t *testing.T) string {
	t.Helper()
	_, program, found := strings.Cut(readme(t), "\n```go\npackage main\n")
	program, _, closed := strings.Cut(program, "\n```\n")
	if !found || !closed {
		t.Fatal("the README has no block that starts with package main")
	}
	return "package main\n" + program + "\n"
}

// The first program of the README compiles without changes and prints the expected output: every
// tree has two children of its own.
func TestProgramOfTheReadme(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(firstProgram(t)), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-race=false", file)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != strings.Repeat("true\n", 1000) {
		t.Errorf("the README's program: %v; it prints\n%.200s", err, out)
	}
}

// The command make fresh runs the first two commands of the README on an empty machine. The first
// of these must be the main job, and the second the tests.
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

// indented matches a go command that is indented by four spaces instead of being in a fenced block.
var indented = regexp.MustCompile(`(?m)^    (go .*)$`)

// The commands for users of a clone work as described. The first installs the coppice command, the
// next two let an empty module use the library of the clone, and the last does the same without a
// change of go.mod.
func TestLinesForAClone(t *testing.T) {
	_, section, _ := strings.Cut(readme(t), "\n## In a clone\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var lines []string
	for _, m := range indented.FindAllStringSubmatch(section, -1) {
		lines = append(lines, m[1])
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 4 {
		t.Fatalf("%d lines in the section, want 4: %q", len(lines), lines)
	}
	t.Run("install", func(t *testing.T) {
		bin := t.TempDir()
		runLine(t, clone, lines[0], "GOBIN="+bin)
		if out := runLine(t, bin, filepath.Join(bin, "coppice")); !strings.Contains(out, "coppice find") {
			t.Errorf("the command that was installed prints\n%s", out)
		}
	})
	t.Run("replace", func(t *testing.T) {
		user := emptyModule(t, clone)
		writeProgram(t, user)
		runLine(t, user, lines[1])
		runLine(t, user, lines[2])
		if out := runLine(t, user, "go run -race=false ."); !strings.HasPrefix(out, "true\n") {
			t.Errorf("the program prints %.200q", out)
		}
		if mod := readFile(t, filepath.Join(user, "go.mod")); !strings.Contains(mod, "\nrequire github.com/coppice-go/coppice ") {
			t.Errorf("go.mod does not require the library:\n%s", mod)
		}
	})
	t.Run("before the first import", func(t *testing.T) {
		user := emptyModule(t, clone)
		runLine(t, user, lines[1])
		runLine(t, user, "go mod edit -require=github.com/coppice-go/coppice@v0.0.0")
		runLine(t, user, lines[2])
		if mod := readFile(t, filepath.Join(user, "go.mod")); strings.Contains(mod, "require") {
			t.Errorf("go mod tidy keeps a requirement that no package uses, and the README says that it does not:\n%s", mod)
		}
	})
	t.Run("work", func(t *testing.T) {
		user := emptyModule(t, clone)
		writeProgram(t, user)
		before := readFile(t, filepath.Join(user, "go.mod"))
		runLine(t, user, lines[3])
		if out := runLine(t, user, "go run -race=false ."); !strings.HasPrefix(out, "true\n") {
			t.Errorf("the program prints %.200q", out)
		}
		if after := readFile(t, filepath.Join(user, "go.mod")); after != before {
			t.Errorf("go.mod became\n%s", after)
		}
	})
}

// emptyModule creates an empty module and returns its folder. The clone is at ../coppice from
// there.
func emptyModule(t *testing.T, clone string) string {
	t.Helper()
	parent := t.TempDir()
	if err := os.Symlink(clone, filepath.Join(parent, "coppice")); err != nil {
		t.Skip("a symbolic link stands for the clone:", err)
	}
	user := filepath.Join(parent, "user")
	if err := os.Mkdir(user, 0o777); err != nil {
		t.Fatal(err)
	}
	runLine(t, user, "go mod init example.org/user")
	return user
}

// writeProgram writes the first program of the README to main.go in the given folder.
func writeProgram(t *testing.T, folder string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(firstProgram(t)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runLine runs a command, which must not contain quotes, in the given folder, and returns its
// output. The command does not use the workspace and GOFLAGS of the environment.
func runLine(t *testing.T, folder, line string, env ...string) string {
	t.Helper()
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), "GOWORK=", "GOFLAGS="), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// mostRead is the number of words that a person reads in thirty seconds.
const mostRead = 120

var comment = regexp.MustCompile("(?s)<!--.*?-->") // invisible to readers

var question = regexp.MustCompile("(?m)^\\| ([^|]+\\?) \\| `([^`]+)` \\| `([^`]+)` \\|$")

// The README must answer each of the six questions of CONTRIBUTING.md within mostRead words after
// the words that lead to the answer.
func TestSixQuestions(t *testing.T) {
	all := question.FindAllStringSubmatch(readFile(t, filepath.Join(root, "CONTRIBUTING.md")), -1)
	if len(all) != 6 {
		t.Fatalf("CONTRIBUTING.md has %d questions, want six", len(all))
	}
	for _, q := range all {
		_, from, found := strings.Cut("\n"+comment.ReplaceAllString(readme(t), ""), "\n"+q[2])
		way, _, answered := strings.Cut(prose.Unwrap(from), q[3])
		if n := len(strings.Fields(way)); !found || !answered || n > mostRead {
			t.Errorf("%s %q to %q: %d words, or not there; want at most %d", q[1], q[2], q[3], n, mostRead)
		}
	}
}
