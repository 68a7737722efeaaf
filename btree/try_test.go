package btree

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestTryFormsOfAFullMap verifies that, if the map is full, the methods whose names begin with Try
// return the error with which the other methods panic, and do not change the map.
func TestTryFormsOfAFullMap(t *testing.T) {
	m := Must(New[uint64, uint64](Options{Max: 2}))
	defer m.Close()
	m.Set(1, 10)
	m.Set(2, 20)
	double := func(v uint64, _ bool) uint64 { return 2 * v }
	if v, found, err := m.TryGetOrSet(1, 5); v != 10 || !found || err != nil {
		t.Error(v, found, err)
	}
	if v, found, err := m.TryGetOrSet(3, 5); v != 5 || found || !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "btree.Map.TryGetOrSet: ") {
		t.Error(v, found, err)
	}
	if err := m.TryUpdate(2, double); err != nil {
		t.Error(err)
	}
	if err := m.TryUpdate(3, double); !errors.Is(err, ErrFull) || strings.Count(err.Error(), "btree.Map.") != 1 {
		t.Error(err)
	}
	s := m.Snapshot()
	defer s.Close()
	if found, err := m.TryDelete(3); found || err != nil {
		t.Error(found, err)
	}
	if found, err := m.TryDelete(1); !found || err != nil {
		t.Error(found, err)
	}
	if keys, values := slices.Collect(m.Keys()), slices.Collect(m.Values()); !slices.Equal(keys, []uint64{2}) || !slices.Equal(values, []uint64{40}) {
		t.Error(keys, values)
	}
	if keys, values := slices.Collect(s.Keys()), slices.Collect(s.Values()); !slices.Equal(keys, []uint64{1, 2}) || !slices.Equal(values, []uint64{10, 40}) {
		t.Error(keys, values)
	}
}
