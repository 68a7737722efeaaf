// Package checks tests how `make check` selects the checks to run. It must cover every kind of
// check, and must run a check when any of its inputs has changed. See docs/decisions/0037.
package checks

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// listed returns the targets in the line of the Makefile that begins with the given string.
func listed(t *testing.T, begins string) []string {
	t.Helper()
	line := regexp.MustCompile(`(?m)^` + begins + ` ([a-z0-9 -]+)$`).FindStringSubmatch(read(t, "Makefile"))
	if line == nil {
		t.Fatalf("the Makefile has no line that begins with %s", begins)
	}
	return strings.Fields(line[1])
}

// chosen returns the checks in .ci/inputs with their pathspecs.
func chosen(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(read(t, ".ci/inputs")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		target, inputs, found := strings.Cut(line, ":")
		if all[target] = strings.Fields(inputs); !found || len(all[target]) == 0 {
			t.Fatalf("%q is no check with its inputs", line)
		}
	}
	return all
}

// TestCheckCoversCheckAll verifies that `make check` has every kind of check that `make check-all`
// has. It runs a check either always or when the inputs of the check have changed.
func TestCheckCoversCheckAll(t *testing.T) {
	smaller := map[string][]string{"test": {"rest", "workshop", "proofs", "newest"}, "torture": {"torture-short"}, "bugs": {"bugs-sample"}}
	check, byChange := listed(t, "CHECKS :="), chosen(t)
	for _, target := range listed(t, "full:") {
		for _, want := range append([]string{target}, smaller[target]...)[min(1, len(smaller[target])):] {
			if !slices.Contains(check, want) && byChange[want] == nil {
				t.Errorf("make check-all has %s, and make check and .ci/inputs lack %s", target, want)
			}
		}
	}
	if !strings.Contains(read(t, "Makefile"), "\n\t@targets=\"$(CHECKS) changed\"; ") {
		t.Error("make check does not run CHECKS, and what .ci/inputs chooses")
	}
}

// TestInputsExist verifies that each check in .ci/inputs is a target in the Makefile, and that each
// of its pathspecs matches a file.
func TestInputsExist(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is a copy of the tree, of which git knows nothing")
	}
	for target, inputs := range chosen(t) {
		if !strings.Contains(read(t, "Makefile"), "\n"+target+": ## ") {
			t.Errorf("the Makefile has no target %s", target)
		}
		for _, input := range inputs {
			out, err := exec.Command("git", "-C", root, "ls-files", "--", strings.TrimPrefix(input, ":!")).CombinedOutput()
			if err != nil || len(out) == 0 {
				t.Errorf("%s: pathspec %s matches no file: %v %s", target, input, err, out)
			}
		}
	}
}

// TestInputsCoverTestedFiles verifies that the inputs of a check include all files of the packages
// that it tests, and of the packages that they import.
func TestInputsCoverTestedFiles(t *testing.T) {
	child.SkipEmulated(t, "it runs this machine's own commands")
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is a copy of the tree, of which git knows nothing")
	}
	folders := map[string][]string{}
	for _, file := range output(t, "git", "ls-files", "--", "*.go", ":!workshop/checks") { // this package does not test a build
		folders[path.Dir(file)] = append(folders[path.Dir(file)], file)
	}
	library, concurrent := variable(t, "LIBRARY"), variable(t, "CONCURRENT")
	for target, packages := range map[string][]string{
		"386": library, "checked": library, "race": append(library, concurrent...), "newest": {"work"},
	} {
		inputs := output(t, append([]string{"git", "ls-files", "--"}, chosen(t)[target]...)...)
		tested := output(t, append([]string{"go", "list", "-deps", "-test", "-f", "{{.Dir}}"}, packages...)...)
		slices.Sort(tested)
		files := 0
		for _, folder := range slices.Compact(tested) {
			for _, file := range folders[inTree(t, folder)] {
				files++
				if _, is := slices.BinarySearch(inputs, file); !is {
					t.Errorf("%s: %s is tested, but is not in .ci/inputs", target, file)
				}
			}
		}
		if files == 0 {
			t.Errorf("%s: no file of the %d packages that are tested is in this tree", target, len(tested))
		}
	}
}

// inTree returns the path of a folder relative to the root, in the format that git uses.
func inTree(t *testing.T, folder string) string {
	t.Helper()
	there, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []*string{&there, &folder} {
		if *name, err = filepath.EvalSymlinks(*name); err != nil {
			t.Fatal(err)
		}
	}
	name, err := filepath.Rel(there, folder)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// variable returns the words in a variable of the Makefile.
func variable(t *testing.T, name string) []string {
	t.Helper()
	line := regexp.MustCompile(`(?m)^` + name + ` := (.*)$`).FindStringSubmatch(read(t, "Makefile"))
	if line == nil {
		t.Fatalf("the Makefile has no line %s := ...", name)
	}
	return strings.Fields(line[1])
}

// output runs a command at the root and returns the words that it prints.
func output(t *testing.T, command ...string) []string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = root
	var message strings.Builder
	cmd.Stderr = &message
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", command, err, message.String())
	}
	return strings.Fields(string(out))
}

// A house is a repository with two checks, for the tests of scripts/changed.sh.
type house struct {
	*testing.T
	folder string
}

