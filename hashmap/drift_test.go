package hashmap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// Texts of keys whose lengths drift from generation to generation take at most one and a half times the memory that they take in a fresh Map.
func TestDriftingKeys(t *testing.T) {
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
		m := New[string, uint64]()
		keys := make([]string, n)
		for g := range generations {
			for i := range keys {
				m.Delete(keys[i])
				keys[i] = fmt.Sprintf("%d.%d.", g, i)
				keys[i] += strings.Repeat("x", max(0, length(g)-len(keys[i])))
				m.Set(keys[i], uint64(i))
			}
			fresh := New[string, uint64]()
			for i, k := range keys {
				fresh.Set(k, uint64(i))
			}
			was, now := fresh.Stats(), m.Stats()
			if float64(now.TextBytes) > 1.5*float64(was.TextBytes) {
				t.Errorf("%s: in generation %d it has %+v, and a fresh one %+v", name, g, now, was)
				break
			}
			if err := fresh.Close(); err != nil {
				t.Fatal(err)
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
