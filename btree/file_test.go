package btree

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/choice"
)

// use calls every method of a map that may be damaged. Each method must terminate. It may panic
// with a message that says that the map is damaged or full. In that case, or if Verify fails,
// refused is true.
func use[K string | uint64](m *Map[K, uint64], key func(int) K) (refused bool) {
	defer func() {
		if r := recover(); r != nil {
			if s, ok := r.(string); !ok || !strings.Contains(s, "damaged") && !strings.Contains(s, "full") {
				panic(r)
			}
			refused = true
		}
	}()
	refused = m.Verify() != nil
	for i := range 5 {
		m.Get(key(i * 50))
		m.Delete(key(i * 40))
		m.Set(key(i*30+1), 1)
	}
	for k := range m.Backward() {
		m.Get(k)
	}
	if m.view.ranked {
		k, _, _ := m.GetAt(m.Len() / 2)
		m.Rank(k)
		m.DeleteAt(m.Len() / 3)
	}
	it := m.Iter()
	for ok := it.Seek(key(20)); ok && it.SetValue(it.Value()); ok = it.Next() {
	}
	for it.Prev() {
		it.Key()
	}
	s := m.Snapshot()
	defer s.Close()
	m.Delete(key(3))
	for k := range s.Range(key(10), key(100)) {
		m.Get(k)
	}
	s.Close()
	for range m.All() {
	}
	if c, err := m.Clone(); err == nil {
		c.Close()
	}
	return refused
}

// hostile changes nodes, strings and metadata in a saved file and corrects the checksums. Every
// method of the map must still terminate, and at least a third of the damaged files must be
// detected.
func hostile[K string | uint64](t *testing.T, path string, key func(int) K) {
	f, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[K, uint64]())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sizes := f.Sections()
	nodes := whole[64<<10:][:sizes[0]]
	textAt := (64<<10 + sizes[0] + 64<<10 - 1) &^ (64<<10 - 1)
	var texts []byte
	if sizes[1] > 0 {
		texts = whole[textAt:][:sizes[1]]
	}
	meta := f.Meta()
	f.Close()
	src := choice.Seeded(1)
	rounds := 300
	if testing.Short() {
		rounds = 80
	}
	found := 0
	for range rounds {
		n, x, mm := append([]byte(nil), nodes...), append([]byte(nil), texts...), append([]byte(nil), meta...)
		for range 1 + src.Intn(3) {
			damageOne(src, n, x, mm)
		}
		h := image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[K, uint64](), Meta: mm}
		if err := image.Save(path, h, n, x); err != nil {
			t.Fatal(err)
		}
		m, err := openHostile[K](path)
		if err != nil {
			found++
			continue
		}
		if use(m, key) {
			found++
		}
		m.Close()
	}
	if found < rounds/3 {
		t.Errorf("%d of %d damaged files were noticed", found, rounds)
	}
}

func openHostile[K string | uint64](path string) (*Map[K, uint64], error) {
	return OpenFile[K, uint64](path, Options{})
}

// damageOne makes one change, in most cases to the nodes, otherwise to the strings or to the
// metadata.
func damageOne(src choice.Source, nodes, texts, meta []byte) {
	b := nodes
	switch src.Intn(8) {
	case 0:
		if len(texts) > 0 {
			b = texts
		}
	case 1:
		b = meta
	}
	at := src.Intn(len(b) - 8)
	switch src.Intn(5) {
	case 0:
		b[at] ^= 1 << src.Intn(8)
	case 1:
		binary.LittleEndian.PutUint32(b[at&^3:], uint32(src.Intn(20)))
	case 2:
		binary.LittleEndian.PutUint32(b[at&^3:], ^uint32(src.Intn(3)))
	case 3: // the header of a node
		if at = at &^ (nodeBytes - 1); at+16 < len(b) {
			b[at+8+src.Intn(8)] = byte(src.Intn(256))
		}
	case 4: // the children or the values of a node
		if at = at&^(nodeBytes-1) + nodeBytes/2 + 4*src.Intn(nodeBytes/8); at+4 < len(b) {
			binary.LittleEndian.PutUint32(b[at:], uint32(src.Intn(12)))
		}
	}
}

func TestHostileFiles(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { hostile(t, saved(t, 800, number, uint64(1)), number) })
	t.Run("string", func(t *testing.T) { hostile(t, saved(t, 800, text, uint64(1)), text) })
	t.Run("ranked", func(t *testing.T) { hostile(t, savedRanked(t, 800, number), number) })
	t.Run("rankedString", func(t *testing.T) { hostile(t, savedRanked(t, 800, text), text) })
}

// TestFilesOfOtherTypes verifies that a file can be opened only with the key and value types with
// which it was saved, and that a bool other than 0 or 1 in a file is rejected.
func TestFilesOfOtherTypes(t *testing.T) {
	path := saved(t, 100, number, uint64(1))
	if _, err := OpenFile[uint64, bool](path, Options{}); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if _, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[uint64, [8]byte]()); !errors.Is(err, ErrMismatch) {
		t.Errorf("values of as many bytes: %v", err)
	}
	if _, err := OpenFileFunc[uint64, uint64](path, func(a, b uint64) int { return 0 }, Options{}); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if _, err := OpenFile[uint64, uint64](path, Options{Max: 10}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	path = saved(t, 100, number, true)
	m, err := OpenFile[uint64, bool](path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	*valueAt[byte](m.view.node(m.view.root), &m.view.shape, 0) = 2
	if m.view.height > 0 {
		var c cursor
		m.view.edge(&c, -1, false)
		*valueAt[byte](m.view.node(c.path[m.view.height].node), &m.view.shape, 0) = 2
	}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	m.Close()
	if m, err := OpenFile[uint64, bool](path, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a bool of 2 is opened: %v", err)
		m.Close()
	}
}

// TestVerifyCountsBlocks verifies that Verify compares the counters in the header of a leaf's block
// with the contents of the block.
func TestVerifyCountsBlocks(t *testing.T) {
	m := openFor[string, uint64](t)
	for i := range 10 {
		m.Set(text(i), 1)
	}
	m.Delete(text(3))
	b := m.view.node(m.view.root).block(&m.view.shape)
	whole := *b
	for name, change := range map[string]func(){
		"waste": func() { b.waste++ },
		"used":  func() { b.used++ },
		"room":  func() { b.used, b.waste = b.used+30000, b.waste+30000 },
	} {
		if err := m.Verify(); err != nil {
			t.Fatal(err)
		}
		if change(); !errors.Is(m.Verify(), ErrInvalid) {
			t.Errorf("%s of a block is wrong, and Verify does not say so", name)
		}
		*b = whole
	}
}
