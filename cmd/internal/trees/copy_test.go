package trees_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// files returns the names of all files and links in dir and below it.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// copied copies the tree that contains dir, and fails the test unless the copy has exactly the
// files in want.
func copied(t *testing.T, dir string, want ...string) trees.Tree {
	t.Helper()
	tree := treeIn(t, dir)
	made, err := trees.Copy(t.Context(), tree, filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != tree.Name || made.Revision != tree.Revision || made.Dirty != tree.Dirty || made.Root == tree.Root {
		t.Errorf("the copy of %+v is %+v", tree, made)
	}
	slices.Sort(want)
	if got := files(t, made.Root); !slices.Equal(got, want) {
		t.Errorf("the copy has %v, want %v", got, want)
	}
	return made
}

// TestCopy verifies that a copy contains everything that a benchmark may read: data files that git
// ignores or does not track, and a vendor folder that git ignores.
func TestCopy(t *testing.T) {
	dir := folder(t, module)
	commit(t, dir)
	for _, name := range []string{"big.bin", "new", "sub/testdata/x.bin", "zmade.go", "vendor/modules.txt", ".git/mine"} {
		write(t, filepath.Join(dir, name), name)
	}
	write(t, filepath.Join(dir, ".git", "info", "exclude"), "vendor\n")
	made := copied(t, filepath.Join(dir, "sub"), ".gitignore", "big.bin", "go.mod", "gone.go", "m.go", "new", "run.sh", "sub/testdata/x.bin", "vendor/modules.txt", "zmade.go")
	if made.Dir != filepath.Join(made.Root, "sub") || made.Note != "" || read(t, made.Root, "sub/testdata/x.bin") != "sub/testdata/x.bin" {
		t.Errorf("%+v", made)
	}
}

// TestCopyOfModule verifies that, outside a repository, the whole module is copied except for the
// repositories in it.
func TestCopyOfModule(t *testing.T) {
	dir := folder(t, "-- m/go.mod --\nmodule example.org/m\n\ngo 1.26\n-- m/testdata/x --\n-- m/sub/.git/x --\n-- m/sub/y --\n-- other --\n")
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	copied(t, filepath.Join(dir, "m"), "go.mod", "testdata/x", "sub/y")
}

// TestCopyOfRepositories verifies that the files of a repository inside the repository are copied,
// whether it is a submodule or unrelated.
func TestCopyOfRepositories(t *testing.T) {
	dir := folder(t, module+"-- inner/i.go --\npackage i\n")
	commit(t, filepath.Join(dir, "inner"))
	git(t, dir, "init", "-q")
	copied(t, dir, ".gitignore", "go.mod", "gone.go", "inner/i.go", "m.go", "run.sh")
	git(t, dir, "add", "-A") // adds a link to a revision, as for a submodule
	copied(t, dir, ".gitignore", "go.mod", "gone.go", "inner/i.go", "m.go", "run.sh")
}

// TestCopyOfLinks verifies that links to files in the tree lead to the copies of the files, and
// that links to files outside the tree keep their targets.
func TestCopyOfLinks(t *testing.T) {
	dir := folder(t, "-- m/go.mod --\nmodule example.org/m\n\ngo 1.26\n-- m/sub/x --\nx\n-- outside/y --\ny\n")
	root := filepath.Join(dir, "m")
	for name, target := range map[string]string{
		"sub/near": "x", "sub/up": "../go.mod", "absolute": filepath.Join(root, "sub", "x"), "folder": "sub",
		"sub/out": "../../outside/y", "far": filepath.Join(dir, "outside"), "dangling": "none",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	commit(t, root)
	made := copied(t, root, "go.mod", "sub/x", "sub/near", "sub/up", "absolute", "folder", "sub/out", "far", "dangling")
	for name, want := range map[string]string{
		"sub/near": filepath.Join(made.Root, "sub", "x"), "sub/up": filepath.Join(made.Root, "go.mod"), "absolute": filepath.Join(made.Root, "sub", "x"),
		"folder": filepath.Join(made.Root, "sub"), "sub/out": filepath.Join(dir, "outside", "y"), "far": filepath.Join(dir, "outside"),
	} {
		got, err := filepath.EvalSymlinks(filepath.Join(made.Root, filepath.FromSlash(name)))
		if real, _ := filepath.EvalSymlinks(want); err != nil || got != real {
			t.Errorf("%s leads to %s, %v; want %s", name, got, err, real)
		}
	}
}

// TestCopyInsideTree verifies that a copy inside the tree contains neither itself nor other copies
// in the same folder.
func TestCopyInsideTree(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n-- cache/copies/x --\n")
	into := filepath.Join(dir, "cache", "copies", "copy")
	for range 2 { // outside a repository, and then in one
		if _, err := trees.Copy(t.Context(), treeIn(t, dir), into); err != nil {
			t.Fatal(err)
		}
		if got := files(t, into); !slices.Equal(got, []string{"go.mod"}) {
			t.Errorf("the copy has %v", got)
		}
		if err := os.RemoveAll(into); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "init", "-q")
	}
}

// TestCopyOfLargeTree verifies the limits for untracked files. If they are exceeded, the copy
// contains links to the untracked files of the module, and omits those of other modules. Go files
// of the module are always copied.
func TestCopyOfLargeTree(t *testing.T) {
	t.Cleanup(trees.CopyAtMost(10, 2))
	dir := folder(t, "-- x/go.mod --\nmodule example.org/m\n\ngo 1.26\n-- follow --\nlong enough\n")
	commit(t, dir)
	for name, text := range map[string]string{"x/large": "0123456789ab", "x/new.go": "package m\n", "y/large": "0123456789ab", "y/new.go": "package y\n"} {
		write(t, filepath.Join(dir, name), text)
	}
	made := copied(t, filepath.Join(dir, "x"), "follow", "x/go.mod", "x/large", "x/new.go")
	if got, err := os.Readlink(filepath.Join(made.Root, "x", "large")); err != nil || got != filepath.Join(dir, "x", "large") {
		t.Errorf("the link leads to %s, %v", got, err)
	}
	if got, err := os.Lstat(filepath.Join(made.Root, "x", "new.go")); err != nil || !got.Mode().IsRegular() {
		t.Errorf("%v, %v", got, err)
	}
	if !strings.Contains(made.Note, "3 files") || strings.Contains(made.Note, "\n") {
		t.Errorf("the note is %q", made.Note)
	}
}
