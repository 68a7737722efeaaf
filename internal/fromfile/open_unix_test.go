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

// OpenFile rejects a pipe, a socket or a device immediately, for reading and for writing. It must
// not open a pipe, because that would block until the other end is opened.
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

// A pipe that replaces a regular file between the check of the path and the opening is rejected,
// too.
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
