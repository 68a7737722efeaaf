package btree

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/mapkit"
)

// TestMutatedFiles damages files at random. Opening a damaged file either fails or returns a map.
// All operations on that map must terminate, and may panic only with a message that the file is
// damaged.
func TestMutatedFiles(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { mutated(t, number) })
	t.Run("string", func(t *testing.T) { mutated(t, text) })
	t.Run("longString", func(t *testing.T) {
		mutated(t, func(i int) string { return fmt.Sprintf("%0*d", 1+i*i%400, i) })
	})
}

func mutated[K string | uint64](t *testing.T, key func(int) K) {
	mapkit.Mutate(t, mapkit.Mutation[K, *Map[K, uint64]]{Kind: kindOf[K](), Key: key, Most: 1500, Order: ordered[K],
		Use: func(m *Map[K, uint64]) { use(m, key) }})
}

// ordered returns an error unless All yields ascending keys and Backward yields the same keys in
// reverse.
func ordered[K string | uint64](m *Map[K, uint64]) error {
	var up, down []K
	for k := range m.All() {
		if n := len(up); n > 0 && up[n-1] >= k {
			return fmt.Errorf("key %v comes after %v", k, up[n-1])
		}
		up = append(up, k)
	}
	for k := range m.Backward() {
		down = append(down, k)
	}
	if slices.Reverse(down); !slices.Equal(up, down) {
		return fmt.Errorf("%d keys, %d backward, or others", len(up), len(down))
	}
	return nil
}
