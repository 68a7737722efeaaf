// Package durable changes files so that neither a process that is killed nor a full disk leaves
// half of a change.
//
// # Replace
//
// A file is written beside the one that it replaces, under a name of our own (part.go). When the
// disk has it, it gets the name, and then the disk takes the folder. So whoever opens the name
// finds the old file or the new one, each as a whole, and who has the old one open or mapped keeps
// it.
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

// A system is the calls that Replace makes and that can fail; tests let them.
type system struct {
	sync       func(*os.File) error
	rename     func(from, to string) error
	syncFolder func(path string) error
}

var real = system{(*os.File).Sync, os.Rename, SyncFolder}

// Replace writes a file with the function write and gives it the name path, in the place of a file
// of that name, whose permissions it keeps. If path is a symbolic link, what it leads to is
// replaced, or made. If write or the disk fails, the old file is as it was, and nothing new is
// left. Only if the very last step fails, which has the disk take the new name, the new file may be
// there already. Of several that replace one file at a time the last one wins. A file that cannot
// be written, because nobody may or this user may not, is not replaced.
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
	_ = f.Close() // the disk has it
	return s.syncFolder(filepath.Dir(path))
}

// target returns the name that is to be replaced, behind symbolic links, and the permissions of
// what is there, 0 for nothing.
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

// mostLinks is how many symbolic links may follow one another.
const mostLinks = 40

// follow returns what a path leads to behind symbolic links, whether it is there or not. Its folder
// is there.
func follow(path string) (string, error) {
	if path == "" {
		return "", errors.New("the file's name is empty")
	}
	end := path
	for range mostLinks {
		folder, name := filepath.Split(end) // which leaves ".." for the system, that knows links to folders
		if name == "" {
			return "", fmt.Errorf("%s names a folder, and not a file", end)
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
			return end, nil // what is wrong with the file itself is for others to say
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

// mustBeWritable returns an error for a file that nobody may write, or that the system does not let
// this process write. Only the folder decides whether a file can be replaced; but who has taken the
// permission away means the contents.
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

// fill has the disk take what write writes.
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
