package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// locks reports whether file locks are released when the process exits.
const locks = true

// TryLock locks a byte far beyond the end of the file until the file is closed, and reports whether
// it succeeded. Other callers of TryLock request the same byte; readers are not affected.
func TryLock(f *os.File) (bool, error) {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// SyncFolder does nothing, because Windows has no system call that syncs a folder.
func SyncFolder(string) error { return nil }
