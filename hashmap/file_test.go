package hashmap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// sections returns the header and the three sections of a file.
func sections[K comparable, V any](t *testing.T, path string) (image.Header, [3][]byte) {
	t.Helper()
	f, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[K, V]())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all [3][]byte
	for i, size := range f.Sections() {
		all[i] = make([]byte, size)
		if err := f.ReadAt(i, all[i], 0); err != nil {
			t.Fatal(err)
		}
	}
	return image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[K, V](), Meta: f.Meta()}, all
}

// use calls the methods of a map that may be damaged. They may return wrong answers or errors, but
// they must terminate. The result reports whether Verify has detected the damage.
func use[K comparable](m *Map[K, uint64], key func(int) K, keys int) bool {
	noticed := m.Verify() != nil
	for i := range keys {
		m.Get(key(i))
		m.Delete(key(i * 3))
		if err := m.TrySet(key(i*2+1), 1); err != nil && !errors.Is(err, ErrFull) {
			panic(err)
		}
	}
	for k := range m.All() {
		m.Get(k)
	}
	if c, err := m.Clone(); err == nil {
		c.Close()
	}
	m.Reserve(2*keys + 1000)
	m.Len()
	m.Stats()
	m.Clear()
	m.Set(key(1), 1)
	return noticed
}

// hostile verifies that files with damaged contents but correct checksums can be opened and used,
// or are rejected. At least a third of the files must be detected.
func hostile[K comparable](t *testing.T, key func(int) K) {
	path := saved(t, 2500, key, uint64(1))
	h, parts := sections[K, uint64](t, path)
	src := choice.Seeded(1)
	rounds := 120
	if testing.Short() {
		rounds = 30
	}
	found := 0
	for range rounds {
		damaged := [4][]byte{append([]byte(nil), parts[0]...), append([]byte(nil), parts[1]...), append([]byte(nil), parts[2]...), append([]byte(nil), h.Meta...)}
		for range 1 + src.Intn(4) {
			damageOne(src, damaged[[]int{0, 0, 1, 2, 3}[src.Intn(5)]])
		}
		next := h
		next.Meta = damaged[3]
		if err := image.Save(path, next, damaged[0], damaged[1], damaged[2]); err != nil {
			t.Fatal(err)
		}
		m, err := OpenFile[K, uint64](path, Options{})
		if err != nil {
			found++
			continue
		}
		found += b2i(use(m, key, 2000))
		m.Close()
	}
	if found < rounds/3 {
		t.Errorf("%d of %d damaged files were noticed", found, rounds)
	}
}

func damageOne(src choice.Source, b []byte) {
	if len(b) < 8 {
		return
	}
	at := src.Intn(len(b) - 7)
	switch src.Intn(5) {
	case 0:
		b[at] ^= 1 << src.Intn(8)
	case 1:
		binary.LittleEndian.PutUint32(b[at&^3:], uint32(src.Intn(600)))
	case 2:
		binary.LittleEndian.PutUint32(b[at&^3:], ^uint32(src.Intn(3)))
	case 3:
		for i := range min(len(b)-at, 3000) { // leaves no empty slot
			b[at+i] = 0x11
		}
	case 4:
		copy(b[at:], b[src.Intn(len(b)):])
	}
}

func TestHostileFiles(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { hostile(t, number) })
	t.Run("string", func(t *testing.T) { hostile(t, text) })
}

