//go:build unix

package trees_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// What is neither a file, a folder nor a link is left out: to read a pipe would take for ever.
func TestCopyOfPipes(t *testing.T) {
	dir := folder(t, "-- go.mod --\nmodule example.org/m\n\ngo 1.26\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	copied(t, dir, "go.mod")
	git(t, dir, "init", "-q")
	copied(t, dir, "go.mod")
}
