package vmem

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// fileOf writes a file, and returns it with size bytes of its contents, which begin at offset
// minCommit. Other bytes precede and follow them.
func fileOf(t *testing.T, size int) (*os.File, []byte) {
	t.Helper()
	all := make([]byte, minCommit+size+100)
	for i := range all {
		all[i] = byte(i*7 + i>>9 | 1)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, all[minCommit:][:size]
}

func zero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// CommitFile fills a region with the contents of a file, followed by zeros. Writes to the region do
// not reach the file. Memory that is decommitted is zero when it is committed again.
func TestCommitFile(t *testing.T) {
	for _, size := range []int{1, 4095, 4096, minCommit, leastMapped - 1, leastMapped, leastMapped + 1, 1<<20 + 5000, 20 << 20} {
		if testing.Short() && size > 1<<21 {
			continue
		}
		f, want := fileOf(t, size)
		r := reserve(t, 64<<20)
		if err := r.CommitFile(f, minCommit, uintptr(size)); err != nil {
			t.Fatal(size, err)
		}
		got := bytesOf(r, r.Committed())
		if len(got) < size || len(got)%minCommit != 0 || r.account.Committed != uint64(len(got)) {
			t.Fatalf("%d bytes of a file: %d are committed, and %d are counted", size, len(got), r.account.Committed)
		}
		if !bytes.Equal(got[:size], want) || !zero(got[size:]) {
			t.Fatalf("%d bytes of a file are others in memory, or not followed by zeros", size)
		}
		mustCommit(t, r, r.Committed()+1)
		if grown := bytesOf(r, r.Committed()); !bytes.Equal(grown[:size], want) || !zero(grown[size:]) {
			t.Fatalf("%d bytes of a file: more memory is not zero", size)
		}
		got[0], got[size-1], got[size/2] = 0, 0, 0
		there := make([]byte, size)
		if _, err := f.ReadAt(there, minCommit); err != nil || !bytes.Equal(there, want) {
			t.Fatalf("%d bytes: what was written to memory is in the file; %v", size, err)
		}
		for _, keep := range []uintptr{minCommit, 0} {
			if err := r.Decommit(keep); err != nil {
				t.Fatal(err)
			}
			mustCommit(t, r, uintptr(size)+1)
			if !zero(bytesOf(r, r.Committed())[min(keep, r.Committed()):]) {
				t.Fatalf("%d bytes of a file: what was given back is not zero when it comes again", size)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A region keeps the bytes of a file that has been closed and removed.
func TestCommitFileOutlivesTheName(t *testing.T) {
	f, want := fileOf(t, 1<<20)
	r := reserve(t, 1<<21)
	defer r.Close()
	if err := r.CommitFile(f, minCommit, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(r, 1<<20), want) {
		t.Error("the bytes went with the file")
	}
}

// A CommitFile that fails leaves the region unchanged.
func TestCommitFileFails(t *testing.T) {
	f, _ := fileOf(t, 1<<20)
	closed, _ := fileOf(t, 1<<20)
	closed.Close()
	r := reserve(t, 1<<21)
	defer r.Close()
	for what, err := range map[string]error{
		"more than is reserved": r.CommitFile(f, 0, 1<<22),
		"a place between pages": r.CommitFile(f, 4096, 1<<10),
		"before the file":       r.CommitFile(f, -minCommit, 1<<10),
		"beyond the end":        r.CommitFile(f, minCommit, 1<<20+101),
		"whole pages beyond it": r.CommitFile(f, minCommit, 1<<20+minCommit),
		"far beyond the end":    r.CommitFile(f, 1<<30, 1),
		"a closed file":         r.CommitFile(closed, 0, 1<<20),
	} {
		if err == nil || r.Committed() != 0 || r.account.Committed != 0 {
			t.Errorf("%s: %v, and %d bytes are memory", what, err, r.Committed())
		}
	}
	if err := r.CommitFile(f, 1<<30, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	FailNextCommits(1)
	if err := r.CommitFile(f, 0, 1<<20); !errors.Is(err, ErrNoMemory) || r.Committed() != 0 {
		t.Error(err, r.Committed())
	}
	if err := r.CommitFile(f, 0, 0); err != nil || r.Committed() != 0 {
		t.Error("nothing of a file", err)
	}
	mustCommit(t, r, 1)
	if err := r.CommitFile(f, 0, 1); err == nil {
		t.Error("a file was put over memory")
	}
}

// If a file cannot be mapped, for example because it is a folder, no memory remains committed.
func TestCommitFileOfAFolder(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	r := reserve(t, 1<<21)
	defer r.Close()
	if err := r.CommitFile(f, 0, 1); err == nil || r.Committed() != 0 || r.account.Committed != 0 {
		t.Error(err, r.Committed())
	}
}
