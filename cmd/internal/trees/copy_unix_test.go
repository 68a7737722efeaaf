//go:build unix

package trees_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCopyOfPipes verifies that only files, folders and links are copied. Reading from a pipe would
// block forever.
func TestCopyOfPipes(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	copied(t, dir, "go.mod")
	git(t, dir, "init", "-q")
	copied(t, dir, "go.mod")
}

// TestCopyOfUnreadable verifies that files and folders that the user may not read are omitted. The
// tree may, for example, contain the data of a server.
func TestCopyOfUnreadable(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n-- file --\n-- folder/x --\n")
	for _, name := range []string{"file", "folder"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // allows the test's folder to be removed
	}
	if _, err := os.ReadDir(filepath.Join(dir, "folder")); err == nil {
		t.Skip("this user may read everything")
	}
	copied(t, dir, "go.mod")
	git(t, dir, "init", "-q")
	copied(t, dir, "go.mod")
}
