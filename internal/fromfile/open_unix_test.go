//go:build unix

package fromfile

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe, a socket and a device are rejected immediately, for reading and for writing: opening a
// pipe would block until its other end is opened.
func TestOpenWaitsForNobody(t *testing.T) {
	folder := t.TempDir()
	pipe, socket := filepath.Join(folder, "pipe"), filepath.Join(folder, "s")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	paths := []string{pipe, os.DevNull}
	if l, err := net.Listen("unix", socket); err == nil {
		defer l.Close()
		paths = append(paths, socket)
	}
	for _, path := range paths {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE} {
			if _, _, err := OpenFile(path, flag, 0o600); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s with flags %#x: %v", path, flag, err)
			}
		}
	}
}

// A pipe that replaces a file between the check and the opening is rejected too.
func TestOpenedPipesAreRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDONLY|nonblock, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := regular(pipe, info); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
