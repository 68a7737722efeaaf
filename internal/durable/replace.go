// Package durable replaces files so that a killed process or a full disk never leaves a partly
// written file.
//
// # Replace
//
// The new contents are written to a temporary file in the same folder (part.go). When they are on
// the disk, the file is renamed, and then the folder is synced. Therefore a program that opens the
// file by its name finds either the complete old file or the complete new file. A program that has
// the old file open or mapped keeps the old contents.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// A system contains the system calls of Replace. Tests replace them with functions that fail.
type system struct {
	sync       func(*os.File) error
	rename     func(from, to string) error
	syncFolder func(path string) error
}

var real = system{(*os.File).Sync, os.Rename, SyncFolder}

// Replace replaces the file at path. It calls write, which writes the new contents to a temporary
// file, and renames that file to path. The permissions of an existing file are kept. If path is a
// symbolic link, the target of the link is replaced or created. If write or the disk fails, the old
// file is unchanged, and no new file is left. If only the last step fails, which syncs the new
// name, the new file may already be in place. If several calls replace one file concurrently, the
// last one wins. Replace does not replace a file that is read-only for all users or for this user.
func Replace(path string, write func(*os.File) error) error { return real.replace(path, write) }

func (s system) replace(path string, write func(*os.File) error) error {
	path, mode, err := target(path)
	if err != nil {
		return err
	}
	f, err := newPart(path)
	if err != nil {
		return err
	}
	if err := s.fill(f, mode, write); err != nil {
		return errors.Join(err, discard(f))
	}
	if runtime.GOOS == "windows" { // an open file cannot be renamed there
		if err := f.Close(); err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
	}
	if err := s.rename(f.Name(), path); err != nil {
		return errors.Join(err, discard(f))
	}
	_ = f.Close() // the contents are on the disk
	return s.syncFolder(filepath.Dir(path))
}

// target returns the name of the file that is replaced, after following symbolic links, and the
// permissions of that file. The permissions are 0 if the file does not exist.
func target(path string) (string, fs.FileMode, error) {
	end, err := follow(path)
	if err != nil {
		return "", 0, err
	}
	info, err := os.Lstat(end)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return end, 0, nil
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, fmt.Errorf("%s is not a regular file", end)
	}
	return end, info.Mode().Perm(), mustBeWritable(end, info.Mode())
}

// mostLinks limits the number of consecutive symbolic links.
const mostLinks = 40

// follow resolves path through symbolic links, and returns the name of the file at their end. That
// file need not exist, but its folder must.
func follow(path string) (string, error) {
	if path == "" {
		return "", errors.New("the file's name is empty")
	}
	end := path
	for range mostLinks {
		folder, name := filepath.Split(end) // leaves ".." to the system, which resolves links to folders
		if name == "" {
			return "", fmt.Errorf("%s names a folder, not a file", end)
		}
		folder, err := filepath.EvalSymlinks(folder + ".")
		if err != nil && end != path {
			return "", fmt.Errorf("%s is a symbolic link to %s: %w", path, end, err)
		}
		if err != nil {
			return "", err
		}
		end = filepath.Join(folder, name)
		if info, err := os.Lstat(end); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return end, nil // errors of the file itself are reported elsewhere
		}
		to, err := os.Readlink(end)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = folder + string(filepath.Separator) + to
		}
		end = to
	}
	return "", fmt.Errorf("%s leads through more than %d symbolic links", path, mostLinks)
}

// mustBeWritable returns an error if a file is read-only, or if the system does not let this
// process write to it. The system would allow the replacement, which requires only write permission
// for the folder. But a user who made the file read-only meant to protect its contents.
func mustBeWritable(path string, mode fs.FileMode) error {
	err := error(fs.ErrPermission)
	if mode&0o222 != 0 {
		var f *os.File
		if f, _, err = fromfile.OpenFile(path, os.O_WRONLY, 0); err == nil {
			return f.Close()
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be written (mode %v): %w; give it write permission, or use another name", path, mode, fs.ErrPermission)
	}
	return err
}

// fill sets the permissions, calls write for the contents, and syncs the file.
func (s system) fill(f *os.File, mode fs.FileMode, write func(*os.File) error) error {
	if mode != 0 && runtime.GOOS != "windows" {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	return s.sync(f)
}
