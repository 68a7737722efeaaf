package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// unpacked returns the contents of the files in an archive, by name. It verifies their modes and
// their modification times.
func unpacked(t *testing.T, name string, made time.Time) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	add := func(info os.FileInfo, text []byte, err error) {
		if want := modeOf(info.Name()); err != nil || info.Mode() != want || !info.ModTime().Equal(made) {
			t.Errorf("%s in %s has mode %v, want %v, and is of %v, want %v: %v", info.Name(), name, info.Mode(), want, info.ModTime(), made, err)
		}
		files[info.Name()] = text
	}
	if filepath.Ext(name) == ".zip" {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			from, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(from)
			add(f.FileInfo(), text, err)
		}
		return files
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(packed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		add(h.FileInfo(), text, err)
	}
}

// TestArchives verifies that archives preserve the contents of files, set their modes, and are
// reproducible.
func TestArchives(t *testing.T) {
	dir, made := t.TempDir(), time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	names := []string{"coppice", "LICENSE", "NOTICE"}
	files := make([]string, 0, len(names))
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for name, write := range map[string]func(io.Writer, []string, time.Time) error{"a.tar.gz": tarred, "a.zip": zipped} {
		var first, second bytes.Buffer
		if err := errors.Join(write(&first, files, made), write(&second, files, made)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from the same archive", name)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, first.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got := unpacked(t, file, made)
		if len(got) != 3 || string(got["NOTICE"]) != "text of NOTICE" {
			t.Errorf("%s has %q", name, got)
		}
		if err := write(io.Discard, []string{filepath.Join(dir, "none")}, made); err == nil {
			t.Errorf("%s of a file that does not exist", name)
		}
	}
}

// TestBinaries verifies that the archive for this platform contains programs that print their
// version, the license, and a NOTICE that lists the modules from which the programs are built.
func TestBinaries(t *testing.T) {
	testsize.OnlyInFull(t, "compiles the tools and all that they import once more")
	if _, err := git(root, "rev-parse"); err != nil {
		t.Skip(err)
	}
	here := runtime.GOOS + "/" + runtime.GOARCH
	out := filepath.Join(t.TempDir(), "out")
	var stdout, stderr strings.Builder
	if code := run([]string{"-root", root, "-version", rehearsed, "-binaries", out, "-platforms", here}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	name := "coppice_" + rehearsed + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	suffix := ""
	if runtime.GOOS == "windows" {
		name, suffix = strings.TrimSuffix(name, ".tar.gz")+".zip", ".exe"
	}
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	if sums, err := os.ReadFile(filepath.Join(out, "checksums.txt")); err != nil || string(sums) != fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name) {
		t.Errorf("the sums are %q (%v)", sums, err)
	}
	committed, err := git(root, "log", "-1", "--format=%cI")
	if err != nil {
		t.Fatal(err)
	}
	made, err := time.Parse(time.RFC3339, strings.TrimSpace(committed))
	if err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, filepath.Join(out, name), made)
	if len(files) != len(programs)+len(carried) || !bytes.Contains(files["LICENSE"], []byte("Apache License")) {
		t.Errorf("the archive has %d files, and the licence is %.80q", len(files), files["LICENSE"])
	}
	program := filepath.Join(t.TempDir(), "coppice"+suffix)
	if err := os.WriteFile(program, files["coppice"+suffix], 0o777); err != nil {
		t.Fatal(err)
	}
	if got, err := exec.Command(program, "version").Output(); err != nil || string(got) != "coppice "+rehearsed+"\n" {
		t.Errorf("coppice version prints %q (%v)", got, err)
	}
	built, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(built)) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "dep" && !strings.HasPrefix(f[1], library) && !bytes.Contains(files["NOTICE"], []byte("\n"+f[1]+" v")) {
			t.Errorf("the program contains %s, and NOTICE does not have it", f[1])
		}
	}
}

func TestBadPlatforms(t *testing.T) {
	for _, args := range [][]string{
		{"-version", "v1.2.3", "-platforms", "linux/amd64"}, {"-version", "v1.2.3", "-binaries", "x", "-platforms", "linux"},
		{"-version", "v1.2.3", "-binaries", "x", "-platforms", ""}, {"-version", "v1.2.3", "-binaries", "x", "-proxy", "y"},
	} {
		var out, errs strings.Builder
		if code := run(args, &out, &errs); code != exitUsage || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("release %v: exit code %d, %q", args, code, errs.String())
		}
	}
}
