package btree

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// TestAllBytes verifies that AllBytes yields the same entries as All, in the same order, and does
// not allocate memory for keys.
func TestAllBytes(t *testing.T) {
	m := made[string]()
	defer m.Close()
	mapkit.Lent(t, m.All(), m.AllBytes(), 4)
	for i := range 5000 {
		m.Set(text(i)+strings.Repeat("x", i%200), uint64(i))
	}
	s := m.Snapshot()
	defer s.Close()
	mapkit.Lent(t, m.All(), m.AllBytes(), 4)
	mapkit.Lent(t, s.All(), s.AllBytes(), 4)
	var keys []string
	for k := range m.AllBytes() {
		keys = append(keys, string(k))
	}
	if !slices.Equal(keys, slices.Collect(m.Keys())) {
		t.Error("keys come in another order")
	}
	mapkit.LentAndChanged(t, m, m.AllBytes())
	mapkit.Lent(t, s.All(), s.AllBytes(), 4)
	n := made[uint64]()
	defer n.Close()
	ns := n.Snapshot()
	defer ns.Close()
	for want, f := range map[string]func(){
		"btree.Map.AllBytes: keys are not strings":      func() { n.AllBytes() },
		"btree.Snapshot.AllBytes: keys are not strings": func() { ns.AllBytes() },
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
