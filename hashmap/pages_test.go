package hashmap

import (
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

// SmallPages holds for a Map, its clone and what is opened from its file, texts too.
func TestSmallPages(t *testing.T) {
	for small, want := range map[bool]vmem.HugePages{false: vmem.HugeAuto, true: vmem.HugeOff} {
		o := Options{SmallPages: small}
		m, err := Open[string, uint64](o)
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
		opened, err := OpenFile[string, uint64](path, o)
		if err != nil {
			t.Fatal(err)
		}
		for what, m := range map[string]*Map[string, uint64]{"a Map": m, "its clone": clone, "its file": opened} {
			if got := m.huge; got != want {
				t.Errorf("SmallPages %v: %s has pages of kind %d, want %d", small, what, got, want)
			}
			if v, ok := m.Get("key"); v != 1 || !ok {
				t.Errorf("SmallPages %v: %s has %d, %v", small, what, v, ok)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
