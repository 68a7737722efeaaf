// Package filelock ensures that only one program at a time writes to a results folder.
package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Name is the name of the lock file, which exists while a program writes to a folder. The folder is
// in use while a process holds the system's lock on this file. The system releases the lock when
// the process ends, even if it is killed. The contents of the file identify the process.
const Name = "lab.lock"

// A Lock is the exclusive right to write to a results folder.
type Lock struct{ file *flock.Flock }

// Try acquires the lock of the folder, and creates the folder if necessary. If another run holds
// the lock, the error names that run.
func Try(folder string) (*Lock, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w; name a writable one with -out", err)
	}
	name := filepath.Join(folder, Name)
	for {
		file := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR))
		locked, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("results folder: %w; name a writable one with -out", err)
		}
		if !locked {
			_ = file.Close()
			return nil, fmt.Errorf("%s is in use by %s; wait for it to end, or name another folder with -out", folder, holder(name))
		}
		if err := sign(file, name); err == nil {
			return &Lock{file}, nil
		} else if !os.IsNotExist(err) {
			_ = file.Close()
			return nil, fmt.Errorf("results folder: %w", err)
		}
		_ = file.Close() // the previous owner removed the file meanwhile, so this lock is void
	}
}

// sign writes the process ID and the current time to the locked file. It fails with os.ErrNotExist
// if the locked file no longer has that name.
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
	_ = os.WriteFile(name, []byte(text), 0o666) // optional: fails on Windows, which locks the text too
	return nil
}

// holder describes the run that holds the lock, for an error message.
func holder(name string) string {
	text, err := os.ReadFile(name)
	if err != nil || len(text) == 0 {
		return "another run"
	}
	return "another run (" + strings.TrimSpace(string(text)) + ")"
}

// Release removes the lock file and releases the lock.
func (l *Lock) Release() {
	_ = os.Remove(l.file.Path()) // first: a process that locks it then notices the removal
	_ = l.file.Close()
}
