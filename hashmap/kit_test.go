package hashmap

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/vmem"
)

// kindOf describes Map for the tests in package mapkit, which all maps of the library share.
func kindOf[K comparable]() mapkit.Kind[K, *Map[K, uint64]] {
	return mapkit.Kind[K, *Map[K, uint64]]{
		New: made[K],
		Open: func(path string, verify bool) (*Map[K, uint64], error) {
			return OpenFile[K, uint64](path, Options{Verify: verify})
		},
		Stats: func(m *Map[K, uint64]) mapkit.Stats {
			s := m.Stats()
			return mapkit.Stats{Len: s.Len, TextBytes: s.TextBytes, Verified: s.Verified}
		},
		Invalid: ErrInvalid, Mismatch: ErrMismatch, Full: ErrFull,
	}
}

func made[K comparable]() *Map[K, uint64] { return Must(New[K, uint64](Options{})) }

func number(i int) uint64 { return mapkit.Number(i) }

func text(i int) string { return mapkit.Text(i) }

// saved returns the path of a file with a map to which n entries were added, and from which some
// were deleted.
func saved[K comparable, V any](t *testing.T, n int, key func(int) K, v V) string {
	t.Helper()
	return mapkit.Saved(t, openFor[K, V](t), n, key, v)
}

// TestDriftingKeys verifies that a Map moves strings, so that after many changes they use little
// more memory than in a new Map.
func TestDriftingKeys(t *testing.T) { mapkit.Drift(t, kindOf[string](), true) }

func TestFlippedBits(t *testing.T) { mapkit.Bits(t, kindOf[string]()) }

func TestSaveAndOpen(t *testing.T) { mapkit.Own(t, kindOf[string](), 5000) }

func TestVerifiedIsSaid(t *testing.T) { mapkit.Verified(t, kindOf[uint64]()) }

// TestKindsOfFiles verifies that OpenFile returns the documented error for a file that does not
// contain a map, or contains a map with other types.
func TestKindsOfFiles(t *testing.T) {
	damage.KindsOfImages(t, saved(t, 500, text, uint64(1)), kindOf[string]().Container, saved(t, 500, number, uint64(1)))
}

func TestHugePages(t *testing.T) {
	mapkit.HugePages(t, func(path string, huge vmem.HugePages) (*Map[string, uint64], error) {
		if path != "" {
			return OpenFile[string, uint64](path, Options{HugePages: huge})
		}
		return New[string, uint64](Options{HugePages: huge})
	}, func(m *Map[string, uint64]) vmem.HugePages { return m.huge })
}
