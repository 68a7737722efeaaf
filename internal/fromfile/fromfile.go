// Package fromfile is what all packages agree on whose containers are opened from files: how a file
// is opened, and which errors say that it cannot be used. Formats are theirs (internal/image,
// flat/forest).
package fromfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrInvalid is wrapped by errors that say that a file is not what it should be, or is damaged.
var ErrInvalid = errors.New("invalid file")

// ErrMismatch is wrapped by errors that say that a file is sound and holds something else: another
// container, another version or other types.
var ErrMismatch = errors.New("file of something else")

// Invalid returns an error of another text that is ErrInvalid for errors.Is.
func Invalid(text string) error { return &invalid{text} }

type invalid struct{ text string }

func (e *invalid) Error() string        { return e.text }
func (e *invalid) Is(target error) bool { return target == ErrInvalid }

// Open opens a file for reading, which must be a regular one.
func Open(path string) (*os.File, os.FileInfo, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files. Everything else is refused at once with an error that
// wraps ErrInvalid: to open a named pipe waits for whoever writes to it, and to open a device can
// have effects.
func OpenFile(path string, flag int, perm os.FileMode) (*os.File, os.FileInfo, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, flag|nonblock, perm) // it may have become a pipe meanwhile
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

// regular returns an error for what is not a regular file.
func regular(path string, info os.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return Invalid(path + " is a folder, and not a file")
	}
	return Invalid(fmt.Sprintf("%s is not a regular file (mode %v)", path, info.Mode()))
}
