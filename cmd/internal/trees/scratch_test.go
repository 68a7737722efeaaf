package trees_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// places creates a cache folder and a folder for temporary files for the test, and sets the
// environment accordingly. If cached is false, the user has no cache folder.
func places(t *testing.T, cached bool) (cache, temp string) {
	t.Helper()
	cache, temp = t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	if !cached {
		t.Setenv("XDG_CACHE_HOME", "")
		t.Setenv("HOME", "")
	}
	if os.TempDir() != temp {
		t.Skip("temporary files are elsewhere")
	}
	if _, err := os.UserCacheDir(); err == nil != cached {
		t.Skip("the cache is elsewhere")
	}
	return cache, temp
}

func scratch(t *testing.T) *trees.Scratch {
	t.Helper()
	s, err := trees.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// list returns the names of the entries in a folder.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestScratch(t *testing.T) {
	_, temp := places(t, true)
	first := scratch(t)
	sub, err := first.Sub("arm0")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sub, "x"), "x")
	write(t, filepath.Join(first.Temp, "x"), "x")
	dead := filepath.Join(filepath.Dir(first.Path), "of-a-killed-command")
	write(t, filepath.Join(dead, "base", "x"), "x")
	second := scratch(t)
	if read(t, sub, "x") != "x" || read(t, first.Temp, "x") != "x" {
		t.Error("a folder of a living command was emptied")
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the folder of a killed command is still there")
	}
	if filepath.Dir(first.Temp) != temp || first.Temp == second.Temp || first.Path == second.Path {
		t.Errorf("%+v and %+v", first, second)
	}
	for _, s := range []*trees.Scratch{first, second} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := append(list(t, filepath.Dir(first.Path)), list(t, temp)...); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestScratchAgain verifies that successive commands use the same folder. The go command can then
// reuse what it has compiled from the copies in the folder.
func TestScratchAgain(t *testing.T) {
	places(t, true)
	first := scratch(t)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := scratch(t)
	if second.Path != first.Path {
		t.Errorf("%s, and then %s", first.Path, second.Path)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestScratchFresh verifies that Fresh empties the folder, whatever a test has left in it, and that
// Copy does not accept a folder that already exists.
func TestScratchFresh(t *testing.T) {
	places(t, true)
	s := scratch(t)
	for range 2 {
		path, err := s.Fresh("step")
		if err != nil || len(list(t, path)) > 0 {
			t.Fatalf("%v, %v", list(t, path), err)
		}
		write(t, filepath.Join(path, "closed", "x"), "x")
		if err := os.Chmod(filepath.Join(path, "closed"), 0o555); err != nil {
			t.Fatal(err)
		}
		if _, err := trees.Copy(t.Context(), treeIn(t, "."), path); err == nil {
			t.Error("a copy was mixed with what was there")
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestScratchWithoutCache verifies that everything is stored in the folder for temporary files, and
// is removed at the end, if the system has no cache folder or the folder is not writable.
func TestScratchWithoutCache(t *testing.T) {
	for name, cache := range map[string]func(t *testing.T) (temp string){
		"unknown": func(t *testing.T) string {
			_, temp := places(t, false)
			return temp
		},
		"not writable": func(t *testing.T) string {
			cache, temp := places(t, true)
			write(t, filepath.Join(cache, "file"), "")
			t.Setenv("XDG_CACHE_HOME", filepath.Join(cache, "file"))
			return temp
		},
	} {
		t.Run(name, func(t *testing.T) {
			temp := cache(t)
			s := scratch(t)
			for _, path := range []string{s.Path, s.Temp} {
				if filepath.Dir(path) != temp {
					t.Errorf("%s is not in %s", path, temp)
				}
			}
			if _, err := s.Sub("arm0"); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left := list(t, temp); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// TestDeadTemporaryFolders verifies that a command removes the temporary folders of commands that
// were killed. It must not remove folders without a lock file, because other programs may own them.
func TestDeadTemporaryFolders(t *testing.T) {
	_, temp := places(t, false)
	dead, empty, mine := filepath.Join(temp, "coppice-work-1"), filepath.Join(temp, "coppice-work-2"), filepath.Join(temp, "coppice-work-mine")
	write(t, filepath.Join(dead, filelock.Name), "process 1, since long ago")
	write(t, filepath.Join(dead, "base", "x"), "x")
	write(t, filepath.Join(mine, "x"), "x")
	if err := os.Mkdir(empty, 0o777); err != nil { // its command was killed before it held the lock
		t.Fatal(err)
	}
	s := scratch(t)
	for _, gone := range []string{dead, empty} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if read(t, mine, "x") != "x" {
		t.Error("a folder of others was emptied")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left := list(t, temp); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}
