package mapkit

import (
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ManySmall creates many small maps, a million at full size. Each map may use at most 4 KiB, and
// must not have a memory mapping of its own.
func ManySmall[M Map[string, uint64]](t *testing.T, open func() M) {
	n := 10_000
	if testsize.Full() {
		n = 1_000_000
	}
	all := make([]M, n)
	before, mapped := memory.Live(), memory.Mappings()
	for i := range all {
		all[i] = open()
		all[i].Set("name", uint64(i))
	}
	if each := (memory.Live() - before) / uint64(n); each > 4096 {
		t.Errorf("a Map with one entry costs %d bytes", each)
	} else {
		t.Logf("a Map with one entry costs %d bytes", each)
	}
	if more := memory.Mappings() - mapped; more > 100+n/1000 {
		t.Errorf("%d Maps have %d mappings", n, more)
	}
	for i, m := range all {
		if v, ok := m.Get("name"); !ok || v != uint64(i) {
			t.Fatalf("Map %d has %d, %v", i, v, ok)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A Cloner is a Map with a Clone method that returns a map of the same type.
type Cloner[K, V, M any] interface {
	Map[K, V]
	Clone() (M, error)
}

// HugePages checks that Options.HugePages applies to a map, to its clone, and to a map that is
// opened from its file. This includes their strings. openFile opens a file or, if path is empty,
// creates a new map. kind returns the huge page setting of a map's memory.
func HugePages[M Cloner[string, uint64, M]](t *testing.T, openFile func(path string, huge vmem.HugePages) (M, error), kind func(M) vmem.HugePages) {
	for _, want := range []vmem.HugePages{vmem.HugeAuto, vmem.HugeOn, vmem.HugeOff} {
		m, err := openFile("", want)
		if err != nil {
			t.Fatal(err)
		}
		m.Set("key", 1)
		clone, err := m.Clone()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "map")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		opened, err := openFile(path, want)
		if err != nil {
			t.Fatal(err)
		}
		for what, m := range map[string]M{"a Map": m, "its clone": clone, "its file": opened} {
			if got := kind(m); got != want {
				t.Errorf("%s has pages of kind %d, want %d", what, got, want)
			}
			if v, ok := m.Get("key"); v != 1 || !ok {
				t.Errorf("HugePages %d: %s has %d, %v", want, what, v, ok)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
