package symbols

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

func TestSaveAndOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	for _, n := range []int{0, 1, 100, count(100_000)} {
		table := filled(t, n)
		check(t, table.Save(path))
		for _, verify := range []bool{true, false} {
			saved, err := OpenFile(path, Options{Verify: verify})
			check(t, err)
			expect(t, saved, n)
			if s := saved.Stats(); s.Verified != verify {
				t.Errorf("with Verify: %t it has %+v", verify, s)
			}
			for i := range n + 3000 {
				saved.Intern(name(i))
			}
			expect(t, saved, n+3000)
			check(t, saved.Save(path+"2"))
			again, err := OpenFile(path+"2", Options{})
			check(t, err)
			expect(t, again, n+3000)
			check(t, again.Close())
			check(t, saved.Close())
		}
		expect(t, table, n)
	}
}

func TestOpenFileRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	check(t, filled(t, 1000).Save(path))
	if _, err := OpenFile(path+"x", Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := OpenFile(path, Options{Max: -1}); err == nil {
		t.Error("a negative Max")
	}
	if _, err := OpenFile(path, Options{Max: 999}); !errors.Is(err, ErrFull) {
		t.Error("more symbols than Max:", err)
	}
	full, err := OpenFile(path, Options{Max: 1000})
	check(t, err)
	expect(t, full, 1000)
	if _, err := full.TryIntern("one more"); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	check(t, full.Close())
	vmem.FailCommit(0)
	_, err = OpenFile(path, Options{})
	vmem.FailCommit(-1)
	if err == nil {
		t.Error("opened without memory")
	}
	check(t, image.Save(path, image.Header{Kind: "other"}))
	if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
}

// parts returns the metadata and the sections of a saved table. Tests use them to write damaged
// files with correct checksums.
func parts(t testing.TB, table *Table) (meta []byte, all [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parts")
	check(t, table.Save(path))
	f, err := image.Open(path, kind, version, 0)
	check(t, err)
	defer f.Close()
	for i, size := range f.Sections() {
		b := make([]byte, size)
		check(t, f.ReadAt(i, b, 0))
		all = append(all, b)
	}
	return f.Meta(), all
}

// use performs every operation on a table from a file that may be damaged. Each operation must
// terminate and may panic only where the documentation says so.
func use(t *testing.T, path string) {
	t.Helper()
	table, err := OpenFile(path, Options{Max: 1000})
	if err != nil {
		if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrMismatch) && !errors.Is(err, ErrFull) {
			t.Fatalf("refused with another error: %v", err)
		}
		return
	}
	defer table.Close()
	guarded := func(f func()) {
		defer func() {
			p := recover()
			if _, ok := p.(runtime.Error); ok {
				panic(p)
			}
			if s, ok := p.(string); p != nil && (!ok || !strings.HasPrefix(s, "symbols.Table.")) {
				t.Fatalf("it panics with %v", p)
			}
		}()
		f()
	}
	_ = table.Verify()
	guarded(func() {
		for range table.All() {
		}
	})
	for i := range 60 {
		guarded(func() { table.String(Symbol(i)) })
		table.Lookup(name(i))
		guarded(func() { table.Intern(name(i)) })
	}
	if clone, err := table.Clone(); err == nil {
		guarded(func() { clone.Intern("x") })
		check(t, clone.Close())
	}
	table.Clear()
	table.Intern("x")
	check(t, table.Verify())
}

