//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locks reports whether file locks are released when the process exits.
const locks = true

// TryLock locks the file until it is closed, and reports whether it succeeded. The lock excludes
// only other callers of TryLock.
func TryLock(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// SyncFolder writes the directory entries of a folder to the disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
