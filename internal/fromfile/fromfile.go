// Package fromfile opens container files, and declares the errors for files that cannot be used. It
// is shared by all packages whose containers can be opened from files. Each of these packages
// defines its own format (internal/image, flat/forest).
package fromfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrInvalid is wrapped by errors for files that are damaged, or are not regular files of the
// expected format.
var ErrInvalid = errors.New("invalid file")

// ErrMismatch is wrapped by errors for valid files with other contents than expected: a different
// container, version or types.
var ErrMismatch = errors.New("file of something else")

// Invalid returns an error with the given message, for which errors.Is(err, ErrInvalid) is true.
func Invalid(text string) error { return &invalid{text} }

type invalid struct{ text string }

func (e *invalid) Error() string        { return e.text }
func (e *invalid) Is(target error) bool { return target == ErrInvalid }

// Open opens a regular file for reading.
func Open(path string) (*os.File, os.FileInfo, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is like os.OpenFile, but opens only regular files. It rejects all others immediately,
// with an error that wraps ErrInvalid, because opening a named pipe blocks until the pipe has a
// writer, and opening a device can have side effects.
func OpenFile(path string, flag int, perm os.FileMode) (*os.File, os.FileInfo, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, flag|nonblock, perm) // it may have become a pipe in the meantime
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// regular returns an error if a file is not a regular file.
func regular(path string, info os.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return Invalid(path + " is a folder, not a file")
	}
	return Invalid(fmt.Sprintf("%s is not a regular file (mode %v)", path, info.Mode()))
}
