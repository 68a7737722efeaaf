package symbols

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/vmem"
)

func container(o Options) damage.Container {
	return damage.Container{Invalid: ErrInvalid, Mismatch: ErrMismatch, Open: func(path string) error { return damage.Closed(OpenFile(path, o)) }}
}

// verified returns a damage.Container without a limit on the number of symbols.
func verified(verify bool) damage.Container { return container(Options{Verify: verify}) }

// A file that does not contain a table is rejected with the error that the documentation specifies.
func TestKindsOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	check(t, filled(t, 500).Save(path))
	damage.KindsOfImages(t, path, verified)
}

// A file whose sections seem to have terabytes, because of a hole in the file, is rejected.
func TestHolesInFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	check(t, filled(t, 500).Save(path))
	damage.HolesAreInvalid(t, path, verified, map[string]map[int]uint64{
		"section 0": {0: 4 << 40}, "section 1": {1: 4 << 40}, "section 2": {2: 8 << 40}, "section 3": {3: 4 << 40}, "section 4": {4: 4 << 40},
		"sections 3 and 4": {3: 4 << 20, 4: 4 << 40},
	})
}

// A directory is rejected if it is deeper than its symbols require or has a gap, and a file is
// rejected if words follow the last directory. Holes in a file matter because they read as zeros.
func TestDirectoriesOfHoles(t *testing.T) {
	table := filled(t, 5)
	meta, all := parts(t, table)
	path := filepath.Join(t.TempDir(), "table")
	for what, words := range map[string][]uint64{
		"deeper than symbols need": {23},
		"a gap":                    {1, uint64(refOf(0, 6, 0)), 0},
		"words at the end":         append(make([]uint64, 2*len(table.shards)), 7),
		"cut off in a directory":   append(make([]uint64, 2*len(table.shards)-2), 1),
	} {
		var dirs []byte
		for _, w := range words {
			dirs = le.AppendUint64(dirs, w)
		}
		all[sectionDirs] = dirs
		check(t, image.Save(path, image.Header{Kind: kind, Version: version, Meta: meta}, all...))
		if err := container(Options{Max: 1000}).Open(path); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Text that the symbols cannot have, or that would not fit into memory, is rejected before it is
// read.
func TestHugeTextsOfFiles(t *testing.T) {
	table := filled(t, 5)
	meta, all := parts(t, table)
	path := filepath.Join(t.TempDir(), "table")
	for n, want := range map[int]error{5: nil, 6: ErrInvalid} { // five symbols have at most 5 chunks
		chunks := make([]byte, 4)
		for range n {
			chunks = le.AppendUint32(chunks, 1000)
		}
		all[sectionChunks], all[sectionText] = chunks, make([]byte, 1000*n)
		check(t, image.Save(path, image.Header{Kind: kind, Version: version, Meta: meta}, all...))
		if err := container(Options{Max: 1000}).Open(path); !errors.Is(err, want) {
			t.Errorf("%d chunks: %v", n, err)
		}
	}
	if err := checkChunks(le.AppendUint32(make([]byte, 4), MaxBytes), MaxBytes, 0); !errors.Is(err, ErrInvalid) {
		t.Error("text of no symbols:", err)
	}
	if err := affords(1 << 61); !errors.Is(err, ErrFull) && !vmem.GoMemory {
		t.Error(err)
	}
}
