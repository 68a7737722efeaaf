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

// expect verifies that the file at path contains want, and that its folder contains no other file.
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

// If Replace fails before the file has been renamed, the old file is unchanged, and no other file
// is left.
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

// The contents are synced to disk before the file is renamed, and the folder is synced before
// Replace returns.
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
	if want := []string{"sync new", "rename .file.coppice-part-0 file", "folder new"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}

// The next Replace removes the files left by killed processes, but neither locked files nor
// unrelated files.
func TestLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for i := range 3 {
		check(t, os.WriteFile(partOf(path, i), []byte("torn"), 0o600))
	}
	check(t, Replace(path, text("new")))
	if locks {
		expect(t, path, "new")
	}
	others := []string{path + ".part", filepath.Join(filepath.Dir(path), ".part"), filepath.Join(filepath.Dir(path), ".file.part")}
	for _, name := range others {
		check(t, os.WriteFile(name, []byte("precious"), 0o600))
	}
	locked, err := os.OpenFile(partOf(path, 0), os.O_RDWR|os.O_CREATE, 0o600)
	check(t, err)
	defer locked.Close()
	if ok, err := TryLock(locked); !ok || err != nil {
		t.Fatal(ok, err)
	}
	_, err = locked.WriteString("somebody is at work")
	check(t, err)
	check(t, Replace(path, text("newer")))
	for _, name := range append(others, partOf(path, 0)) {
		if b, err := os.ReadFile(name); string(b) != "precious" && string(b) != "somebody is at work" || err != nil {
			t.Errorf("%s has %q: %v", name, b, err)
		}
	}
	if b, err := os.ReadFile(path); string(b) != "newer" || err != nil {
		t.Errorf("the file has %q: %v", b, err)
	}
}

// If another process removes a temporary file as a leftover before it is locked, keep rejects it,
// so that it is created again.
func TestPartsThatAreTaken(t *testing.T) {
	if !locks || runtime.GOOS == "windows" {
		t.Skip("nobody takes one here")
	}
	name := partOf(filepath.Join(t.TempDir(), "file"), 0)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	check(t, err)
	defer f.Close()
	if !removed(name) {
		t.Fatal("a part that is not locked is no leftover")
	}
	if mine, err := keep(f); mine || err != nil {
		t.Error("a part that was removed is kept:", err)
	}
	check(t, os.WriteFile(name, nil, 0o600))
	if named, err := isNamed(f); named || err != nil {
		t.Error("another file of the same name is this one:", err)
	}
}

// Replace works even if the file name has the maximum length, although the name of the temporary
// file is derived from it.
func TestLongNames(t *testing.T) {
	for _, n := range []int{200, 201, 255} {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", n))
		check(t, Replace(path, text("x")))
		expect(t, path, "x")
	}
}

// Concurrent calls of Replace for one file all succeed, and a reader always finds one complete
// version.
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
	if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 1 || err != nil {
		t.Error("parts are left", entries, err)
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

// Replace keeps a symbolic link and replaces its target. It does not follow a link that has the
// name of the temporary file.
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
	check(t, os.Symlink(victim, partOf(file, 0)))
	check(t, Replace(file, text("newer")))
	for path, want := range map[string]string{victim: "precious", file: "newer", partOf(file, 0): "precious"} {
		if b, err := os.ReadFile(path); string(b) != want || err != nil {
			t.Errorf("%s has %q: %v", path, b, err)
		}
	}
}

// If a symbolic link leads to a file that does not exist, Replace creates the file. This works for
// links to links, and for links in or through linked folders. If the file cannot be created, the
// error names the link.
func TestDanglingLinks(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.Symlink("nowhere", "link"); err != nil {
		t.Skip(err)
	}
	check(t, os.MkdirAll("a/b", 0o700))
	check(t, os.Symlink("a/b", "deep"))
	check(t, os.Symlink("../up", "a/b/back"))           // leads to a/up, not up
	check(t, os.Symlink("deep/../side", "beside"))      // leads to a/side
	check(t, os.Symlink(folder+"/deep/back", "second")) // a link to a link
	check(t, os.Symlink("none/file", "lost"))
	check(t, os.Symlink("loop", "loop"))
	for link, want := range map[string]string{"link": "nowhere", "deep/back": "a/up", "beside": "a/side", folder + "/second": "a/up"} {
		check(t, Replace(link, text(link)))
		if b, err := os.ReadFile(want); string(b) != link || err != nil {
			t.Errorf("%s has %q: %v", want, b, err)
		}
		check(t, os.Remove(want))
	}
	if err := Replace("lost", text("x")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "lost is a symbolic link to ") {
		t.Error(err)
	}
	if err := Replace("loop", text("x")); err == nil || !strings.Contains(err.Error(), "more than 40 symbolic links") {
		t.Error(err)
	}
}

// Replace rejects a file without write permission, even for root.
func TestReadOnlyFilesAreNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(path, []byte("kept"), 0o444))
	if err := Replace(path, text("new")); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "give it write permission") {
		t.Error(err)
	}
	expect(t, path, "kept")
}

func TestOnlyFilesAreReplaced(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{folder: "not a regular file", "": "name is empty", folder + "/": "names a folder"} {
		if err := Replace(path, text("x")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	if err := Replace(filepath.Join(folder, "none", "file"), text("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A lock excludes other holders until the file is closed.
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
	if ok, err := TryLock(b); !ok || err != nil {
		t.Error("a closed file is locked still", ok, err)
	}
	check(t, b.Close())
}
