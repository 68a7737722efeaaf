package btree

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// TestHolesInFiles verifies that a sparse file is rejected if its sections claim to have terabytes.
func TestHolesInFiles(t *testing.T) {
	path := saved(t, 500, number, uint64(1))
	damage.HolesAreInvalid(t, path, kindOf[uint64]().Container, map[string]map[int]uint64{
		"nodes": {0: 4 << 40}, "texts": {1: 4 << 40}, "both": {0: 1 << 40, 1: 1 << 40},
	})
}

// TestNodesThatAreEverywhere opens files in which all children of each inner node are the same
// node. Such a file is small but seems to have more leaves than any loop could visit. Loops, and
// Clear with an open snapshot, must detect this and panic.
func TestNodesThatAreEverywhere(t *testing.T) {
	for _, entries := range []uint16{0, 1} {
		path := tangled(t, entries)
		for name, call := range map[string]func(m *Map[uint64, uint64]){
			"All": func(m *Map[uint64, uint64]) {
				for range m.All() {
				}
			},
			"Backward": func(m *Map[uint64, uint64]) {
				for range m.Backward() {
				}
			},
			"Clear": func(m *Map[uint64, uint64]) {
				s := m.Snapshot()
				defer s.Close()
				m.Clear()
			},
		} {
			m, err := OpenFile[uint64, uint64](path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if said := panics.Of(func() { call(m) }); !strings.HasPrefix(said, "btree.Map."+name+": the file that was opened is damaged: a node is in two places") {
				t.Errorf("%s over leaves with %d keys: %q", name, entries, said)
			}
			it := m.Iter()
			if said := panics.Of(func() {
				for it.Next() {
				}
			}); !strings.HasPrefix(said, "btree.Iter.Next: the file that was opened is damaged: a node is in two places") {
				t.Errorf("Next over leaves with %d keys: %q", entries, said)
			}
			if err := m.Verify(); !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
			m.Close()
		}
	}
}

// tangled saves a tree that has one node on each level, which is every child of the inner node
// above it. It returns the path of the file.
func tangled(t *testing.T, entries uint16) string {
	const height = 8
	m := openFor[uint64, uint64](t)
	m.Set(1, 1)
	path := filepath.Join(t.TempDir(), "tangled")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	f, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[uint64, uint64]())
	if err != nil {
		t.Fatal(err)
	}
	meta := f.Meta()
	f.Close()
	s := &m.tree.shape
	const top = height + 2
	b := make([]uint64, top*s.nodeBytes/8)
	memory := memory{addressOf(b), top}
	for i := uint32(1); i < top; i++ {
		n := memory.at(s, i)
		*n.header() = header{epoch: 1, level: uint8(height + 1 - i), count: uint16(s.innerCap)}
		if i == top-1 {
			n.header().count = entries
			continue
		}
		for j := range s.innerCap + 1 {
			n.children(s)[j] = i + 1
		}
	}
	for at, v := range map[int]uint64{metaRoot: 1, metaHeight: height, metaTop: top, metaFree: 0, metaSpare: 0} {
		binary.LittleEndian.PutUint64(meta[8*at:], v)
	}
	h := image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[uint64, uint64](), Meta: meta}
	if err := image.Save(path, h, memory.at(s, 0).bytes(0, top*s.nodeBytes), nil); err != nil {
		t.Fatal(err)
	}
	return path
}
