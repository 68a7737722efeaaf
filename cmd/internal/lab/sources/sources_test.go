package sources

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// tree contains the files of a repository with programs in several languages.
var tree = map[string]string{
	"go.mod":                         "module example.com/own\n\ngo 1.26\n\nrequire (\n\texample.org/used v1.0.0\n\texample.org/idle v1.0.0\n)\n",
	"lib/lib.go":                     "package lib\n\nimport _ \"example.org/used/deep\"\n\nfunc F() int { return 1 }\n",
	"lib/lib_test.go":                "package lib\n",
	"other/other.go":                 "package other\n",
	"task/go/main.go":                "// Command main.\npackage main\n\nimport (\n\t_ \"embed\"\n\t\"example.com/own/lib\"\n\t\"fmt\"\n)\n\n//go:embed data/*.txt\nvar data string\n\nfunc main() { fmt.Println(lib.F(), data) }\n",
	"task/go/data/a.txt":             "a",
	"task/go/contenders.toml":        "language = \"Go\"\n",
	"task/go/spec.md":                "what",
	"task/peers/go.mod":              "module example.com/own/task/peers\n\ngo 1.26\n\nrequire example.org/used v1.5.0\n",
	"task/peers/main.go":             "package main\n\nimport _ \"example.org/used\"\n\nfunc main() {}\n",
	"task/c/main.c":                  "#include \"main.h\"\n# include <lib/deep.hpp>\n#include <stdio.h>\n",
	"task/c/main.h":                  "int f();\n",
	"task/c/other.c":                 "int g();\n",
	"include/lib/deep.hpp":           "#include \"deeper.hpp\"\n",
	"include/lib/deeper.hpp":         "int h();\n",
	"task/rust/Cargo.toml":           "[package]\n",
	"task/rust/src/main.rs":          "fn main() {}\n",
	"task/driver/main.go":            "package main\n\nfunc main() {}\n",
	"task/foreign/gods/go.mod":       "module example.com/gods\n",
	"task/foreign/gods/recorded.txt": "1",
	"script.sh":                      "echo 1\n",
}

var contenders = map[string]experiment.Contender{
	"go":      {Build: []string{"env", "GOTOOLCHAIN=local", "go", "build", "-trimpath", "-o", "{bin}", "./task/go"}, Run: []string{"{bin}", "{depth}"}, Folder: "task/go"},
	"peers":   {Build: []string{"go", "build", "-C", "task/peers", "-o", "{bin}", "."}, Run: []string{"{bin}"}},
	"c":       {Build: []string{"cc", "-Iinclude", "-o", "{bin}", "task/c/main.c"}, Run: []string{"{bin}"}},
	"rust":    {Build: []string{"cargo", "build", "--manifest-path", "task/rust/Cargo.toml"}, Run: []string{"{bin}/main"}},
	"foreign": {Build: []string{"go", "run", "./task/driver", "-o", "{bin}"}, Run: []string{"{bin}"}, Folder: "task/foreign/gods"},
	"script":  {Run: []string{"sh", "lib/run.sh"}, Program: []string{"include"}},
	"alone":   {Run: []string{"sh", "script.sh"}},
	"none":    {Run: []string{"true"}},
}

// hashes writes the files to a folder, in a git repository if git is set, and returns the hash of
// each contender.
func hashes(t *testing.T, files map[string]string, git bool) map[string]string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if git {
		if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
			t.Skip(string(out), err)
		}
	}
	now := New(root)
	all := map[string]string{}
	for name, c := range contenders {
		all[name] = now.Of(c)
	}
	return all
}

