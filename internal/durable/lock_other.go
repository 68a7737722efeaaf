//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package durable

import "os"

// locks says that there are no locks here that end with the process: what a killed process left
// stays.
const locks = false

// TryLock does nothing: this system has no locks that end with the process.
func TryLock(*os.File) (bool, error) { return true, nil }

// SyncFolder does nothing here.
func SyncFolder(string) error { return nil }
