//go:build !unix

package fromfile

// nonblock is 0 on systems where a file name cannot refer to a pipe.
const nonblock = 0
