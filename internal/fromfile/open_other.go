//go:build !unix

package fromfile

// nonblock is 0 on systems on which file names cannot refer to pipes.
const nonblock = 0
