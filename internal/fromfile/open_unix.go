//go:build unix

package fromfile

import "golang.org/x/sys/unix"

// nonblock is the flag that lets a named pipe be opened without blocking. It does not affect
// regular files.
const nonblock = unix.O_NONBLOCK
