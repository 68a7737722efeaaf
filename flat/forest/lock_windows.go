package forest

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a byte far beyond the end of the file until it is closed: other Writers ask for the same one, and readers read.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// syncFolder does nothing: Windows has no such call.
func syncFolder(string) error { return nil }
