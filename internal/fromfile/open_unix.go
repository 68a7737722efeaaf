//go:build unix

package fromfile

import "golang.org/x/sys/unix"

// nonblock makes the system open a named pipe without blocking. It does not affect regular files.
const nonblock = unix.O_NONBLOCK
