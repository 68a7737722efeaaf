package maptest_test

import (
	"iter"
	"maps"

	"github.com/coppice-go/coppice/maptest"
)

// A plain is a Go map, described as a maptest.Map.
type plain[K comparable, V any] struct{ entries map[K]V }

func newPlain[K comparable, V any]() *plain[K, V] { return &plain[K, V]{map[K]V{}} }

func (m *plain[K, V]) get(k K) (V, bool) {
	v, ok := m.entries[k]
	return v, ok
}

func (m *plain[K, V]) remove(k K) bool {
	_, ok := m.entries[k]
	delete(m.entries, k)
	return ok
}

func (m *plain[K, V]) getOrSet(k K, v V) (V, bool) {
	if old, ok := m.entries[k]; ok {
		return old, true
	}
	m.entries[k] = v
	return v, false
}

func (m *plain[K, V]) clone() (maptest.Map[K, V], error) {
	return (&plain[K, V]{maps.Clone(m.entries)}).described(), nil
}

func (m *plain[K, V]) described() maptest.Map[K, V] {
	return maptest.Map[K, V]{
		Set: func(k K, v V) { m.entries[k] = v }, Get: m.get, Len: func() int { return len(m.entries) },
		All:    func() iter.Seq2[K, V] { return maps.All(m.entries) },
		Delete: m.remove, GetOrSet: m.getOrSet, Clear: func() { clear(m.entries) }, Close: func() error { return nil },
		Clone: m.clone, Reopen: m.clone, Changes: true,
	}
}

func plains[K comparable, V any]() maptest.Map[K, V] { return newPlain[K, V]().described() }
