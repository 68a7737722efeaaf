package hashmap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTryFormsOfAFullMap verifies that the Try methods return an error when the map is full,
// whereas the others panic, and that the map does not change.
func TestTryFormsOfAFullMap(t *testing.T) {
	m := Must(New[uint64, uint64](Options{Max: 2}))
	defer m.Close()
	m.Set(1, 10)
	m.Set(2, 20)
	double := func(v uint64, _ bool) uint64 { return 2 * v }
	if v, found, err := m.TryGetOrSet(1, 5); v != 10 || !found || err != nil {
		t.Error(v, found, err)
	}
	if v, found, err := m.TryGetOrSet(3, 5); v != 5 || found || !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "hashmap.Map.TryGetOrSet: ") {
		t.Error(v, found, err)
	}
	if err := m.TryUpdate(2, double); err != nil {
		t.Error(err)
	}
	if err := m.TryUpdate(3, double); !errors.Is(err, ErrFull) || strings.Count(err.Error(), "hashmap.Map.") != 1 {
		t.Error(err)
	}
	if keys, values := slices.Sorted(m.Keys()), slices.Sorted(m.Values()); !slices.Equal(keys, []uint64{1, 2}) || !slices.Equal(values, []uint64{10, 40}) {
		t.Error(keys, values)
	}
	for range m.Keys() {
		break
	}
	for range m.Values() {
		break
	}
}

func TestShardedHasWhatAMapHas(t *testing.T) {
	s := Must(NewSharded[string, uint64](Options{Shards: 4, Max: 100_000}))
	defer s.Close()
	for i := range uint64(1000) {
		s.Set(fmt.Sprint(i), i)
	}
	if !s.Has("999") || s.Has("1000") {
		t.Error("Has finds another key, or not its own")
	}
	if st := s.Stats(); st.Len != 1000 || st.Slots < 1000 || st.Committed < st.PageBytes+st.TextBytes || st.Verified {
		t.Errorf("%+v", st)
	}
	c, err := s.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s.Set("0", 7)
	s.Delete("1")
	if v, ok := c.Get("0"); v != 0 || !ok || !c.Has("1") || c.Len() != 1000 {
		t.Error("a clone has what became of its original")
	}
	if keys := slices.Collect(c.Keys()); len(keys) != 1000 || len(slices.Compact(slices.Sorted(c.Values()))) != 1000 {
		t.Error(len(keys))
	}
	if v, found, err := s.TryGetOrSet("new", 3); v != 3 || found || err != nil {
		t.Error(v, found, err)
	}
	if err := s.TryUpdate("new", func(v uint64, ok bool) uint64 { return v + 1 }); err != nil {
		t.Error(err)
	}
	if v, _ := s.Get("new"); v != 4 {
		t.Error(v)
	}
	full := Must(NewSharded[uint64, uint64](Options{Shards: 1, Max: 1}))
	defer full.Close()
	var last error
	for i := uint64(0); last == nil && i < 10_000; i++ {
		_, _, last = full.TryGetOrSet(i, i)
	}
	if n := full.Len(); !errors.Is(last, ErrFull) || !errors.Is(full.TryUpdate(1<<40, func(v uint64, _ bool) uint64 { return v }), ErrFull) || full.Len() != n {
		t.Error(last, n)
	}
}
