package hashmap

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/mapkit"
)

// TestMutatedTexts verifies that a damaged file either is rejected, or yields a Texts on which
// every operation terminates.
func TestMutatedTexts(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { mutatedTexts(t, number) })
	t.Run("string", func(t *testing.T) { mutatedTexts(t, text) })
}

func mutatedTexts[K string | uint64](t *testing.T, key func(int) K) {
	kind := mapkit.Kind[K, mapkit.Numbered[K]]{
		New: func() mapkit.Numbered[K] { return mapkit.Numbered[K]{Map: Must(NewTexts[K, string](Options{}))} },
		Open: func(path string, verify bool) (mapkit.Numbered[K], error) {
			m, err := OpenTextsFile[K, string](path, Options{Verify: verify})
			return mapkit.Numbered[K]{Map: m}, err
		},
		Invalid: ErrInvalid, Mismatch: ErrMismatch, Full: ErrFull,
	}
	mapkit.Mutate(t, mapkit.Mutation[K, mapkit.Numbered[K]]{Kind: kind, Key: key, Most: 1500,
		Use: func(m mapkit.Numbered[K]) { useTexts(m.Map.(*Texts[K, string]), key) }})
}

// useTexts calls the methods of a Texts that may be damaged.
func useTexts[K string | uint64](m *Texts[K, string], key func(int) K) {
	_ = m.Verify()
	for i := range 200 {
		m.Get(key(i * 3))
		m.Delete(key(i * 5))
		if m.TrySet(key(i*7), strings.Repeat("v", i)) != nil {
			break
		}
	}
	for k := range m.Keys() {
		m.View(k, func([]byte) {})
	}
	for range m.AllBytes() {
	}
	if c, err := m.Clone(); err == nil {
		c.Close()
	}
}
