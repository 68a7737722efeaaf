package forest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

var errFull = errors.New("the disk is full")

// fullDisk is a file on a disk that has room for a limited number of bytes. Sync and Truncate can
// be made to fail.
type fullDisk struct {
	*os.File
	room             int64
	noSync, noShrink bool
	synced           int64 // number of bytes that are safely on the disk
	order            bool  // a segment was written before the previous one was synced
	written          int64
}

func (d *fullDisk) WriteAt(b []byte, at int64) (int, error) {
	d.order = d.order || d.synced < d.written
	n := max(0, min(int64(len(b)), d.room-at))
	if n, err := d.File.WriteAt(b[:n], at); err != nil {
		return n, err
	}
	if n < int64(len(b)) {
		return int(n), errFull
	}
	d.written = at + n
	return int(n), nil
}

func (d *fullDisk) Truncate(size int64) error {
	if d.noShrink {
		return errFull
	}
	return d.File.Truncate(size)
}

func (d *fullDisk) Sync() error {
	if d.noSync {
		return errFull
	}
	d.synced = d.written
	return d.File.Sync()
}

func variable(b *exprflat.Builder, name string) exprflat.Tree {
	t, err := b.Finish(b.Var(name))
	if err != nil {
		panic(err)
	}
	return t
}

// onDisk creates a forest on a fullDisk with ample room. It returns the Writer, the disk and the
// path.
func onDisk(t *testing.T) (*Writer[exprflat.Tree], *fullDisk, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forest")
	w, err := Create[exprflat.Tree](path, Options{SegmentBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	d := &fullDisk{File: w.file.(*os.File), room: 1 << 40, written: w.end, synced: w.end}
	w.file = d
	return w, d, path
}

func count(t *testing.T, path string) int {
	t.Helper()
	r, err := Open[exprflat.Tree](path, flat.LoadLimits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for item, err := range r.All {
		if err != nil || item.Tree.Root().AsVar().Name() != item.Name {
			t.Errorf("tree %d, %s: %v, %v", item.Index, item.Name, item.Tree, err)
		}
	}
	return r.Len()
}

// However much room a disk has, synced trees can be read, and a Writer continues once there is room
// again.
func TestFullDisk(t *testing.T) {
	for _, noShrink := range []bool{false, true} {
		for room := int64(0); room < 1000; room += 37 {
			w, d, path := onDisk(t)
			d.room, d.noShrink = w.end+room, noShrink
			b := exprflat.NewBuilder(flat.BuilderOptions{})
			added, failed := 0, 0
			for i := range 40 {
				switch err := w.Add(string(rune('a'+i)), variable(b, string(rune('a'+i)))); {
				case err == nil:
					added++
				case errors.Is(err, errFull):
					failed++
					i = 40
				default:
					t.Fatal(err)
				}
				if failed > 0 {
					break
				}
			}
			if err := w.Sync(); (err == nil) != (failed == 0 && d.written == w.end) && failed > 0 && err == nil {
				t.Fatal("a full disk takes a segment")
			}
			before := count(t, path)
			d.room = 1 << 40
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := count(t, path); got != added || before > got {
				t.Fatalf("room %d: %d trees, %d were added", room, got, added)
			}
			if d.order {
				t.Fatal("a segment was written before the disk had the one before it")
			}
		}
	}
}

// After a failed Sync, the state of the disk is unknown, so the Writer rejects all further calls.
func TestDiskThatDoesNotSync(t *testing.T) {
	w, d, path := onDisk(t)
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	if err := errors.Join(w.Add("a", variable(b, "a")), w.Sync()); err != nil {
		t.Fatal(err)
	}
	d.noSync = true
	if err := errors.Join(w.Add("b", variable(b, "b")), w.Sync()); !errors.Is(err, errFull) {
		t.Errorf("Sync: %v", err)
	}
	d.noSync = false
	if err := w.Add("c", variable(b, "c")); !errors.Is(err, errFull) {
		t.Errorf("Add after a Sync that failed: %v", err)
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close: %v", err)
	}
	if n := count(t, path); n < 1 {
		t.Errorf("%d trees", n)
	}
}

// reseal corrects the checksums of a damaged file, as far as its structure allows.
func reseal(data []byte) {
	if len(data) < headBytes {
		return
	}
	end := headBytes + padded(uint64(le.Uint32(data[24:])))
	if end > uint64(len(data)) {
		return
	}
	le.PutUint32(data[28:], 0)
	le.PutUint32(data[28:], sum(data[:end]))
	for rest := data[end:]; len(rest) >= headBytes; {
		le.PutUint32(rest[60:], sum(rest[:60]))
		h, ok := decodeHead(rest, int64(len(data)-len(rest)))
		if !ok || h.size > uint64(len(rest)) {
			return
		}
		index := rest[headBytes:h.stringsAt()]
		for i := range int(h.trees) {
			if e, err := h.entryOf(index, i); err == nil {
				le.PutUint32(index[entryBytes*i+16:], sum(rest[h.wordsAt()+4*e.wordsAt:h.wordsAt()+4*e.wordsEnd]))
			}
		}
		le.PutUint32(rest[48:], sum(rest[h.stringsAt():h.wordsAt()]))
		le.PutUint32(rest[52:], sum(index))
		le.PutUint32(rest[60:], sum(rest[:60]))
		rest = rest[h.size:]
	}
}

// For arbitrary bytes, a Reader either rejects the file or yields trees that can be traversed.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "forest")
	w, err := Create[exprflat.Tree](path, Options{SegmentBytes: 60})
	if err != nil {
		f.Fatal(err)
	}
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for _, s := range []string{"x", "longer", "", "x"} {
		tree, err := b.Finish(b.Call(s, []exprflat.Expr{b.Var(s), b.Num(1)}, &s))
		if err := errors.Join(err, w.Add(s, tree)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	f.Add(data[:len(data)-9], false)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			reseal(data)
		}
		path := filepath.Join(t.TempDir(), "forest")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		limits := flat.LoadLimits{MaxNodes: 10_000}
		if r, err := Open[exprflat.Tree](path, limits); err != nil {
			refused(t, err)
		} else {
			walkAll(t, r)
		}
		if r, err := OpenAny(path, limits); err != nil {
			refused(t, err)
		} else {
			walkAll(t, r)
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, flat.ErrInvalid) && !errors.Is(err, flat.ErrLimit) {
		t.Errorf("refused with another error: %v", err)
	}
}

func walkAll[T interface{ Flat() *flat.Tree }](t *testing.T, r *Reader[T]) {
	for item, err := range r.All {
		if err != nil {
			refused(t, err)
			continue
		}
		again, err := r.At(item.Index)
		if err != nil || item.Tree.Flat().Compact().String() != again.Flat().Clone().String() {
			t.Errorf("tree %d is read twice, as %v and %v: %v", item.Index, item.Tree.Flat(), again.Flat(), err)
		}
		if i, ok := r.Lookup(item.Name); !ok || r.Name(i) != item.Name {
			t.Errorf("tree %d has the name %q; Lookup finds %d, %v", item.Index, item.Name, i, ok)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestEveryFlipOfASealedFile flips single bits and corrects the checksums. The Reader must reject
// the file or yield trees that can be traversed.
func TestEveryFlipOfASealedFile(t *testing.T) {
	w, d, path := onDisk(t)
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for _, s := range []string{"x", "longer", "", "x"} {
		tree, err := b.Finish(b.Call(s, []exprflat.Expr{b.Var(s), b.Num(1)}, &s))
		if err := errors.Join(err, w.Add(s, tree)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from := int(d.written) - len(data)/2
	for at := from; at < len(data); at++ {
		for bit := range 8 {
			if testing.Short() && (at+bit)%9 != 0 {
				continue
			}
			bad := append([]byte(nil), data...)
			bad[at] ^= 1 << bit
			reseal(bad)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if r, err := Open[exprflat.Tree](path, flat.LoadLimits{}); err != nil {
				refused(t, err)
			} else {
				walkAll(t, r)
			}
		}
	}
}
