package mapkit

import (
	"bytes"
	"iter"
	"maps"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// Lent compares two iterators over the same map: lent, which yields keys as bytes, and all. They
// must yield the same entries. An iteration with lent must not allocate more than most times,
// regardless of the number of entries, and the capacity of each key must equal its length. In
// checked builds, a key that the test keeps must be overwritten.
func Lent(t *testing.T, all iter.Seq2[string, uint64], lent iter.Seq2[[]byte, uint64], most float64) {
	t.Helper()
	got := map[string]uint64{}
	var kept, first []byte
	for k, v := range lent {
		if kept == nil {
			kept, first = k, bytes.Clone(k)
		} else if checks.Enabled && (len(kept) != len(first) || len(kept) > 0 && !bytes.Equal(kept, bytes.Repeat([]byte{0xDB}, len(kept)))) {
			t.Fatalf("a key that was kept is %q after the next step", kept)
		}
		if cap(k) != len(k) {
			t.Fatalf("%q has room for %d bytes of the next keys", k, cap(k)-len(k))
		}
		got[string(k)] = v
	}
	if want := maps.Collect(all); !maps.Equal(got, want) {
		t.Errorf("the lent entries (%d) differ from those of All (%d)", len(got), len(want))
	}
	for k := range lent {
		if !bytes.Equal(k, first) {
			t.Errorf("a second loop begins with %q, want %q", k, first)
		}
		break
	}
	if n := testing.AllocsPerRun(10, func() {
		for range lent {
		}
	}); n > most && !checks.Enabled {
		t.Errorf("%v allocations, want at most %v", n, most)
	}
}

// LentAndChanged changes the map during an iteration with lent, which yields keys as bytes. It
// deletes each key that is yielded and adds other keys, which need not be yielded. Every original
// key must be yielded exactly once.
func LentAndChanged(t *testing.T, m Map[string, uint64], lent iter.Seq2[[]byte, uint64]) {
	t.Helper()
	there, seen := maps.Collect(m.All()), map[string]bool{}
	for k := range lent {
		text := string(k)
		if _, old := there[text]; !old {
			continue
		}
		if seen[text] {
			t.Fatalf("%q comes twice", text)
		}
		seen[text] = true
		if m.Delete(text) && len(seen) < 1000 {
			m.Set("", uint64(len(seen)))
			m.Set("~"+text[:1], 1)
		}
	}
	for k := range there {
		if !seen[k] {
			t.Fatalf("%q does not come", k)
		}
	}
}
