package hashmap

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/mapkit"
)

// TestMutatedFiles verifies that a damaged file either is rejected, or yields a map on which every
// operation terminates.
func TestMutatedFiles(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { mutated(t, number) })
	t.Run("string", func(t *testing.T) { mutated(t, text) })
	t.Run("odd", func(t *testing.T) {
		mutated(t, func(i int) odd {
			return odd{A: uint8(i), B: float32(i / 512), C: [2]uint8{uint8(i >> 3)}, D: i&256 > 0}
		})
	})
}

func mutated[K comparable](t *testing.T, key func(int) K) {
	mapkit.Mutate(t, mapkit.Mutation[K, *Map[K, uint64]]{Kind: kindOf[K](), Key: key, Most: 2500,
		Use: func(m *Map[K, uint64]) { use(m, key, 200) }})
}
