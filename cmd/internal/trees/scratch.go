package trees

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

// A Scratch holds the two temporary folders of a command. Path is for copies of the source. It is
// the same path each time, so that the go command finds the copies in its build cache. Temp is
// among the temporary files of the system, and is for the programs that the command runs.
type Scratch struct {
	Path  string // below the user's cache folder or, if there is none, among the temporary files
	Temp  string
	locks []*filelock.Lock
}

// tempPrefix is the name prefix of scratch folders among the temporary files of the system.
const tempPrefix = "coppice-work-"

// mostSlots is the maximum number of commands that can run at the same time.
const mostSlots = 1000

// NewScratch creates the folders. It first removes the folders of commands that were killed: a
// command locks its folders while it runs, and the system releases the locks when the process ends.
func NewScratch() (*Scratch, error) {
	temp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	removeDead(temp, tempPrefix)
	s := &Scratch{}
	if s.Path, err = s.slot(); err != nil {
		s.Path, err = s.temporary(temp)
	}
	if err == nil {
		s.Temp, err = s.temporary(temp)
	}
	if err != nil {
		_ = s.Close() // the first error is more useful
		return nil, fmt.Errorf("cannot write temporary files: %w; set TMPDIR to a writable folder", err)
	}
	return s, nil
}

// slot reserves a folder below the user's cache folder: the first numbered folder that no running
// command uses.
func (s *Scratch) slot() (path string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "coppice", "work")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	removeDead(parent, "")
	for i := range mostSlots {
		path = filepath.Join(parent, strconv.Itoa(i))
		var lock *filelock.Lock
		lock, err = filelock.Try(path)
		if err == nil {
			s.locks = append(s.locks, lock)
			return path, empty(path)
		}
		if system := (*fs.PathError)(nil); errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) {
			break // no folder can be locked; other errors mean that this one is used or removed
		}
	}
	return "", err
}

// temporary creates and locks a folder below parent, the folder for temporary files.
func (s *Scratch) temporary(parent string) (path string, err error) {
	for range mostSlots {
		if path, err = os.MkdirTemp(parent, tempPrefix); err != nil {
			return "", err
		}
		var lock *filelock.Lock
		if lock, err = filelock.Try(path); err == nil {
			s.locks = append(s.locks, lock)
			return path, nil
		}
		_ = os.Remove(path) // another command has taken it for the folder of a dead process
	}
	return "", err
}

// removeDead removes the scratch folders below parent whose names have the prefix and whose process
// has exited. If prefix is not empty, parent may also contain folders of other programs. A folder
// without a lock file is then removed only if it is empty.
func removeDead(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || !strings.HasPrefix(entry.Name(), prefix) || !isMine(info) {
			continue
		}
		path := filepath.Join(parent, entry.Name())
		if lock, err := os.Lstat(filepath.Join(path, filelock.Name)); prefix != "" && (err != nil || !lock.Mode().IsRegular()) {
			_ = os.Remove(path) // fails if the folder is not empty
			continue
		}
		if lock, err := filelock.Try(path); err == nil {
			_ = empty(path)
			lock.Release()
			_ = os.Remove(path) // fails if another command has just taken the folder
		}
	}
}

// empty removes everything in a folder except the lock file. This process must hold the lock.
func empty(path string) error {
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if entry.Name() != filelock.Name {
			err = errors.Join(err, removeAll(filepath.Join(path, entry.Name())))
		}
	}
	return err
}

// removeAll removes a file or a folder, even one that contains read-only folders.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Sub creates the folder with the given name in s.Path, if it does not exist, and returns its path.
func (s *Scratch) Sub(name string) (string, error) {
	path := filepath.Join(s.Path, name)
	return path, os.MkdirAll(path, 0o777)
}

// Fresh is like Sub but first removes the contents of the folder.
func (s *Scratch) Fresh(name string) (string, error) {
	if err := removeAll(filepath.Join(s.Path, name)); err != nil {
		return "", err
	}
	return s.Sub(name)
}

// Close removes the folders and their contents.
func (s *Scratch) Close() error {
	var all error
	for _, path := range []string{s.Path, s.Temp} {
		if path == "" {
			continue
		}
		if err := empty(path); !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	for _, lock := range s.locks {
		lock.Release()
	}
	for _, path := range []string{s.Path, s.Temp} {
		_ = os.Remove(path) // fails if another command has just taken the folder
	}
	return all
}
