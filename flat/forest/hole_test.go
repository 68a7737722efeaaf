package forest

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// A header can claim millions of trees although only a hole follows it in the file. Open must not
// allocate memory for these trees. If the checksum of the index is correct, the file is invalid.
// Otherwise, Open succeeds and reports an incomplete end.
func TestHolesInFiles(t *testing.T) {
	const trees = 5 << 20
	path := filepath.Join(t.TempDir(), "forest")
	w, err := Create[exprflat.Tree](path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	end := w.end
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h := head{at: uint64(end), trees: trees, strings: 1, words: trees}
	h.size = h.end()
	zeros := make([]byte, h.stringsAt()-headBytes)
	right := sum(zeros)
	zeros = nil
	for what, indexSum := range map[string]uint32{"right": right, "wrong": right + 1} {
		h.indexSum = indexSum
		b := make([]byte, headBytes)
		h.encode(b)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt(b, end)
		if err := errors.Join(err, f.Truncate(end+int64(h.size)), f.Close()); err != nil {
			t.Skip(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Open[exprflat.Tree](path, flat.LoadLimits{})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("a hole of %d bytes under a %s sum takes %d", h.size, what, took)
		}
		if what == "right" && !errors.Is(err, ErrInvalid) {
			t.Errorf("under a right sum: %v", err)
		}
		if what == "wrong" && (err != nil || r.Len() != 0 || r.Incomplete() != int64(h.size)) {
			t.Errorf("under a wrong sum: %v", err)
		}
		if err == nil {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
