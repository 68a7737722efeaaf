//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package forest

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks the file until it is closed, against other Writers only.
func lock(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// syncFolder has the disk take the name of a new file.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
