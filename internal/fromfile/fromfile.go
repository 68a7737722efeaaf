// Package fromfile opens the files of containers, and declares the errors for files that cannot be
// used. All packages whose containers can be opened from files share it. Each package defines its
// own format (internal/image, flat/forest).
package fromfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrInvalid is wrapped by errors that report that a file is not a regular file of the expected
// format, or is damaged.
var ErrInvalid = errors.New("invalid file")

// ErrMismatch is wrapped by errors that report that a file is valid but contains something else: a
// different container, version or types.
var ErrMismatch = errors.New("file of something else")

// Invalid returns an error with the given message that errors.Is matches with ErrInvalid.
func Invalid(text string) error { return &invalid{text} }

type invalid struct{ text string }

func (e *invalid) Error() string        { return e.text }
func (e *invalid) Is(target error) bool { return target == ErrInvalid }

// Open opens a regular file for reading.
func Open(path string) (*os.File, os.FileInfo, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files. Other files are rejected immediately with an error
// that wraps ErrInvalid: opening a named pipe blocks until it has a writer, and opening a device
// can have side effects.
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

// regular returns an error for a file that is not regular.
func regular(path string, info os.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return Invalid(path + " is a folder, not a file")
	}
	return Invalid(fmt.Sprintf("%s is not a regular file (mode %v)", path, info.Mode()))
}
