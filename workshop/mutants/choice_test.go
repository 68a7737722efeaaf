package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestSample verifies that only a mutant's name determines whether it is in the sample, so other
// mutants do not matter. One in ten of 10,000 names is about 1,000.
func TestSample(t *testing.T) {
	root := t.TempDir()
	write := func(from, to int) {
		for i := from; i < to; i++ {
			put(t, root, fmt.Sprintf("-- %s/p/b%d.txt --\nA promise.\n\ntests: ./p\n|-- p/p.go --\na\n|-- becomes --\nb\n", corpusFolder, i))
		}
	}
	write(50, 100)
	before := choose(t, root, "-sample", "5")
	write(0, 50)
	after := choose(t, root, "-sample", "5")
	if some := slices.DeleteFunc(slices.Clone(after), func(name string) bool { return len(name) < len("p/b10") || name < "p/b50" }); !slices.Equal(some, before) || len(after) == len(before) || len(before) < 2 {
		t.Errorf("a sample of 50 mutants is %q, and of 50 more %q", before, after)
	}
	if all := choose(t, root, "-sample", "1"); len(all) != 100 {
		t.Errorf("one in one is %d of 100", len(all))
	}
	n := 0
	for i := range 10000 {
		if inSample(fmt.Sprint("package/bug-", i), 10) {
			n++
		}
	}
	if n < 900 || n > 1100 {
		t.Errorf("one in ten of 10000 is %d", n)
	}
}

// choose returns the names of the mutants that the flags select, followed by the notes.
func choose(t *testing.T, root string, args ...string) (names []string) {
	t.Helper()
	o, err := parseFlags(append([]string{"-root", root}, args...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	mutants, notes, err := o.chosen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range mutants {
		names = append(names, b.Name)
	}
	return append(names, notes...)
}

// put writes the files of an archive to a folder. In a mutant, the section headers begin with |--
// instead of --.
func put(t *testing.T, root, files string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(files)).Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(f.Data), "\n|--", "\n--")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// touchable is an archive of a repository with mutants in three packages.
const touchable = `
-- a/a.go --
one
two
-- a/testdata/deep/x --
x
-- a/inner/inner.go --
x
-- b/b.go --
three
-- unrelated --
x
-- workshop/bugs/a/one.txt --
A promise.

tests: ./a
|-- a/a.go --
one
|-- becomes --
1
-- workshop/bugs/a/two.txt --
A promise.

tests: ./a
|-- a/a.go --
two
|-- becomes --
2
-- workshop/bugs/b/three.txt --
A promise.

tests: ./c ./d
|-- b/b.go --
three
|-- becomes --
3
`

// inGit runs git in a folder, with a user name that needs no configuration.
func inGit(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

// TestChanged verifies which mutants a change affects. It affects a mutant if it changes the
// mutant's own file, the file in which the mutant is planted, or a file in a package that the
// mutant's tests are in.
func TestChanged(t *testing.T) {
	all := []string{"a/one", "a/two", "b/three"}
	for _, c := range []struct {
		name, change string
		args         []string
		want         []string
	}{
		{"nothing", "", nil, nil},
		{"nothing of a mutant", "-- unrelated --\ny\n", nil, nil},
		{"a deeper package", "-- a/inner/inner.go --\ny\n", nil, nil},
		{"a file of the package", "-- a/new_test.go --\nx\n", nil, all[:2]},
		{"its testdata", "-- a/testdata/deep/x --\ny\n", nil, all[:2]},
		{"the file that it is planted in", "-- b/b.go --\nthree\nfour\n", nil, all[2:]},
		{"the package of its second tests", "-- d/d_test.go --\ny\n", nil, all[2:]},
		{"a mutant", "-- workshop/bugs/a/two.txt --\nAnother.\n\ntests: ./a\n|-- a/a.go --\ntwo\n|-- becomes --\n2\n", nil, all[1:2]},
		{"a new mutant", "-- workshop/bugs/new.txt --\nA promise.\n\ntests: ./e\n|-- b/b.go --\nthree\n|-- becomes --\n4\n", nil, []string{"new"}},
		{"beside the sample", "-- b/b.go --\nfour\n", []string{"-sample", "1"}, all},
		{"those of a pattern", "-- a/a.go --\nthree\n", []string{"-run", "two"}, all[1:2]},
		{"those with slow tests", "-- a/a.go --\nthree\n-- b/b.go --\nfour\n", []string{"-slow", "^./d$"}, []string{
			"a/one", "a/two", "left out: 1 that the changes touch and whose tests -slow names"}},
		{"too many", "-- a/a.go --\nthree\n-- b/b.go --\nfour\n", []string{"-most", "1"}, []string{
			least(all), "left out: 2 of 3 that the changes since main touch; -most 3 tries them too"}},
		{"mutants themselves first", "-- workshop/bugs/a/two.txt --\nAnother.\n\ntests: ./a\n|-- a/a.go --\ntwo\n|-- becomes --\n2\n-- a/a.go --\nthree\n-- b/b.go --\nfour\n",
			[]string{"-most", "1"}, []string{"a/two", "left out: 2 of 3 that the changes since main touch; -most 3 tries them too"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			inGit(t, root, "init", "-q", "-b", "main")
			put(t, root, touchable)
			inGit(t, root, "add", ".")
			inGit(t, root, "commit", "-q", "-m", "begin")
			inGit(t, root, "checkout", "-q", "-b", "branch")
			// Commits on main after the branch began do not belong to the branch.
			inGit(t, root, "checkout", "-q", "main")
			put(t, root, "-- a/other.go --\nx\n")
			inGit(t, root, "add", ".")
			inGit(t, root, "commit", "-q", "-m", "meanwhile")
			inGit(t, root, "checkout", "-q", "branch")

			put(t, root, c.change)
			args := append([]string{"-changed", "main"}, c.args...)
			if got := choose(t, root, args...); !slices.Equal(got, c.want) {
				t.Errorf("changed and new: %q, want %q", got, c.want)
			}
			inGit(t, root, "add", ".")
			if got := choose(t, root, args...); !slices.Equal(got, c.want) {
				t.Errorf("added: %q, want %q", got, c.want)
			}
			inGit(t, root, "commit", "-q", "--allow-empty", "-m", "change")
			if got := choose(t, root, args...); !slices.Equal(got, c.want) {
				t.Errorf("committed: %q, want %q", got, c.want)
			}
		})
	}
}

// least returns the name with the smallest hash.
func least(names []string) string {
	return slices.MinFunc(names, func(a, b string) int {
		if hash(a) < hash(b) {
			return -1
		}
		return 1
	})
}

// TestUsualSkipsFullSize verifies that a run at the usual size omits mutants that need the full
// size.
func TestUsualSkipsFullSize(t *testing.T) {
	root := t.TempDir()
	put(t, root, strings.Replace(strings.Replace(touchable, "tests: ./a\n", "tests: ./a\nsize: full\n", 1), "tests: ./c", "size: usual\ntests: ./c", 1))
	want := []string{"a/two", "b/three", "left out: 1 that only tests of the full size notice"}
	if got := choose(t, root, "-usual"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := choose(t, root); len(got) != 3 {
		t.Errorf("in full %q", got)
	}
}
