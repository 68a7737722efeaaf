//go:build unix

package damage

import "golang.org/x/sys/unix"

// makePipe creates a named pipe.
func makePipe(path string) error { return unix.Mkfifo(path, 0o600) }
