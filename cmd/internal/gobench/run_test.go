package gobench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// TestRunFolder verifies that a test binary runs in the copy of its package's folder, even if the
// tree is reached through a symbolic link. A package outside the tree has no copy and runs where it
// is.
func TestRunFolder(t *testing.T) {
	dir := t.TempDir()
	root, copied, outside := filepath.Join(dir, "root"), filepath.Join(dir, "copy"), filepath.Join(dir, "outside")
	for _, path := range []string{filepath.Join(root, "a"), copied, outside} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	a := &Tree{Tree: trees.Tree{Root: root}, Packages: map[string]Package{
		"m": {Dir: root}, "m/a": {Dir: filepath.Join(root, "a")}, "linked": {Dir: filepath.Join(link, "a")}, "outside": {Dir: outside},
	}}
	for path, want := range map[string]string{"m": copied, "m/a": filepath.Join(copied, "a"), "linked": filepath.Join(copied, "a"), "outside": outside} {
		if got := a.Where(path); got != a.Packages[path].Dir {
			t.Errorf("%s runs in %s without a copy", path, got)
		}
		a.Copy.Root = copied
		if got := a.Where(path); got != want {
			t.Errorf("%s runs in %s, want %s", path, got, want)
		}
		a.Copy.Root = ""
		if inside := a.Inside(path); inside != (path != "outside") {
			t.Errorf("%s: inside %t", path, inside)
		}
	}
}
