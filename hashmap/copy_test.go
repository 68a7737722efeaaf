package hashmap

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/byvalue"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// TestCopiesSaySo verifies that every method panics with an appropriate message if it is called on
// a copy of a Map, in every build, even after the original was closed.
func TestCopiesSaySo(t *testing.T) {
	m := openFor[uint64, uint64](t)
	for i := range uint64(1000) {
		m.Set(i, i)
	}
	c := byvalue.Copy(m)
	calls := map[string]func(){
		"Get": func() { c.Get(1) }, "Has": func() { c.Has(1) }, "Set": func() { c.Set(1, 1) }, "TrySet": func() { c.TrySet(1, 1) },
		"GetOrSet": func() { c.GetOrSet(1, 1) }, "Get ": func() { c.Update(1, func(v uint64, _ bool) uint64 { return v }) },
		"Delete": func() { c.Delete(1) }, "All": func() { c.All() }, "Len": func() { c.Len() }, "Clear": func() { c.Clear() }, "Close": func() { c.Close() },
		"Clone": func() { c.Clone() }, "Reserve": func() { c.Reserve(1) }, "Stats": func() { c.Stats() }, "Verify": func() { c.Verify() },
		"Save": func() { c.Save("") },
	}
	for _, closed := range []bool{false, true} {
		if closed {
			m.Close()
		}
		for name, call := range calls {
			if said := panics.Of(call); !strings.HasPrefix(said, "hashmap.Map."+strings.TrimSpace(name)+": called on a copy") {
				t.Errorf("%s of a copy, closed %t: %q", name, closed, said)
			}
		}
	}
	m = openFor[uint64, uint64](t)
	c = new(Map[uint64, uint64])
	if said := panics.Of(func() { c.Get(1) }); !strings.Contains(said, "was not made by New") {
		t.Error(said)
	}
	m.Close()
	if said := panics.Of(func() { m.Get(1) }); !strings.Contains(said, "the map is closed") {
		t.Error(said)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
