//go:build unix

package trees_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is neither a file, a folder nor a link is left out: to read a pipe would take forever.
func TestCopyOfPipes(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	copied(t, dir, "go.mod")
	git(t, dir, "init", "-q")
	copied(t, dir, "go.mod")
}

// What this user may not read, such as the data of a server that is in the tree, is left out.
func TestCopyOfUnreadable(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n-- file --\n-- folder/x --\n")
	for _, name := range []string{"file", "folder"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // so that the folder of the test can be removed
	}
	if _, err := os.ReadDir(filepath.Join(dir, "folder")); err == nil {
		t.Skip("this user may read everything")
	}
	copied(t, dir, "go.mod")
	git(t, dir, "init", "-q")
	copied(t, dir, "go.mod")
}
