package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockFile is there while a lab writes to a folder. What holds is the system's lock on
// it, which ends with the process that has it, however it ends; its text says who that is.
const LockFile = "lab.lock"

// A Lock is the right to write to a folder of results.
type Lock struct{ file *flock.Flock }

// TryLock takes the lock of the folder, which it makes if need be. If another lab has
// it, the error says which.
func TryLock(folder string) (*Lock, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w; name one that you can write to with -out", err)
	}
	name := filepath.Join(folder, LockFile)
	for {
		file := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR))
		locked, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("results folder: %w; name one that you can write to with -out", err)
		}
		if !locked {
			_ = file.Close()
			return nil, fmt.Errorf("%s: %s writes there; wait for it, or name another folder with -out", folder, holder(name))
		}
		if err := sign(file, name); err == nil {
			return &Lock{file}, nil
		} else if !os.IsNotExist(err) {
			_ = file.Close()
			return nil, fmt.Errorf("results folder: %w", err)
		}
		_ = file.Close() // its owner removed it while we waited: that lock is of no file
	}
}

// sign writes who has the lock. It fails with os.ErrNotExist if the locked file is not
// the one of that name any more.
func sign(file *flock.Flock, name string) error {
	ours, err := file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(ours, there) {
		return os.ErrNotExist
	}
	text := fmt.Sprintf("process %d, since %s", os.Getpid(), time.Now().Format("15:04:05 on 2 January"))
	_ = os.WriteFile(name, []byte(text), 0o666) // a courtesy, which Windows refuses: it locks the text too
	return nil
}

// holder names who has the lock.
func holder(name string) string {
	text, err := os.ReadFile(name)
	if err != nil || len(text) == 0 {
		return "another lab"
	}
	return "another lab (" + strings.TrimSpace(string(text)) + ")"
}

// Release removes the file and gives the lock back.
func (l *Lock) Release() {
	_ = os.Remove(l.file.Path()) // first: who locks it now finds that it is no more
	_ = l.file.Close()
}
