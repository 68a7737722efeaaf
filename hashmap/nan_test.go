package hashmap

import (
	"errors"
	"math"
	"path/filepath"
	"testing"
)

// complexKey is a key type with a floating-point field that is not the first field.
type complexKey struct {
	A uint16
	B complex64
}

// nans returns a map with n equal-looking keys that do not equal themselves, with the values 0 to
// n-1, and the key other with the value -1.
func nans[K comparable](t *testing.T, n int, nan, other K) *Map[K, int64] {
	t.Helper()
	m := openFor[K, int64](t)
	for i := range n {
		m.Set(nan, int64(i))
	}
	m.Set(other, -1)
	return m
}

// TestKeysThatAreNotEqualToThemselves verifies that every Set of a NaN adds an entry, and that
// pages of NaNs are as full as other pages. Such a Set does not compare the key with the existing
// NaNs.
func TestKeysThatAreNotEqualToThemselves(t *testing.T) {
	t.Run("float64", func(t *testing.T) { notEqual(t, math.NaN(), 1) })
	t.Run("float32", func(t *testing.T) { notEqual(t, float32(math.NaN()), 1) })
	t.Run("struct", func(t *testing.T) { notEqual(t, complexKey{1, complex(1, float32(math.NaN()))}, complexKey{}) })
	t.Run("array", func(t *testing.T) { notEqual(t, [2]float64{1, math.NaN()}, [2]float64{}) })
}

func notEqual[K comparable](t *testing.T, nan, other K) {
	const n = 20_000
	m := nans(t, n, nan, other)
	if _, ok := m.Get(nan); ok || m.Has(nan) || m.Delete(nan) || m.Len() != n+1 {
		t.Error("a NaN is found, or does not count")
	}
	if s := m.Stats(); s.Slots > 4*n || s.Directory > 1<<8 {
		t.Errorf("%d NaNs take %+v", n, s)
	}
	for i := uint64(0); i < uint64(len(m.dir)); i += m.width(m.dir[i]) {
		if m.dir[i].log() > m.maxLog {
			t.Fatalf("a page has 2^%d groups: its keys have one hash", m.dir[i].log())
		}
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	c, err := m.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	same(t, c, n)
	path := filepath.Join(t.TempDir(), "map")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	saved, err := OpenFile[K, int64](path, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	same(t, saved, n)
	for range n {
		saved.Set(nan, 0)
	}
	if saved.Len() != 2*n+1 || saved.Verify() != nil {
		t.Error(saved.Len(), saved.Verify())
	}
}

// same verifies that m contains exactly the entries that nans has added.
func same[K comparable](t *testing.T, m *Map[K, int64], n int) {
	t.Helper()
	seen := make(map[int64]bool, n+1)
	for k, v := range m.All() {
		if seen[v] || (k == k) != (v == -1) {
			t.Fatalf("%v with %d", k, v)
		}
		seen[v] = true
	}
	if len(seen) != n+1 {
		t.Errorf("%d entries of %d", len(seen), n+1)
	}
}

// TestLoopsOverNaNsThatChangeTheMap verifies that a loop that changes the map yields each existing
// NaN once, as with Go's map, even if the NaN's page grows meanwhile. After Clear, the loop must
// not yield any.
func TestLoopsOverNaNsThatChangeTheMap(t *testing.T) {
	for _, n := range []int{10, 5000} {
		m := nans(t, n, math.NaN(), 1)
		seen, added := make(map[int64]int), 0
		for k, v := range m.All() {
			if v >= 0 && v < int64(n) {
				seen[v]++
			}
			if m.Set(1, -1); k == 1 {
				m.Delete(1)
			}
			if added < 2*n {
				m.Set(math.NaN(), int64(n+added))
				added++
			}
		}
		for v, times := range seen {
			if times != 1 {
				t.Errorf("the NaN of %d came %d times", v, times)
			}
		}
		if len(seen) != n {
			t.Errorf("%d NaNs of %d came", len(seen), n)
		}
		count := 0
		for range m.All() {
			m.Clear()
			count++
		}
		if count != 1 {
			t.Errorf("%d entries came after Reset", count-1)
		}
	}
}
