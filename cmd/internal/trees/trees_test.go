package trees_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// folder creates a folder with the files of an archive.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	t.Setenv("GOWORK", "")
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// git runs git with a fixed identity, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
}

func treeIn(t *testing.T, dir string) trees.Tree {
	t.Helper()
	tree, err := trees.Here(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const module = `
-- .gitignore --
*.bin
zmade.go
-- go.mod --
module example.org/m

go 1.26
-- m.go --
package m
-- run.sh --
echo
-- gone.go --
package m
`

// linked adds a link to the folder and makes run.sh executable.
func linked(t *testing.T, dir string) {
	t.Helper()
	if err := os.Symlink("m.go", filepath.Join(dir, "link.go")); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// checkLinked verifies that a copy contains the link and the executable file that linked has made.
func checkLinked(t *testing.T, dir string) {
	t.Helper()
	if target, err := os.Readlink(filepath.Join(dir, "link.go")); err != nil || target != "m.go" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the program is %v, %v", info.Mode(), err)
	}
}

func TestRevision(t *testing.T) {
	dir := folder(t, module)
	linked(t, dir)
	commit(t, dir)
	write(t, filepath.Join(dir, "m.go"), "package m // changed\n")
	write(t, filepath.Join(dir, "new.go"), "package m\n")
	git(t, dir, "add", "new.go")
	status := git(t, dir, "status", "--porcelain")
	tree := treeIn(t, dir)
	if !tree.Dirty || tree.Name != "the working tree" || tree.Root != dir {
		t.Errorf("%+v", tree)
	}
	into := filepath.Join(t.TempDir(), "base")
	made, err := trees.At(t.Context(), tree, "HEAD", into)
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "HEAD ("+tree.Revision+")" || made.Dir != into || made.Revision != tree.Revision || made.Dirty {
		t.Errorf("%+v", made)
	}
	if got := read(t, into, "m.go"); got != "package m\n" {
		t.Errorf("m.go is %q", got)
	}
	if _, err := os.Stat(filepath.Join(into, "new.go")); err == nil {
		t.Error("the revision has a file that is newer")
	}
	checkLinked(t, into)
	if now := git(t, dir, "status", "--porcelain"); now != status {
		t.Errorf("the repository's state is\n%s, and was\n%s", now, status)
	}
	if _, err := trees.At(t.Context(), tree, "v9", into+"2"); err == nil || err.Error() != `unknown revision "v9"; git log lists the revisions` {
		t.Error(err)
	}
	for revision, want := range map[string]bool{"HEAD": true, tree.Revision: true, "v9": false, "--all": false} {
		if got, err := trees.IsRevision(t.Context(), tree, revision); got != want || err != nil {
			t.Errorf("%s: %v, %v", revision, got, err)
		}
	}
}

func TestPatchedCopy(t *testing.T) {
	dir := folder(t, module)
	linked(t, dir)
	commit(t, dir)
	for name, text := range map[string]string{"m.go": "package m // changed\n", "new.go": "package m\n", "zmade.go": "package m\n", "big.bin": "0"} {
		write(t, filepath.Join(dir, name), text)
	}
	if err := os.Remove(filepath.Join(dir, "gone.go")); err != nil {
		t.Fatal(err)
	}
	patch := filepath.Join(t.TempDir(), "x.patch")
	write(t, patch, "--- a/m.go\n+++ b/m.go\n@@ -1 +1 @@\n-package m // changed\n+package m // patched\n")
	into := filepath.Join(t.TempDir(), "head")
	made, err := trees.Patched(t.Context(), treeIn(t, dir), patch, into)
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "x.patch" || !made.Dirty {
		t.Errorf("%+v", made)
	}
	if got := read(t, into, "m.go"); got != "package m // patched\n" {
		t.Errorf("the copy's m.go is %q", got)
	}
	if got := read(t, dir, "m.go"); got != "package m // changed\n" {
		t.Errorf("the user's m.go is %q", got)
	}
	checkLinked(t, into)
	for name, want := range map[string]bool{"new.go": true, "zmade.go": true, "gone.go": false, "big.bin": true, ".git": false} {
		if _, err := os.Lstat(filepath.Join(into, name)); err == nil != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPatchesThatDoNotFit(t *testing.T) {
	dir := folder(t, module)
	commit(t, dir)
	patch := filepath.Join(t.TempDir(), "x.patch")
	for text, want := range map[string]string{
		"":      "No valid patches in input",
		"hello": "No valid patches in input",
		"--- a/m.go\n+++ b/m.go\n@@ -1 +1 @@\n-package n\n+package o\n":               "patch failed: m.go:1",
		"--- a/none.go\n+++ b/none.go\n@@ -1 +1 @@\n-package n\n+package o\n":         "none.go: No such file or directory",
		"--- /dev/null\n+++ b/../out.go\n@@ -0,0 +1 @@\n+package o\n":                 "invalid path '../out.go'",
		"--- a/m.go\r\n+++ b/m.go\r\n@@ -1 +1 @@\r\n-package n\r\n+package other\r\n": "patch failed: m.go:1",
	} {
		write(t, patch, text)
		_, err := trees.Patched(t.Context(), treeIn(t, dir), patch, filepath.Join(t.TempDir(), "head"))
		if err == nil || !strings.HasPrefix(err.Error(), "x.patch does not apply: "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	_, err := trees.Patched(t.Context(), treeIn(t, dir), dir, filepath.Join(t.TempDir(), "head"))
	if err == nil || err.Error() != "patch "+dir+" not found" {
		t.Error(err)
	}
}

// TestCopyWithoutRepository verifies that the workspace that contains the module is copied if the
// module is not in a repository.
func TestCopyWithoutRepository(t *testing.T) {
	dir := folder(t, "-- w/go.work --\ngo 1.26\n\nuse ./m\n-- w/m/go.mod --\nmodule example.org/m\n\ngo 1.26\n-- w/m/m.go --\npackage m\n-- w/beside --\n-- other --\n")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	patch := filepath.Join(t.TempDir(), "x.patch")
	write(t, patch, "--- a/m.go\n+++ b/m.go\n@@ -1 +1 @@\n-package m\n+package m // patched\n")
	tree := treeIn(t, filepath.Join(dir, "w", "m"))
	if tree.Root != filepath.Join(dir, "w") || tree.Revision != "" {
		t.Errorf("%+v", tree)
	}
	into := filepath.Join(t.TempDir(), "head")
	made, err := trees.Patched(t.Context(), tree, patch, into)
	if err != nil {
		t.Fatal(err)
	}
	if made.Dir != filepath.Join(into, "m") || read(t, made.Dir, "m.go") != "package m // patched\n" || read(t, into, "beside") != "" {
		t.Errorf("%+v", made)
	}
	if _, err := trees.Here(t.Context(), dir); err == nil || !strings.HasSuffix(err.Error(), "is not in a Go module; change to a folder in one") {
		t.Error(err)
	}
}

// TestSettledPaths verifies that relative paths in go.mod and go.work files become absolute if they
// lead out of the tree. The go.mod files of vendored modules, and invalid ones, must not change.
func TestSettledPaths(t *testing.T) {
	dir := folder(t, `
-- outside/go.mod --
module example.org/outside
-- r/go.work --
go 1.26

use (
	./a
	../outside
)

replace example.org/x => ../outside
-- r/a/go.mod --
module example.org/a

go 1.26

replace (
	example.org/b => ../b
	example.org/outside => ../../outside
	example.org/versioned => example.org/fork v1.2.3
)
-- r/b/go.mod --
module example.org/b

go 1.26
-- r/v/go.mod --
module example.org/v

go 1.26

replace example.org/outside => ../../outside
-- r/v/vendor/modules.txt --
# example.org/outside => ../../outside
-- r/odd/go.mod --
this is no go.mod file
`)
	root := filepath.Join(dir, "r")
	commit(t, root)
	into := filepath.Join(t.TempDir(), "base")
	made, err := trees.At(t.Context(), treeIn(t, filepath.Join(root, "a")), "HEAD", into)
	if err != nil {
		t.Fatal(err)
	}
	if made.Work != filepath.Join(into, "go.work") || made.Dir != filepath.Join(into, "a") {
		t.Errorf("%+v", made)
	}
	outside := filepath.Join(dir, "outside")
	mod := read(t, into, "a", "go.mod")
	for _, want := range []string{"example.org/b => ../b\n", "example.org/outside => " + outside + "\n", "example.org/versioned => example.org/fork v1.2.3\n"} {
		if !strings.Contains(mod, want) {
			t.Errorf("no %q in\n%s", want, mod)
		}
	}
	work := read(t, into, "go.work")
	for _, want := range []string{filepath.Join(into, "a") + "\n", outside + "\n", "example.org/x => " + outside + "\n"} {
		if !strings.Contains(work, want) {
			t.Errorf("no %q in\n%s", want, work)
		}
	}
	for _, name := range []string{"b/go.mod", "v/go.mod", "odd/go.mod"} {
		if read(t, into, name) != read(t, root, name) {
			t.Errorf("%s was changed", name)
		}
	}
}

// TestWorkspaceAround verifies that, if a workspace encloses the repository, its go.work file is
// copied too, and that the copy refers to the copy of the repository.
func TestWorkspaceAround(t *testing.T) {
	dir := folder(t, "-- go.work --\ngo 1.26\n\nuse (\n\t./r\n\t./s\n)\n-- go.work.sum --\nsums\n-- r/go.mod --\nmodule example.org/r\n\ngo 1.26\n-- s/go.mod --\nmodule example.org/s\n\ngo 1.26\n")
	root := filepath.Join(dir, "r")
	commit(t, root)
	into := filepath.Join(t.TempDir(), "base")
	made, err := trees.At(t.Context(), treeIn(t, root), "HEAD", into)
	if err != nil {
		t.Fatal(err)
	}
	if made.Work != into+".work" || read(t, made.Work+".sum") != "sums\n" {
		t.Errorf("%+v", made)
	}
	work := read(t, made.Work)
	for _, want := range []string{into + "\n", filepath.Join(dir, "s") + "\n"} {
		if strings.Count(work, want) != 1 {
			t.Errorf("not one %q in\n%s", want, work)
		}
	}
	t.Setenv("GOWORK", "off")
	if made, err = trees.At(t.Context(), treeIn(t, root), "HEAD", into+"2"); err != nil || made.Work != "off" {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestWorkspaceWithAbsolutePath verifies that an absolute path in a go.work file occurs only once
// in the copy of the file.
func TestWorkspaceWithAbsolutePath(t *testing.T) {
	dir := folder(t, "-- r/go.mod --\nmodule example.org/r\n\ngo 1.26\n-- s/go.mod --\nmodule example.org/s\n\ngo 1.26\n")
	root, beside := filepath.Join(dir, "r"), filepath.Join(dir, "s")
	text := "go 1.26\n\nuse (\n\t.\n\t" + filepath.ToSlash(beside) + "\n)\n"
	if err := os.WriteFile(filepath.Join(root, "go.work"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	commit(t, root)
	into := filepath.Join(t.TempDir(), "base")
	made, err := trees.At(t.Context(), treeIn(t, root), "HEAD", into)
	if err != nil {
		t.Fatal(err)
	}
	work := read(t, made.Work)
	for _, want := range []string{into + "\n", beside + "\n"} {
		if strings.Count(work, want) != 1 {
			t.Errorf("not one %q in\n%s", want, work)
		}
	}
}

func TestFolderThatBaseLacks(t *testing.T) {
	dir := folder(t, module)
	commit(t, dir)
	write(t, filepath.Join(dir, "sub", "go.mod"), "module example.org/sub\n\ngo 1.26\n")
	_, err := trees.At(t.Context(), treeIn(t, filepath.Join(dir, "sub")), "HEAD", filepath.Join(t.TempDir(), "base"))
	if err == nil || !strings.HasSuffix(err.Error(), " has no folder sub") {
		t.Error(err)
	}
}

// TestNoRevisions verifies that the error contains the reason that git states, and the command that
// git recommends.
func TestNoRevisions(t *testing.T) {
	dir := folder(t, module)
	if err := trees.NoRevisions(t.Context(), dir); err != nil {
		t.Errorf("outside of a repository: %v", err)
	}
	commit(t, dir)
	if err := trees.NoRevisions(t.Context(), dir); err != nil {
		t.Errorf("in a repository: %v", err)
	}
	write(t, filepath.Join(dir, "more.go"), "package m\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "more")
	shallow := filepath.Join(t.TempDir(), "shallow")
	git(t, dir, "clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(dir), shallow)
	if err := trees.NoRevisions(t.Context(), shallow); err == nil || !strings.Contains(err.Error(), "this clone is shallow") || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("in a shallow clone: %v", err)
	}
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") // as in a container that runs as root
	err := trees.NoRevisions(t.Context(), dir)
	if err == nil || !strings.HasPrefix(err.Error(), "git: detected dubious ownership in repository at '") ||
		!strings.Contains(err.Error(), "'; run git config --global --add safe.directory ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("in a repository of another user: %v", err)
	}
}
