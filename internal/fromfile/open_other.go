//go:build !unix

package fromfile

// nonblock is nothing where the name of a file cannot become that of a pipe.
const nonblock = 0
