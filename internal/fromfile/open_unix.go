//go:build unix

package fromfile

import "golang.org/x/sys/unix"

// nonblock makes the system open a named pipe without waiting. Regular files do not care.
const nonblock = unix.O_NONBLOCK
