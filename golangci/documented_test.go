package golangci_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/coppice-go/coppice/golangci"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// module is the module path of the plugin.
const module = "github.com/coppice-go/coppice/golangci"

// custom contains the fields of .custom-gcl.yml that the manual uses.
type custom struct {
	Version string `yaml:"version"`
	Plugins []struct {
		Module  string `yaml:"module"`
		Version string `yaml:"version"`
	} `yaml:"plugins"`
}

// configuration contains the fields of .golangci.yml that the manual uses.
type configuration struct {
	Version string `yaml:"version"`
	Linters struct {
		Enable   []string `yaml:"enable"`
		Settings struct {
			Custom map[string]struct {
				Type        string `yaml:"type"`
				Description string `yaml:"description"`
				Settings    any    `yaml:"settings"`
			} `yaml:"custom"`
		} `yaml:"settings"`
	} `yaml:"linters"`
}

// documented returns the two configuration files in docs/VET.md, and the text of the second one.
func documented(t *testing.T) (c custom, l configuration, text string) {
	t.Helper()
	manual, err := os.ReadFile("../docs/VET.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(manual), "\n## In golangci-lint\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)\n```yaml\n(.*?)```\n").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("the section of docs/VET.md has %d files, want .custom-gcl.yml and .golangci.yml", len(blocks))
	}
	for i, into := range []any{&c, &l} {
		if err := yaml.Load([]byte(blocks[i][1]), into, yaml.WithKnownFields()); err != nil {
			t.Fatalf("file %d of docs/VET.md: %v", i+1, err)
		}
	}
	return c, l, blocks[1][1]
}

// TestDocumentedFiles verifies that the configuration files in docs/VET.md name this plugin, and
// that its settings are valid.
func TestDocumentedFiles(t *testing.T) {
	c, l, _ := documented(t)
	if len(c.Plugins) != 1 || c.Plugins[0].Module != module || !strings.HasPrefix(c.Version, "v2.") {
		t.Errorf(".custom-gcl.yml is %+v", c)
	}
	if mod, err := os.ReadFile("go.mod"); err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Errorf("go.mod is of another module (%v):\n%.80s", err, mod)
	}
	linter, ok := l.Linters.Settings.Custom[golangci.Name]
	if l.Version != "2" || !slices.Contains(l.Linters.Enable, golangci.Name) || !ok || linter.Type != "module" {
		t.Errorf(".golangci.yml is %+v", l)
	}
	if all := analyzers(t, linter.Settings); len(all) == 0 {
		t.Error("no rule runs")
	}
}

// TestCustomBinary builds golangci-lint with the plugin, as golangci-lint custom does. It verifies
// that the binary reports the same findings as coppice vet.
func TestCustomBinary(t *testing.T) {
	const notInPart = 1
	testsize.OneOf(t, notInPart, "builds golangci-lint")
	c, _, text := documented(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	build, user := folder(t, map[string]string{"go.mod": "module example.org/custom\n\ngo 1.26.0\n", "main.go": program}),
		folder(t, map[string]string{"go.mod": "module example.org/user\n\ngo 1.26.0\n", "user.go": stale, ".golangci.yml": text})
	lint := "github.com/golangci/golangci-lint/v2@" + c.Version
	if out, err := start(build, "go", "mod", "download", lint); err != nil {
		t.Skipf("golangci-lint %s is neither in the module cache nor offered: %v\n%s", c.Version, err, out)
	}
	const ours = "github.com/coppice-go/coppice"
	local := []string{"-replace=" + ours + "=" + root, "-replace=" + ours + "/cmd=" + filepath.Join(root, "cmd"),
		"-replace=" + ours + "/flat=" + filepath.Join(root, "flat"), "-replace=" + module + "=" + filepath.Join(root, "golangci")}
	edit := append([]string{"go", "mod", "edit", "-require=" + lint, "-require=" + module + "@v0.1.0"}, local...)
	must(t, build, edit...)
	must(t, build, "go", "mod", "tidy")
	must(t, build, "go", "build", "-o", "custom-gcl", ".")
	must(t, user, append([]string{"go", "mod", "edit"}, local...)...)
	must(t, user, "go", "mod", "tidy")
	out, err := start(user, filepath.Join(build, "custom-gcl"), "run", "./...")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("golangci-lint ended with %v, want exit code 1", err)
	}
	if !strings.Contains(out, "user.go:10:13: stalevalue: the *int of a slab.Slab is used after Reset") || strings.Contains(out, "user.go:18") {
		t.Errorf("golangci-lint prints\n%s", out)
	}
}

// program is the main package of golangci-lint, with the plugin added.
const program = `package main

import (
	"fmt"
	"os"

	_ "github.com/coppice-go/coppice/golangci"
	"github.com/golangci/golangci-lint/v2/pkg/commands"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
`

// stale contains one finding that is reported, and one that a comment suppresses.
const stale = `package user

import "github.com/coppice-go/coppice/slab"

// Value reads what is not there any more.
func Value() int {
	var numbers slab.Slab[int]
	n := numbers.New()
	numbers.Reset()
	return 1 + *n
}

// Meant does the same.
func Meant() int {
	var numbers slab.Slab[int]
	n := numbers.New()
	numbers.Reset()
	return 1 + *n //nolint:coppice // it is meant
}
`

// folder writes the files to a temporary folder, and returns the folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start runs a command in a folder, outside the workspace, and returns its output.
func start(dir string, words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, dir string, words ...string) {
	t.Helper()
	if out, err := start(dir, words...); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
}