// TestSourceFiles verifies that changing a file changes the hashes of the contenders that are built
// from it, and of no others.
func TestSourceFiles(t *testing.T) {
	before := hashes(t, tree, false)
	if before["none"] != "" || len(before["go"]) != 16 {
		t.Fatal(before)
	}
	for _, test := range []struct{ name, old, now, changed string }{
		{"task/go/main.go", "fmt.Println(", "fmt.Print(", "go"},
		{"task/go/main.go", "// Command main.", "// Command main adds.", ""},
		{"task/go/main.go", "fmt.Println(lib.F(), data)", "fmt.Println(\n\t\tlib.F(), data,\n\t)", "go"}, // adds a comma, so it is not only layout
		{"task/go/main.go", "\n\nvar", "\n\n\n\nvar", ""},
		{"task/go/main.go", "data/*.txt", "data/*", "go"},
		{"task/go/data/a.txt", "a", "b", "go"},
		{"task/go/data/b.txt", "", "more", "go"},
		{"task/go/spec.md", "what", "why", ""},
		{"task/go/contenders.toml", "Go", "go", ""},
		{"task/go/added.go", "", "package main\n", "go"},
		{"lib/lib.go", "1", "2", "go"},
		{"lib/lib_test.go", "lib", "lib // tested", ""},
		{"lib/run.sh", "", "echo", "script"},
		{"other/other.go", "other", "another", ""},
		{"go.mod", "used v1.0.0", "used v1.0.1", "go"},
		{"go.mod", "idle v1.0.0", "idle v1.0.1", ""},
		{"task/peers/go.mod", "v1.5.0", "v1.6.0", "peers"},
		{"task/c/main.h", "f", "ff", "c"},
		{"task/c/other.c", "g", "gg", ""},
		{"include/lib/deeper.hpp", "h", "hh", "c script"},
		{"task/rust/src/main.rs", "{}", "{ }", "rust"},
		{"task/driver/main.go", "{}", "{ println() }", "foreign"},
		{"task/foreign/gods/recorded.txt", "1", "2", "foreign"},
		{"script.sh", "1", "2", "alone"},
	} {
		files := maps.Clone(tree)
		files[test.name] = strings.Replace(tree[test.name], test.old, test.now, 1)
		if test.old == "" {
			files[test.name] = test.now
		}
		var changed []string
		for name, hash := range hashes(t, files, false) {
			// The script is in lib, and all files in the folder of a script are its sources. So its
			// hash changes with lib.go, too.
			if hash != before[name] && !(name == "script" && strings.HasPrefix(test.name, "lib/lib")) {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		if got := strings.Join(changed, " "); got != test.changed {
			t.Errorf("%s, %q to %q: changed %q, want %q", test.name, test.old, test.now, got, test.changed)
		}
	}
}

// Different commands make different programs of the same files.
func TestCommandsAreSources(t *testing.T) {
	now := New(t.TempDir())
	now.files, now.folders = []string{"a/main.go"}, map[string][]string{"a": {"a/main.go"}}
	c := experiment.Contender{Build: []string{"go", "build", "./a"}, Run: []string{"{bin}", "x"}}
	before := now.Of(c)
	c.Run = []string{"{bin}", "y"}
	if after := now.Of(c); before == "" || after == before {
		t.Errorf("%q and %q", before, after)
	}
	c.Build = append(c.Build, "-tags", "b")
	if after := now.Of(c); after == before {
		t.Error("the build is no source")
	}
}

// Files that git ignores, such as build output, are not sources. The hash must be the same with git
// and without.
func TestIgnoredFiles(t *testing.T) {
	files := maps.Clone(tree)
	files[".gitignore"] = "/task/rust/target/\n"
	files["task/rust/target/left"] = "by a build"
	if got, want := hashes(t, files, true), hashes(t, tree, false); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Files that the lab writes next to a program, and files that Python compiles, are not sources.
// Otherwise a run would be outdated as soon as it ended.
func TestMeasurementOutputIsIgnored(t *testing.T) {
	tree := maps.Clone(tree)
	tree["lib/run.sh"] = "echo"
	before := hashes(t, tree, false)
	files := maps.Clone(tree)
	for _, name := range []string{
		"lib/runs.jsonl", "lib/bench.txt", "lib/experiment.toml", "lib/lab.lock", "lib/report.html", "lib/ranking.svg", "lib/replaced.jsonl", "lib/report.md",
		"lib/all/index.html", "lib/all/one/runs.jsonl", "lib/all/one/report.html", "lib/__pycache__/a.pyc",
		"lib/plan/plan.json", "lib/plan/shards/0.json", "lib/plan/coppice", "lib/plan/partial/0/lock",
	} {
		files[name] = "measured"
	}
	if got := hashes(t, files, false); !maps.Equal(got, before) {
		t.Errorf("%v, want %v", got, before)
	}
	for _, name := range []string{"lib/bench.txt", "lib/index.html", "lib/plan.json"} { // in a folder without runs
		files := maps.Clone(tree)
		files[name] = "of others"
		if got := hashes(t, files, false); got["script"] == before["script"] {
			t.Errorf("%s is no source", name)
		}
	}
}

// Since accepts files that a build or a first run adds. If a file was changed since the earlier
// state, it returns the hash of that state.
func TestSince(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) *Tree {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return New(root)
	}
	c := experiment.Contender{Run: []string{"sh", "a/run.sh"}}
	before := write("a/run.sh", "echo 1")
	added := write("a/made.txt", "1")
	if got := added.Since(before, c); got != added.Of(c) || got == before.Of(c) {
		t.Errorf("added: %q, want %q", got, added.Of(c))
	}
	changed := write("a/run.sh", "echo 2")
	if got := changed.Since(before, c); got != before.Of(c) || got == changed.Of(c) {
		t.Errorf("changed: %q, want %q", got, before.Of(c))
	}
	if got := changed.Since(changed, c); got != changed.Of(c) {
		t.Errorf("the same: %q, want %q", got, changed.Of(c))
	}
}