func newHouse(t *testing.T) *house {
	h := &house{t, t.TempDir()}
	h.write("scripts/changed.sh", read(t, "scripts/changed.sh"))
	h.write("Makefile", "one: ## check one\n\techo one\n\ntwo: ## check two\n\techo two\n")
	h.write(".ci/inputs", "# checks\none:   src/*.go :!src/*_test.go\ntwo:   other\n")
	h.write("src/a.go", "package a\n")
	h.write("src/a_test.go", "package a\n")
	h.write("other/b.txt", "b\n")
	h.run("git", "init", "-q")
	h.run("git", "add", "-A")
	return h
}

func (h *house) write(name, text string) {
	h.Helper()
	file := filepath.Join(h.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		h.Fatal(err)
	}
}

func (h *house) run(name string, args ...string) string {
	h.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = h.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// wants fails the test unless exactly the given checks have to run.
func (h *house) wants(when string, want ...string) {
	h.Helper()
	if got := strings.Fields(h.run("bash", "scripts/changed.sh")); !slices.Equal(got, want) {
		h.Errorf("%s: %q have to run, want %q", when, got, want)
	}
}

func (h *house) pass() {
	h.Helper()
	for _, target := range []string{"one", "two"} {
		h.run("bash", "scripts/changed.sh", "passed", target)
	}
}

func TestChangedChecksRun(t *testing.T) {
	child.SkipEmulated(t, "it runs this machine's own commands")
	h := newHouse(t)
	h.wants("nothing has passed", "one", "two")
	h.run("bash", "scripts/changed.sh", "passed", "two")
	h.wants("one has not passed", "one")
	h.pass()
	h.wants("both have passed")

	for _, change := range []struct {
		what string
		make func()
		want []string
	}{
		{"a file changed", func() { h.write("src/a.go", "package b\n") }, []string{"one"}},
		{"a comment changed", func() { h.write("src/a.go", "// Package b is b.\npackage b // as in b\n\n//\n// \"Ends.\"\n") }, nil},
		{"a directive changed", func() { h.write("src/a.go", "//go:build b\n\npackage b\n") }, []string{"one"}},
		{"a string changed that looks like a comment", func() { h.write("src/a.go", "package b\n\nvar s = \"a // b\"\n") }, []string{"one"}},
		{"C in a comment changed", func() { h.write("src/a.go", "package b\n\n// int i;\nimport \"C\"\n") }, []string{"one"}},
		{"C in a comment changed again", func() { h.write("src/a.go", "package b\n\n// int j;\nimport \"C\"\n") }, []string{"one"}},
		{"C has a comment behind it", func() { h.write("src/a.go", "package b\n\n// int j;\nimport \"C\" // as above\n") }, []string{"one"}},
		{"C in a comment changed once more", func() { h.write("src/a.go", "package b\n\n// int k;\nimport \"C\" // as above\n") }, []string{"one"}},
		{"the comment of a test changed", func() { h.write("other/b_test.go", "// Output: 1\n") }, []string{"two"}},
		{"it changed again", func() { h.write("other/b_test.go", "// Output: 2\n") }, []string{"two"}},
		{"text like a comment in testdata changed", func() { h.write("other/testdata/a.go", "// want 1\n") }, []string{"two"}},
		{"it changed again", func() { h.write("other/testdata/a.go", "// want 2\n") }, []string{"two"}},
		{"a file that is left out changed", func() { h.write("src/a_test.go", "package b\n") }, nil},
		{"a file is new, and git does not know it", func() { h.write("src/new.go", "package a\n") }, []string{"one"}},
		{"a file is gone", func() { h.run("rm", "src/a.go") }, []string{"one"}},
		{"a file has another name", func() { h.run("git", "mv", "other/b.txt", "other/c.txt") }, []string{"two"}},
		{"a recipe changed", func() { h.run("sed", "-i", "s/echo two/echo 2/", "Makefile") }, []string{"two"}},
		{"it reads more", func() { h.run("sed", "-i", "s/^two: .*/two: other src/", ".ci/inputs") }, []string{"two"}},
		{"another file changed", func() { h.write("readme.md", "text\n") }, nil},
		{"the record is damaged", func() { h.write(".ci/passed", "two\x00\n") }, []string{"one", "two"}},
		{"the record is gone", func() { h.run("rm", ".ci/passed") }, []string{"one", "two"}},
	} {
		change.make()
		h.wants(change.what, change.want...)
		h.pass()
		h.wants("then both have passed")
	}
}

// TestMistakesFail verifies that scripts/changed.sh fails if the configuration is wrong. It must
// not report that no check has to run.
func TestMistakesFail(t *testing.T) {
	child.SkipEmulated(t, "it runs this machine's own commands")
	for what, breakIt := range map[string]func(h *house){
		"a check without a recipe":   func(h *house) { h.write("Makefile", "one: ## check one\n\techo one\n") },
		"a check without inputs":     func(h *house) { h.write(".ci/inputs", "one:\ntwo: other\n") },
		"files that git cannot list": func(h *house) { h.run("rm", "-r", ".git") },
		"no list of inputs":          func(h *house) { h.run("rm", ".ci/inputs") },
	} {
		h := newHouse(t)
		breakIt(h)
		cmd := exec.Command("bash", "scripts/changed.sh")
		cmd.Dir = h.folder
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%s: no error, and it prints %q", what, out)
		}
	}
}