// TestEveryFlipOfASealedFile flips bits in every section and corrects the checksums.
func TestEveryFlipOfASealedFile(t *testing.T) {
	meta, all := parts(t, filled(t, 40))
	path := filepath.Join(t.TempDir(), "table")
	flip := func(b []byte, write func() error) {
		used := bytes.TrimRight(b, "\x00")
		step := 1 + len(used)/(count(500)/8)
		for at := 0; at < len(used); at += step {
			for bit := range 8 {
				if testing.Short() && bit != at/step%8 && bit != 7-at/step%8 {
					continue
				}
				b[at] ^= 1 << bit
				check(t, write())
				use(t, path)
				b[at] ^= 1 << bit
			}
		}
	}
	write := func() error {
		return image.Save(path, image.Header{Kind: kind, Version: version, Meta: meta}, all...)
	}
	flip(meta, write)
	for _, b := range all {
		flip(b, write)
	}
	for i := range all {
		whole := all[i]
		for n := 0; n < len(whole); n += 1 + len(whole)/10 {
			all[i] = whole[:n]
			check(t, write())
			if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrInvalid) {
				t.Fatalf("%d bytes of section %d: %v", n, i, err)
			}
		}
		all[i] = whole
	}
}

// OpenFile rejects a file unless each directory refers to pages inside the index that have a valid
// size and depth.
func TestRefsOfFilesAreChecked(t *testing.T) {
	table := filled(t, 5)
	meta, all := parts(t, table)
	units := table.pages.units
	path := filepath.Join(t.TempDir(), "table")
	for _, c := range []struct {
		ref pageRef
		ok  bool
	}{
		{0, true}, {refOf(0, 6, 0), true}, {refOf(units-1, 6, 0), true}, {refOf(units, 6, 0), false}, {refOf(units-1, 7, 0), false},
		{refOf(units-1, 9, 0), false}, {refOf(1<<32-1, 6, 0), false}, {refOf(0, 5, 0), false}, {refOf(0, 10, 0), false}, {refOf(0, 6, 1), false}, {1 << 20, false},
	} {
		var dirs []byte
		for range table.shards {
			dirs = le.AppendUint64(le.AppendUint64(dirs, 0), uint64(c.ref))
		}
		all[sectionDirs] = dirs
		check(t, image.Save(path, image.Header{Kind: kind, Version: version, Meta: meta}, all...))
		opened, err := OpenFile(path, Options{Max: 1000})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("a ref of %#x, of %d units: %v", c.ref, units, err)
		}
		if err == nil {
			check(t, opened.Close())
		}
	}
}

// TestVerifyFindsDamage verifies that OpenFile with Verify rejects a file with one damaged byte.
func TestVerifyFindsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	check(t, filled(t, 40).Save(path))
	data, err := os.ReadFile(path)
	check(t, err)
	step := 3
	if testing.Short() {
		step = 13
	}
	for at := range data {
		if data[at] == 0 || at%step != 0 {
			continue
		}
		data[at] ^= 4
		check(t, os.WriteFile(path, data, 0o600))
		if _, err := OpenFile(path, Options{Max: 1000, Verify: true}); !errors.Is(err, ErrInvalid) {
			t.Fatalf("byte %d: %v", at, err)
		}
		data[at] ^= 4
	}
}

// Even without checksums, Verify detects symbols that are missing from the index or appear twice,
// wrong counts, and wrong strings.
func TestVerifyFindsWrongSymbols(t *testing.T) {
	for what, spoil := range map[string]func(*Table){
		"a text that is gone":   func(t *Table) { t.places[7].Store(uint64(placeOf(1000, 0, 1))) },
		"another text":          func(t *Table) { t.places[7].Store(t.places[8].Load()) },
		"a count that is wrong": func(t *Table) { t.pages.words[0].Store(t.pages.words[0].Load() + 1) },
		"a symbol that is lost": func(t *Table) { spoilWord(t, 0) },
		"a symbol that is doubled": func(t *Table) {
			page := t.pages.words[:64]
			put(page, 0x1234_5678, 3)
		},
	} {
		table := filled(t, 2000)
		check(t, table.Verify())
		if spoil(table); !errors.Is(table.Verify(), ErrInvalid) {
			t.Error(what, "is not found:", table.Verify())
		}
	}
}

// spoilWord overwrites the first entry of a page, so that its symbol is lost.
func spoilWord(t *Table, page int) {
	for i := page<<leastLog + 1; ; i++ {
		if t.pages.words[i].Load() != 0 {
			t.pages.words[i].Store(1)
			return
		}
	}
}
