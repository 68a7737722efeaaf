//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package durable

import "os"

// locks reports whether file locks are released when the process exits. Without such locks, the
// parts that a killed process left are never removed.
const locks = false

// TryLock does nothing and returns true, because this system has no locks that are released when
// the process exits.
func TryLock(*os.File) (bool, error) { return true, nil }

// SyncFolder does nothing on this system.
func SyncFolder(string) error { return nil }
