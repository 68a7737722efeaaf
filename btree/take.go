package btree

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// PopMin deletes the entry with the smallest key and returns it. It returns false if the Map is
// empty. It costs as much as Delete, plus reading the first leaf, and panics in the same cases as
// Delete.
func (m *Map[K, V]) PopMin() (K, V, bool) { return m.popFirst("btree.Map.PopMin", forward) }

// PopMax deletes the entry with the largest key and returns it. It returns false if the Map is
// empty. It costs the same as PopMin.
func (m *Map[K, V]) PopMax() (K, V, bool) { return m.popFirst("btree.Map.PopMax", backward) }

// popFirst deletes the first entry, or the last entry if down is true, and returns it.
func (m *Map[K, V]) popFirst(where string, down bool) (K, V, bool) {
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	k, v, ok := m.first(span[K]{}, down)
	return m.pop(where, k, v, ok)
}

// pop deletes the entry with key k if ok is true. It returns its arguments k, v and ok.
func (m *Map[K, V]) pop(where string, k K, v V, ok bool) (K, V, bool) {
	if ok {
		p := m.probeOf(&k)
		if _, err := m.tree.remove(&p); err != nil {
			panic(where + ": " + err.Error())
		}
	}
	return k, v, ok
}

// LoadAndDelete deletes a key, and returns its value and whether it was present. It costs as much
// as Get and Delete together, and panics as Delete does.
func (m *Map[K, V]) LoadAndDelete(k K) (v V, loaded bool) {
	const where = "btree.Map.LoadAndDelete"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	v, loaded = m.get(k)
	_, v, loaded = m.pop(where, k, v, loaded)
	return v, loaded
}

// DeleteRange deletes all entries with from <= key < to, and returns their number. For each entry,
// it costs as much as Delete; it copies no keys. It panics as Delete does; entries that were
// already deleted stay deleted.
func (m *Map[K, V]) DeleteRange(from, to K) (n int) {
	n, err := m.deleteRange("btree.Map.DeleteRange", &from, &to)
	if err != nil {
		panic("btree.Map.DeleteRange: " + err.Error())
	}
	return n
}

// TryDeleteRange is like DeleteRange but returns an error if there is no memory for the copies that
// an open snapshot needs. The first n entries of the range are then deleted, and the other entries
// are still present.
func (m *Map[K, V]) TryDeleteRange(from, to K) (n int, err error) {
	n, err = m.deleteRange("btree.Map.TryDeleteRange", &from, &to)
	if err != nil {
		return n, fmt.Errorf("btree.Map.TryDeleteRange: %w", err)
	}
	return n, nil
}

func (m *Map[K, V]) deleteRange(where string, from, to *K) (n int, err error) {
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	t, low, high := m.use(where), m.probeOf(from), m.probeOf(to)
	for {
		found, err := t.removeFirst(&low, &high)
		if err != nil || !found {
			return n, err
		}
		n++
	}
}

// removeFirst deletes the smallest key in the range [from, to), and reports whether there was one.
func (t *tree) removeFirst(from, to *probe) (found bool, err error) {
	if t.length == 0 {
		return false, nil
	}
	count, _ := t.descend(&t.cursor, from)
	if t.cursor.path[t.height].at >= count {
		more := false
		if count, more = t.next(&t.cursor); !more {
			return false, nil
		}
	}
	if last := t.cursor.path[t.height]; last.at >= t.bound(t.node(last.node), count, to) {
		return false, nil
	}
	return true, t.removeHere(count)
}

// A ComputeOp is the operation that the function passed to Compute requests.
type ComputeOp int

// The operations that the function passed to Compute can request.
const (
	CancelOp ComputeOp = iota // leave the entry unchanged
	UpdateOp                  // store the value under the key
	DeleteOp                  // delete the key
)

// Compute calls f with the value of k and true if the key is present, otherwise with the zero value
// and false. Depending on op, it stores the new value, deletes the key, or leaves the entry
// unchanged. It returns the resulting value, and whether the key is present. f may use the Map. If
// f panics, Compute changes nothing. Compute costs as much as Get together with Set or Delete. It
// panics as they do, and also if op is invalid.
func (m *Map[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	actual, ok, err := m.compute("btree.Map.Compute", k, f)
	if err != nil {
		panic("btree.Map.Compute: " + err.Error())
	}
	return actual, ok
}

// TryCompute is like Compute but returns an error, which wraps ErrFull, if there is no room. The
// only changes to the Map are then those that f itself made.
func (m *Map[K, V]) TryCompute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool, err error) {
	actual, ok, err = m.compute("btree.Map.TryCompute", k, f)
	if err != nil {
		return actual, ok, fmt.Errorf("btree.Map.TryCompute: %w", err)
	}
	return actual, ok, nil
}

func (m *Map[K, V]) compute(where string, k K, f func(V, bool) (V, ComputeOp)) (v V, ok bool, err error) {
	m.use(where)
	v, ok = m.get(k)
	next, op := f(v, ok)
	m.use(where) // f may have closed the Map
	if op == CancelOp {
		v, ok = m.get(k)
		return v, ok, nil
	}
	if op != UpdateOp && op != DeleteOp {
		panic(fmt.Sprintf("%s: there is no ComputeOp %d", where, op))
	}
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	if op == DeleteOp {
		p := m.probeOf(&k)
		if _, err := m.tree.remove(&p); err != nil {
			v, ok = m.get(k)
			return v, ok, err
		}
		var none V
		return none, false, nil
	}
	if _, _, err := m.put(where, &k, &next, true); err != nil {
		v, ok = m.get(k)
		return v, ok, err
	}
	return next, true, nil
}
