package hashmap

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// TestAllBytes verifies that AllBytes yields the same entries as All, and allocates nothing but its
// buffer.
func TestAllBytes(t *testing.T) {
	m, s := made[string](), Must(NewSharded[string, uint64](Options{Shards: 4}))
	defer m.Close()
	defer s.Close()
	mapkit.Lent(t, m.All(), m.AllBytes(), 4)
	for i := range 5000 {
		k := text(i) + strings.Repeat("x", i%200)
		m.Set(k, uint64(i))
		s.Set(k, uint64(i))
	}
	mapkit.Lent(t, m.All(), m.AllBytes(), 60) // the buffers for a page grow
	mapkit.Lent(t, s.All(), s.AllBytes(), 60)
	mapkit.LentAndChanged(t, m, m.AllBytes())
	mapkit.LentAndChanged(t, s, s.AllBytes())
	n, ns := made[uint64](), Must(NewSharded[uint64, uint64](Options{Shards: 1}))
	defer n.Close()
	defer ns.Close()
	for want, f := range map[string]func(){
		"hashmap.Map.AllBytes: keys are not strings":     func() { n.AllBytes() },
		"hashmap.Sharded.AllBytes: keys are not strings": func() { ns.AllBytes() },
		"hashmap.Map.AllBytes: the map is closed": func() {
			closed := made[string]()
			closed.Close()
			closed.AllBytes()
		},
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
