package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var errDisk = errors.New("the disk is broken")

func text(s string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(s)
		return err
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expect wants a file with these bytes, and no other in its folder.
func expect(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	check(t, err)
	if string(got) != want {
		t.Errorf("the file has %.40q, want %.40q", got, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	if len(entries) != 1 {
		t.Errorf("there are other files beside it: %v", entries)
	}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, s := range []string{"first", "the second, which is longer", ""} {
		check(t, Replace(path, text(s)))
		expect(t, path, s)
	}
}

// Whatever fails, the old file is as it was, and nothing else is there.
func TestReplaceFails(t *testing.T) {
	for _, old := range []bool{true, false} {
		for what, s := range map[string]system{
			"write":  real,
			"sync":   {func(*os.File) error { return errDisk }, os.Rename, SyncFolder},
			"rename": {(*os.File).Sync, func(string, string) error { return errDisk }, SyncFolder},
		} {
			path := filepath.Join(t.TempDir(), "file")
			if old {
				check(t, Replace(path, text("old")))
			}
			write := text("new")
			if what == "write" {
				write = func(f *os.File) error { return errors.Join(text("ne")(f), errDisk) }
			}
			if err := s.replace(path, write); !errors.Is(err, errDisk) {
				t.Errorf("%s: %v", what, err)
			}
			if old {
				expect(t, path, "old")
			} else if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 0 || err != nil {
				t.Errorf("%s: files are left: %v, %v", what, entries, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	s := system{real.sync, real.rename, func(string) error { return errDisk }}
	if err := s.replace(path, text("new")); !errors.Is(err, errDisk) {
		t.Error("the folder was not synced, and that is no error:", err)
	}
	expect(t, path, "new")
}

// The disk has the bytes before they get the name, and the name before Replace returns.
func TestOrderOfReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var calls []string
	s := system{
		func(f *os.File) error {
			b, err := os.ReadFile(f.Name())
			calls = append(calls, "sync "+string(b))
			return err
		},
		func(from, to string) error {
			calls = append(calls, "rename "+filepath.Base(from)+" "+filepath.Base(to))
			return os.Rename(from, to)
		},
		func(folder string) error {
			b, err := os.ReadFile(path)
			calls = append(calls, "folder "+string(b))
			if folder != filepath.Dir(path) {
				t.Error("another folder was synced", folder)
			}
			return err
		},
	}
	check(t, s.replace(path, text("new")))
	if want := []string{"sync new", "rename file.part file", "folder new"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}

// What a killed process left is written over.
func TestLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(path+part, []byte("torn, and longer than what comes"), 0o600))
	check(t, Replace(path, text("new")))
	expect(t, path, "new")
}

// Many replace one file at once: each succeeds, and whoever reads finds one of their files, whole.
func TestReplaceAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	var group sync.WaitGroup
	for i := range 4 {
		s := strings.Repeat(string(rune('a'+i)), 5000+i)
		group.Go(func() {
			for range rounds {
				if err := Replace(path, text(s)); err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
				b, err := os.ReadFile(path)
				if err != nil || len(b) < 5000 || len(b) != 5000+int(b[0]-'a') || len(bytes.Trim(b, string(b[:1]))) > 0 {
					t.Errorf("a file of %d bytes: %.20q, %v", len(b), b, err)
				}
			}
		})
	}
	group.Wait()
	if _, err := os.Stat(path + part); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a part is left", err)
	}
}

func TestPermissionsRemain(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "wasip1" {
		t.Skip("there are none")
	}
	path := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(path, nil, 0o640))
	check(t, os.Chmod(path, 0o604))
	check(t, Replace(path, text("new")))
	info, err := os.Stat(path)
	check(t, err)
	if info.Mode() != 0o604 {
		t.Errorf("the mode has become %v", info.Mode())
	}
}

// A symbolic link stays, and what it leads to is replaced; one in the place of the part is not followed.
func TestSymbolicLinks(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "file")
	check(t, os.WriteFile(file, []byte("old"), 0o600))
	link := filepath.Join(other, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	check(t, Replace(link, text("new")))
	expect(t, file, "new")
	if to, err := os.Readlink(link); to != file || err != nil {
		t.Errorf("the link leads to %s: %v", to, err)
	}
	victim := filepath.Join(other, "victim")
	check(t, os.WriteFile(victim, []byte("precious"), 0o600))
	check(t, os.Symlink(victim, file+part))
	if err := Replace(file, text("newer")); err == nil {
		t.Error("a part that is a link was written")
	}
	for path, want := range map[string]string{victim: "precious", file: "new"} {
		if b, err := os.ReadFile(path); string(b) != want || err != nil {
			t.Errorf("%s has %q: %v", path, b, err)
		}
	}
}

func TestOnlyFilesAreReplaced(t *testing.T) {
	folder := t.TempDir()
	if err := Replace(folder, text("x")); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
	if err := Replace(filepath.Join(folder, "none", "file"), text("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A lock holds off others until the file is closed.
func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		check(t, err)
		return f
	}
	a, b := open(), open()
	if ok, err := TryLock(a); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ok, err := TryLock(b)
	check(t, err)
	if ok {
		t.Skip("no locks here")
	}
	check(t, a.Close())
	check(t, Lock(b))
	check(t, b.Close())
}
