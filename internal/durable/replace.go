// Package durable changes files so that neither a process that is killed nor a full disk leaves half of a change.
//
// # Replace
//
// A file is written beside the one that it replaces, under the same name with ".part" behind it. When the disk has it, it gets
// the name, and then the disk takes the folder. So whoever opens the name finds the old file or the new one, each as a whole, and
// who has the old one open or mapped keeps it. A part that a killed process left is written over by the next Replace: its name
// is always the same, and a lock that ends with the process says whether somebody is still at work on it.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// part is what the name of a file that is being written ends with.
const part = ".part"

// A system is the calls that Replace makes and that can fail; tests let them.
type system struct {
	sync       func(*os.File) error
	rename     func(from, to string) error
	syncFolder func(path string) error
}

var real = system{(*os.File).Sync, os.Rename, SyncFolder}

// Replace writes a file with the function write and gives it the name path, in the place of a file of that name, whose permissions
// it keeps. If path is a symbolic link, what it leads to is replaced. If write or the disk fails, the old file is as it was, and the part
// is removed. Only if the very last step fails, which has the disk take the new name, the new file may be there already. Of two
// processes that replace one file at a time the second waits, and so wins; systems without locks that end with a process (js, wasip1, Plan 9,
// Solaris, AIX) need somebody else to keep them apart.
func Replace(path string, write func(*os.File) error) error { return real.replace(path, write) }

func (s system) replace(path string, write func(*os.File) error) error {
	path, mode, err := target(path)
	if err != nil {
		return err
	}
	f, err := openPart(path + part)
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

// target returns the name that is to be replaced, behind symbolic links, and the permissions of what is there, 0 for nothing.
func target(path string) (string, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Lstat(path)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, fmt.Errorf("%s is no regular file", path)
	}
	return path, info.Mode().Perm(), nil
}

// openPart opens and locks the file that is to be written, and makes it if there is none.
func openPart(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := Lock(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", name, err), f.Close())
		}
		// While this process waited, the other one has renamed or removed the file.
		same, err := isNamed(f, name)
		if same {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// isNamed tells whether the open file still has the name. It is an error if the name is a symbolic link: that leads to
// somebody else's file.
func isNamed(f *os.File, name string) (bool, error) {
	there, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !there.Mode().IsRegular() {
		return false, fmt.Errorf("%s is no regular file", name)
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(open, there), err
}

// fill has the disk take what write writes.
func (s system) fill(f *os.File, mode fs.FileMode, write func(*os.File) error) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
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

// discard removes a part, while it is locked if the system lets it.
func discard(f *os.File) error {
	err := os.Remove(f.Name())
	_ = f.Close() // it may be closed already, and nobody reads it any more
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && runtime.GOOS == "windows" {
		return os.Remove(f.Name())
	}
	return err
}
