package mapkit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// Drift repeatedly replaces all keys of a map with new keys of different lengths. The map may use
// at most one and a half times the string memory of a new map with the same keys. If textsMove is
// false, the limit is one and a half times the maximum over all generations so far.
func Drift[M Map[string, uint64]](t *testing.T, kind Kind[string, M], textsMove bool) {
	n, generations := 3000, 30
	if testsize.Full() {
		n, generations = 100_000, 100
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, length := range map[string]func(generation int) int{
		"longer":  func(g int) int { return 12 + g },
		"shorter": func(g int) int { return 130 - 100*g/generations },
		"waves":   func(g int) int { return 20 + 9*(g%5) + random.IntN(20) },
	} {
		m := kind.New()
		keys, peak := make([]string, n), uint64(0)
		for g := range generations {
			for i := range keys {
				m.Delete(keys[i])
				keys[i] = fmt.Sprintf("%d.%d.", g, i)
				keys[i] += strings.Repeat("x", max(0, length(g)-len(keys[i])))
				m.Set(keys[i], uint64(i))
			}
			was, now := kind.fresh(t, keys), kind.Stats(m)
			if peak = max(peak, was.TextBytes); textsMove {
				peak = was.TextBytes
			}
			if float64(now.TextBytes) > 1.5*float64(peak) {
				t.Errorf("%s: in generation %d it has %+v, and a fresh one %+v", name, g, now, was)
				break
			}
		}
		for i, k := range keys {
			if v, ok := m.Get(k); !ok || v != uint64(i) {
				t.Fatalf("%s: %q is %d, %v", name, k, v, ok)
			}
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fresh returns the statistics of a new map that contains only the given keys.
func (k Kind[K, M]) fresh(t *testing.T, keys []K) Stats {
	t.Helper()
	m := k.New()
	for i, key := range keys {
		m.Set(key, uint64(i))
	}
	s := k.Stats(m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}
