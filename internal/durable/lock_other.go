//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package durable

import "os"

// TryLock does nothing: this system has no locks that end with the process.
func TryLock(*os.File) (bool, error) { return true, nil }

// Lock does nothing either.
func Lock(*os.File) error { return nil }

// SyncFolder does nothing here.
func SyncFolder(string) error { return nil }
