package trees_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// files returns the names of all files and links below a folder.
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

// copied copies the tree that contains a folder, and checks that the copy has these files.
func copied(t *testing.T, dir string, want ...string) trees.Tree {
	t.Helper()
	tree := here(t, dir)
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

// A copy has what a benchmark may read: data that git ignores or does not know, and a vendor folder
// that it ignores.
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

// Without a repository the whole module is copied, but for repositories within.
func TestCopyOfModule(t *testing.T) {
	dir := folder(t, "-- m/go.mod --\nmodule example.org/m\n\ngo 1.26\n-- m/testdata/x --\n-- m/sub/.git/x --\n-- m/sub/y --\n-- other --\n")
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	copied(t, filepath.Join(dir, "m"), "go.mod", "testdata/x", "sub/y")
}

// A repository within a repository, as a submodule or an unrelated one, is copied with its files.
func TestCopyOfRepositories(t *testing.T) {
	dir := folder(t, module+"-- inner/i.go --\npackage i\n")
	commit(t, filepath.Join(dir, "inner"))
	git(t, dir, "init", "-q")
	copied(t, dir, ".gitignore", "go.mod", "gone.go", "inner/i.go", "m.go", "run.sh")
	git(t, dir, "add", "-A") // as a link to a revision, as that of a submodule is
	copied(t, dir, ".gitignore", "go.mod", "gone.go", "inner/i.go", "m.go", "run.sh")
}

// Links within the tree lead to the copy's files, and links out of it to where they led.
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

// A copy that is in the tree does not copy itself, nor what lies beside it in the folder for
// copies.
func TestCopyInsideTree(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n-- cache/copies/x --\n")
	into := filepath.Join(dir, "cache", "copies", "copy")
	for range 2 { // without a repository, and with one
		if _, err := trees.Copy(t.Context(), here(t, dir), into); err != nil {
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

// Where files that git does not follow are many or large, the module's are linked, and others are
// left out. Go files are there.
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
