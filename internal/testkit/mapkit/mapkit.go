// Package mapkit contains tests that both maps of Coppice must pass: hashmap.Map and btree.Map.
package mapkit

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A Map is the set of methods that both maps have.
type Map[K, V any] interface {
	Get(k K) (V, bool)
	Set(k K, v V)
	TrySet(k K, v V) error
	Delete(k K) bool
	All() iter.Seq2[K, V]
	Len() int
	Verify() error
	Save(path string) error
	Close() error
}

// A Kind describes one of the two maps, with a given key type, to the tests.
type Kind[K any, M Map[K, uint64]] struct {
	New   func() M
	Open  func(path string, verify bool) (M, error)
	Stats func(M) Stats

	Invalid, Mismatch, Full error // the errors that errors of the map wrap
}

// Stats are the statistics that both maps report.
type Stats struct {
	Len       int
	TextBytes uint64
	Verified  bool
}

// Number returns the i-th key of a map with integer keys.
func Number(i int) uint64 { return uint64(i) * 77 }

// Text returns the i-th key of a map with string keys.
func Text(i int) string { return fmt.Sprintf("text-of-some-length %d", i*i) }

// Saved adds n entries with the value v to m, deletes a tenth of them, and saves m. It returns the
// path of the file. It skips the test if maps cannot be saved on this system.
func Saved[K, V any, M Map[K, V]](t *testing.T, m M, n int, key func(int) K, v V) (path string) {
	t.Helper()
	for i := range n {
		m.Set(key(i), v)
	}
	for i := range n / 10 {
		m.Delete(key(i * 7))
	}
	path = filepath.Join(t.TempDir(), "map")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// saved saves a new map with n entries, like Saved. All values are 1.
func (k Kind[K, M]) saved(t *testing.T, n int, key func(int) K) string {
	t.Helper()
	m := k.New()
	defer m.Close()
	return Saved(t, m, n, key, uint64(1))
}

// Container describes the map for package damage.
func (k Kind[K, M]) Container(verify bool) damage.Container {
	return damage.Container{Invalid: k.Invalid, Mismatch: k.Mismatch,
		Open: func(path string) error { return damage.Closed(k.Open(path, verify)) }}
}
