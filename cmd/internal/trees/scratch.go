package trees

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// A Scratch folder is a place for what a command makes and needs no more when it has ended.
type Scratch struct {
	Path string
	lock *record.Lock
}

// NewScratch makes a folder below the user's folder of caches. It first removes the folders of commands that were
// killed, which the locks of living ones tell apart.
func NewScratch() (*Scratch, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	parent := filepath.Join(cache, "coppice", "work")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("no place for temporary files: %w; set XDG_CACHE_HOME or HOME to a folder that you can write to", err)
	}
	removeDead(parent)
	for {
		path, err := os.MkdirTemp(parent, "")
		if err != nil {
			return nil, fmt.Errorf("no place for temporary files: %w", err)
		}
		if lock, err := record.TryLock(path); err == nil {
			return &Scratch{path, lock}, nil
		}
		// Another command took it for that of a dead one.
	}
}

// removeDead removes the folders that nobody holds.
func removeDead(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(parent, entry.Name())
		if lock, err := record.TryLock(path); err == nil {
			_ = os.RemoveAll(path)
			lock.Release()
		}
	}
}

// Sub makes a folder of the given name within.
func (f *Scratch) Sub(name string) (string, error) {
	path := filepath.Join(f.Path, name)
	return path, os.MkdirAll(path, 0o777)
}

// Close removes the folder and all that is in it.
func (f *Scratch) Close() error {
	err := os.RemoveAll(f.Path)
	f.lock.Release()
	return err
}
