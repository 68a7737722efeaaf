package btree

import "github.com/coppice-go/coppice/internal/checks"

// GetAt returns the entry at an index, and false if the index is out of range. Entries are indexed
// in ascending order of their keys; the smallest key has index 0. GetAt reads one node per level,
// and allocates if keys are strings. It panics if the Map is not ranked (Options.Ranked).
func (m *Map[K, V]) GetAt(index int) (K, V, bool) {
	m.use("btree.Map.GetAt")
	return m.getAt("btree.Map.GetAt", index)
}

// Rank returns the number of keys that are less than k: the index of k if it is present, and
// otherwise the index that it would have. Rank(b) - Rank(a) is the number of entries in Range(a,
// b). Rank costs as much as Get, and panics if the Map is not ranked (Options.Ranked).
func (m *Map[K, V]) Rank(k K) int {
	m.use("btree.Map.Rank")
	return m.rank("btree.Map.Rank", &k)
}

// DeleteAt deletes the entry at an index and returns it. It returns false if the index is out of
// range. It costs as much as GetAt and Delete together, and panics as they do.
func (m *Map[K, V]) DeleteAt(index int) (K, V, bool) {
	const where = "btree.Map.DeleteAt"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	k, v, ok := m.getAt(where, index)
	return m.pop(where, k, v, ok)
}

// GetAt is like [Map.GetAt].
func (s *Snapshot[K, V]) GetAt(index int) (K, V, bool) {
	return s.use("btree.Snapshot.GetAt").getAt("btree.Snapshot.GetAt", index)
}

// Rank is like [Map.Rank].
func (s *Snapshot[K, V]) Rank(k K) int {
	return s.use("btree.Snapshot.Rank").rank("btree.Snapshot.Rank", &k)
}

func (r *reader[K, V]) getAt(where string, index int) (k K, v V, ok bool) {
	r.mustCount(where)
	if uint(index) >= uint(r.view.length) {
		return k, v, false
	}
	n, at := r.view.nth(index)
	return r.keyAt(n, at), *valueAt[V](n, &r.view.shape, at), true
}

func (r *reader[K, V]) rank(where string, k *K) int {
	r.mustCount(where)
	p := r.probeOf(k)
	return r.view.rank(&p)
}

// mustCount panics if nodes have no counts.
func (r *reader[K, V]) mustCount(where string) {
	if !r.view.ranked {
		panic(where + ": the map is not ranked; set Options.Ranked where it is made or opened")
	}
}
