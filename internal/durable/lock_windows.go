package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks a byte far beyond the end of the file until it is closed, and reports whether it could: others that lock the file ask
// for the same byte, and readers read.
func TryLock(f *os.File) (bool, error) {
	err := lockByte(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Lock is TryLock that waits.
func Lock(f *os.File) error { return lockByte(f, 0) }

func lockByte(f *os.File, flags uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|flags, 0, 1, 0, &at)
}

// SyncFolder does nothing: Windows has no such call.
func SyncFolder(string) error { return nil }