// TestListsOfPages verifies that OpenFile rejects a file whose list of pages does not cover each
// hash exactly once, or would need a needlessly large directory.
func TestListsOfPages(t *testing.T) {
	path := saved(t, 2500, number, uint64(1))
	h, parts := sections[uint64, uint64](t, path)
	size := len(parts[0]) / (len(parts[2]) / pageEntryBytes)
	for name, c := range map[string]struct {
		pages int // all of the same size
		list  []byte
	}{
		"nothing":        {0, nil},
		"one of two":     {1, []byte{1, 7, 0, 0}},
		"not aligned":    {3, []byte{2, 7, 0, 0, 1, 7, 0, 0, 2, 7, 0, 0}},
		"three halves":   {3, []byte{1, 7, 0, 0, 1, 7, 0, 0, 1, 7, 0, 0}},
		"too deep":       {1, []byte{30, 7, 0, 0}},
		"too large":      {1, []byte{0, 50, 0, 0}},
		"too much left":  {1, []byte{0, 7, 0xff, 0xff}},
		"fewer bytes":    {5, bytes.Repeat([]byte{2, 7, 0, 0}, 4)},
		"more bytes":     {1, []byte{1, 7, 0, 0, 1, 7, 0, 0}},
		"no whole entry": {1, []byte{0, 7, 0}},
	} {
		if err := image.Save(path, h, bytes.Repeat(parts[0][:size], c.pages), nil, c.list); err != nil {
			t.Fatal(err)
		}
		if m, err := OpenFile[uint64, uint64](path, Options{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
			damage.Closed(m, err)
		}
	}
}

// TestVerifyFinds verifies that Verify and OpenFile detect inconsistencies that checksums cannot
// reveal, because the file was written with the inconsistent contents.
func TestVerifyFinds(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(m *Map[string, [3]bool])
		want   string
	}{
		"length": {func(m *Map[string, [3]bool]) { m.length++ }, "but 451 are recorded"},
		"left":   {func(m *Map[string, [3]bool]) { m.left[0] = room(m.dir[0].log()) }, "empty slots"},
		"tag": {func(m *Map[string, [3]bool]) {
			g, s := firstSlot(m)
			g.control = setByte(g.control, s, byteOf(g.control, s)^1)
		}, "no search finds it"},
		"control": {func(m *Map[string, [3]bool]) { g, s := firstSlot(m); g.control = setByte(g.control, s, 0x99) }, "control byte"},
		"text":    {func(m *Map[string, [3]bool]) { g, s := firstSlot(m); g.texts[s] = 1 << 30 }, "no text"},
		"bool":    {func(m *Map[string, [3]bool]) { g, s := firstSlot(m); bytesOfValue(&g.values[s])[0] = 2 }, "bool of a value"},
	} {
		path := saved(t, 500, text, [3]bool{true, true, true})
		m, err := OpenFile[string, [3]bool](path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.damage(m)
		if err := m.Verify(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		m.Close()
		// OpenFile verifies this file, because its values contain bools.
		if m, err := OpenFile[string, [3]bool](path, Options{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a file with a wrong %s: %v", name, err)
			damage.Closed(m, err)
		}
	}
}

// firstSlot returns the first occupied slot and its group.
func firstSlot[V any](m *Map[string, V]) (*textGroup[V], int) {
	for i := uint64(0); ; i++ {
		if g := textGroupAt[V](m.base, m.dir[0].at(), i); fullSlots(g.control) != 0 {
			return g, fullSlots(g.control).first()
		}
	}
}

// TestSharedTexts verifies that overlapping keys, whose strings share memory, are detected, even
// though a search finds both.
func TestSharedTexts(t *testing.T) {
	m := openFor[string, uint64](t)
	for i := range 100 {
		m.Set(text(i), 1)
	}
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	var numbers []*uint32
	for i := range m.dir[0].mask() + 1 {
		g := textGroupAt[uint64](m.base, m.dir[0].at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			numbers = append(numbers, &g.texts[full.first()])
		}
	}
	*numbers[0] = *numbers[1] + 1
	v := verifier[string, uint64]{m: m, texts: m.heap.NewChecker()}
	err := v.texts.Text(*numbers[1])
	if err := errors.Join(err, v.texts.Text(*numbers[0])); err == nil {
		t.Error("a text in the middle of another is not noticed")
	}
}

// TestBoolsOfFiles verifies that OpenFile rejects a bool that is neither 0 nor 1, so that Go code
// never sees one.
func TestBoolsOfFiles(t *testing.T) {
	path := saved(t, 3, func(i int) odd { return odd{A: uint8(i), D: i&1 > 0} }, uint64(1))
	h, parts := sections[odd, uint64](t, path)
	if m, err := OpenFile[odd, uint64](path, Options{}); err != nil || m.Len() != 3 || m.Close() != nil {
		t.Fatalf("%v", err)
	}
	at := 0
	for parts[0][at] == empty {
		at++
	}
	parts[0][8+at*int(sizeOf[slot[odd, uint64]]())+int(reflect.TypeFor[odd]().Field(4).Offset)] = 7
	if err := image.Save(path, h, parts[0], nil, parts[2]); err != nil {
		t.Fatal(err)
	}
	if m, err := OpenFile[odd, uint64](path, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a bool of 7 is opened: %v", err)
		damage.Closed(m, err)
	}
}

func TestFilesOfOtherTypes(t *testing.T) {
	path := saved(t, 100, number, uint64(1))
	if _, err := OpenFile[odd, uint64](path, Options{}); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if _, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[uint64, [8]byte]()); !errors.Is(err, ErrMismatch) {
		t.Errorf("values of as many bytes: %v", err)
	}
	if _, err := OpenFile[uint64, uint64](path, Options{Max: 10}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if _, err := OpenFile[uint64, uint64](path+"x", Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestTenMillion verifies that a file with ten million entries opens within 50 ms, in the best of
// five attempts. This is possible because OpenFile reads no entries. The test runs only with
// COPPICE_FULL=1.
func TestTenMillion(t *testing.T) {
	if os.Getenv("COPPICE_FULL") == "" || checks.Enabled {
		t.Skip("takes 700 MB; COPPICE_FULL=1 runs it")
	}
	const n = 10_000_000
	path := saved(t, n, number, uint64(5))
	best := time.Hour
	for range 5 {
		start := time.Now()
		m, err := OpenFile[uint64, uint64](path, Options{})
		best = min(best, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := m.Get(number(n - 1)); v != 5 || !ok || m.Len() != n-n/10 {
			t.Errorf("%d entries, the last has %d, %v", m.Len(), v, ok)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("opened in %v", best); best > 50*time.Millisecond {
		t.Errorf("it took %v", best)
	}
}

// TestSkewedKeys verifies that the memory of a map is proportional to the number of entries even if
// the keys were chosen for their similar hashes, and that the file of such a map can be opened.
func TestSkewedKeys(t *testing.T) {
	m := openFor[uint64, uint64](t)
	var keys []uint64
	for k := uint64(0); len(keys) < 3000; k++ {
		if m.hashOf(&k)>>52 == 0 {
			keys = append(keys, k)
		}
	}
	for i, k := range keys {
		m.Set(k, uint64(i))
	}
	s := m.Stats()
	if s.Directory > 1<<10 || s.Slots > 64*len(keys) {
		t.Errorf("%d keys with 12 equal bits: %+v", len(keys), s)
	}
	// The pages of other keys have many directory entries, and must be divided too.
	for i := range uint64(20_000) {
		m.Set(1<<40+i, i)
	}
	for i := range uint64(20_000) {
		if v, ok := m.Get(1<<40 + i); !ok || v != i {
			t.Fatalf("Get of another key = %d, %v, want %d", v, ok, i)
		}
	}
	path := filepath.Join(t.TempDir(), "map")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	other, err := OpenFile[uint64, uint64](path, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i, k := range keys {
		if v, ok := other.Get(k); !ok || v != uint64(i) {
			t.Fatalf("Get(%d) = %d, %v", k, v, ok)
		}
	}
}
