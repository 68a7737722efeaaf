package btree

import (
	"cmp"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/vmem"
)

// kindOf describes the Map of this package to the tests in mapkit, which hashmap.Map also passes.
func kindOf[K string | uint64]() mapkit.Kind[K, *Map[K, uint64]] {
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

// made returns a new Map.
func made[K cmp.Ordered]() *Map[K, uint64] { return Must(New[K, uint64](Options{})) }

func number(i int) uint64 { return mapkit.Number(i) }

func text(i int) string { return mapkit.Text(i) }

// saved saves a map to which n entries were added and from which some were deleted. It returns the
// path of the file.
func saved[K string | uint64, V any](t *testing.T, n int, key func(int) K, v V) string {
	t.Helper()
	return mapkit.Saved(t, openFor[K, V](t), n, key, v)
}

// Strings are never moved in memory, so a map may keep as much string memory as its largest
// generation needed.
func TestDriftingKeys(t *testing.T) { mapkit.Drift(t, kindOf[string](), false) }

func TestFlippedBits(t *testing.T) { mapkit.Bits(t, kindOf[string]()) }

func TestOpenedMapsAreOnesOwn(t *testing.T) { mapkit.Own(t, kindOf[string](), 1000) }

func TestVerifiedIsSaid(t *testing.T) { mapkit.Verified(t, kindOf[uint64]()) }

// TestKindsOfFiles verifies that opening a file of another program, or one with other types,
// returns the documented error.
func TestKindsOfFiles(t *testing.T) {
	damage.KindsOfImages(t, saved(t, 500, text, uint64(1)), kindOf[string]().Container, saved(t, 500, number, uint64(1)))
}

func TestHugePages(t *testing.T) {
	mapkit.HugePages(t, func(path string, huge vmem.HugePages) (*Map[string, uint64], error) {
		if path != "" {
			return OpenFile[string, uint64](path, Options{HugePages: huge})
		}
		return New[string, uint64](Options{HugePages: huge})
	}, func(m *Map[string, uint64]) vmem.HugePages { return m.tree.huge })
}
