package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// A part is a file that is being written and has not been renamed to its final name. Its name is
// reserved for this package: ".NAME.coppice-part-0". A part is created exclusively, so that an
// existing file or link is never overwritten, and it is locked until it has its final name. Locks
// are released when the process exits, so an unlocked part was left by a killed process, and the
// next Replace removes it. A locked part belongs to another Replace, and the next number is tried.
const (
	partMark  = ".coppice-part-"
	mostName  = 200     // bytes of a file's name that its part's name repeats; names are limited to 255
	mostParts = 100_000 // concurrent parts of one file
)

// partOf returns the name of part i of a file.
func partOf(path string, i int) string {
	folder, name := filepath.Split(path)
	return folder + "." + name[:min(len(name), mostName)] + partMark + strconv.Itoa(i)
}

// newPart creates and locks a part of a file.
func newPart(path string) (*os.File, error) {
	for i := 0; i < mostParts; {
		name := partOf(path, i)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			if !removed(name) {
				i++
			}
			continue
		case err != nil:
			return nil, err
		}
		mine, err := keep(f)
		if err != nil {
			return nil, errors.Join(err, discard(f))
		}
		if mine {
			for removed(partOf(path, i+1)) { // left by several processes that were killed at the same time
				i++
			}
			return f, nil
		}
		_ = f.Close() // it was taken for a leftover before it was locked
	}
	return nil, fmt.Errorf("%s: %d others seem to be writing it; remove the files %s*", path, mostParts, partOf(path, 0)[:len(partOf(path, 0))-1])
}

// keep locks a new part, and reports whether the part still has its name. Before it was locked,
// another Replace may have removed it.
func keep(f *os.File) (bool, error) {
	locked, err := TryLock(f)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	if !locked {
		return false, nil
	}
	return isNamed(f)
}

// isNamed reports whether the open file still has its name.
func isNamed(f *os.File) (bool, error) {
	there, err := os.Lstat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(open, there), err
}

// removed tries to remove a part that a killed process left. It reports whether it removed the
// part.
func removed(name string) bool {
	if info, err := os.Lstat(name); !locks || err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, _, err := fromfile.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if locked, err := TryLock(f); !locked || err != nil {
		return false
	}
	if named, err := isNamed(f); !named || err != nil {
		return false
	}
	return discard(f) == nil
}

// discard removes a part before it unlocks the part, if the system can remove an open file.
func discard(f *os.File) error {
	err := os.Remove(f.Name())
	_ = f.Close() // it may already be closed, and it is no longer needed
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && runtime.GOOS == "windows" {
		return os.Remove(f.Name())
	}
	return err
}
