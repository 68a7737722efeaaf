package btree

import (
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// An Iter moves forward and backward in a Map or a Snapshot, from any key:
//
//	it := m.Iter()
//	for ok := it.Seek(k); ok; ok = it.Next() {
//		fmt.Println(it.Key(), it.Value())
//	}
//
// An Iter is positioned at an entry, before the first one or after the last one. A new Iter has no
// position. A change to the Map does not move the Iter, even if the change is made with another
// Iter. Key stays the same, even if its entry is deleted. Next then moves to the smallest key that
// is greater than Key, and Prev to the largest key that is less than Key. The first step after a
// change costs as much as Seek, because it searches for its position; other steps do not search. If
// the Map or the Snapshot is closed, all methods except Key panic with a message that reports this.
//
// An Iter may be used by one goroutine at a time. It need not be closed. Other goroutines may read
// the Map at the same time, with their own Iters. With string keys, Next makes one allocation for
// up to 64 keys, as All does; to keep a single key, make a copy with strings.Clone. The names
// First, Last, Seek, Next, Prev, Key and Value are taken from github.com/tidwall/btree.
type Iter[K, V any] struct {
	_     layout.NoCopy
	w     walk[K, V]
	m     *Map[K, V] // nil for a Snapshot
	key   K
	leaf  uint32 // the node of the entry
	at    int    // its index in the leaf
	count int    // number of entries in the leaf; 0 if the Iter is not at an entry
	place place
	whole bool // keys are integers of 8 bytes
	down  bool // the last step was backward
}

// A place records whether an Iter is at an entry, before the first one, after the last one, or has
// no position yet.
type place uint8

// The possible values of a place.
const (
	nowhere place = iota // a new Iter
	onEntry
	beforeFirst
	behindLast
)

// Iter returns a new Iter, which has no position yet. Next moves it to the first entry, and Prev to
// the last.
func (m *Map[K, V]) Iter() *Iter[K, V] {
	m.use("btree.Map.Iter")
	return &Iter[K, V]{m: m, whole: m.whole(), w: walk[K, V]{r: &m.reader, changes: m.changes}}
}

// Iter is like [Map.Iter]. SetValue and Delete panic.
func (s *Snapshot[K, V]) Iter() *Iter[K, V] {
	r := s.use("btree.Snapshot.Iter")
	return &Iter[K, V]{whole: r.whole(), w: walk[K, V]{r: r, changes: r.changes}}
}

// First moves to the first entry, and reports whether there is one. It reads one node per level.
func (it *Iter[K, V]) First() bool {
	it.use("btree.Iter.First")
	return it.begin(span[K]{}, forward)
}

// Last moves to the last entry, and reports whether there is one. It costs the same as First.
func (it *Iter[K, V]) Last() bool {
	it.use("btree.Iter.Last")
	return it.begin(span[K]{}, backward)
}

// Seek moves to the entry with the smallest key that is at least k, and reports whether there is
// one. If not, the Iter is after the last entry. Seek costs as much as Get.
func (it *Iter[K, V]) Seek(k K) bool {
	it.use("btree.Iter.Seek")
	return it.begin(span[K]{from: k, hasFrom: true}, forward)
}

// Next moves to the next entry, and reports whether there is one. If not, the Iter is after the
// last entry, and Prev moves back to that entry. A new Iter moves to the first entry.
func (it *Iter[K, V]) Next() bool {
	if it.at+1 < it.count && *it.w.changes == it.w.seen {
		it.at++
		if it.whole {
			it.key = integerOf[K](it.here().word64(it.at) ^ it.w.r.form.flip)
		} else {
			it.load(forward)
		}
		return true
	}
	it.use("btree.Iter.Next")
	return it.step(forward)
}

// Prev moves to the previous entry, and reports whether there is one. If not, the Iter is before
// the first entry, and Next moves to that entry. A new Iter moves to the last entry.
func (it *Iter[K, V]) Prev() bool {
	if it.at > 0 && it.count > 0 && *it.w.changes == it.w.seen {
		it.at--
		if it.whole {
			it.key = integerOf[K](it.here().word64(it.at) ^ it.w.r.form.flip)
		} else {
			it.load(backward)
		}
		return true
	}
	it.use("btree.Iter.Prev")
	return it.step(backward)
}

// Key returns the current key, or the zero value if the Iter is not at an entry. It does not access
// the Map.
func (it *Iter[K, V]) Key() K { return it.key }

// Value returns the value that the Map currently has for Key. It returns the zero value if the
// entry was deleted, or if the Iter is not at an entry. It costs a load from memory, or as much as
// Get if the Map has changed.
func (it *Iter[K, V]) Value() (v V) {
	if it.count > 0 && *it.w.changes == it.w.seen {
		return *valueAt[V](it.here(), &it.w.r.view.shape, it.at)
	}
	if it.use("btree.Iter.Value"); it.place == onEntry {
		v, _ = it.w.r.get(it.key)
	}
	return v
}

// SetValue replaces the value of the current entry, and reports whether the entry is present. It
// stores nothing if the entry was deleted, or if the Iter is not at an entry. It costs a store to
// memory, or as much as Set if the Map has changed or a snapshot is open. It panics in the same
// cases as Set.
func (it *Iter[K, V]) SetValue(v V) bool {
	const where = "btree.Iter.SetValue"
	m := it.changed(where)
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	if it.count > 0 && *it.w.changes == it.w.seen {
		n := it.here()
		if n.header().epoch > m.tree.held.newest.Load() { // no snapshot sees the node
			*valueAt[V](n, &m.view.shape, it.at) = v
			return true
		}
	}
	if it.place != onEntry {
		return false
	}
	if _, ok := m.get(it.key); !ok {
		return false
	}
	if _, _, err := m.put(where, &it.key, &v, true); err != nil {
		panic(where + ": " + err.Error())
	}
	return true
}

// Delete deletes the current entry, and reports whether it was present. The Iter keeps its
// position, so that Next moves to the entry that followed. It costs as much as Map.Delete, and
// panics in the same cases.
func (it *Iter[K, V]) Delete() bool {
	const where = "btree.Iter.Delete"
	m := it.changed(where)
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	if it.place != onEntry {
		return false
	}
	p := m.probeOf(&it.key)
	found, err := m.tree.remove(&p)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return found
}

// use panics if the Map or the Snapshot is closed, or if the Iter was not created by Map.Iter or
// Snapshot.Iter. The panic message begins with the caller's name, which is passed in where.
func (it *Iter[K, V]) use(where string) {
	if it.w.r == nil || it.w.r.view.top == 0 {
		panic(where + ": the map or the snapshot is closed, or the Iter was not made by their method Iter")
	}
}

// changed returns the Map that the Iter belongs to, so that the calling method can change it. It
// panics if the Iter belongs to a Snapshot.
func (it *Iter[K, V]) changed(where string) *Map[K, V] {
	if it.use(where); it.m == nil {
		panic(where + ": a snapshot cannot be changed; use an Iter of the map")
	}
	return it.m
}

// begin moves to the first entry that a loop over a span visits, and reports whether there is one.
// The loop is descending if down is true.
func (it *Iter[K, V]) begin(s span[K], down bool) bool {
	it.w.leaves, it.w.final, it.down = 0, false, down
	if it.w.batch != nil {
		it.w.batch.size = 0
	}
	it.w.start(it.w.r, s, down)
	return it.settle(down)
}

// step implements Next and Prev, except for the fast path: a step within a leaf of a Map that has
// not changed.
func (it *Iter[K, V]) step(down bool) bool {
	switch {
	case it.place == nowhere, it.place == beforeFirst && !down, it.place == behindLast && down:
		return it.begin(span[K]{}, down)
	case it.place != onEntry:
		return false
	}
	if it.down != down {
		it.w.leaves, it.down = 0, down
	}
	switch {
	case *it.w.changes != it.w.seen:
		it.w.again(it.key, down)
	case down:
		it.w.i = it.at - 1
	default:
		it.w.i, it.w.end = it.at+1, it.count
	}
	return it.settle(down)
}

// settle sets the current entry to the one that the walk has reached. It returns false if the walk
// has reached the end.
func (it *Iter[K, V]) settle(down bool) bool {
	if it.w.batch != nil {
		it.w.batch.first, it.w.batch.last = 0, 0
	}
	if !it.w.settle(down) {
		var none K
		it.key, it.at, it.count, it.place = none, 0, 0, behindLast
		if down {
			it.place = beforeFirst
		}
		return false
	}
	v := it.w.r.view
	it.leaf, it.at, it.place = it.w.c.path[v.height].node, it.w.i, onEntry
	it.count = v.count(v.node(it.leaf), true)
	it.load(down)
	return true
}

// here returns the leaf that contains the current entry. The Map must not have changed since settle
// found the entry.
func (it *Iter[K, V]) here() node { return it.w.r.view.at(&it.w.r.view.shape, it.leaf) }

// load sets the field key to the current entry's key.
func (it *Iter[K, V]) load(down bool) {
	r := it.w.r
	n := it.here()
	switch {
	case it.whole:
		it.key = integerOf[K](n.word64(it.at) ^ r.form.flip)
	case r.view.mode == stringed:
		it.loadText(n, down)
	default:
		it.key = r.keyAt(n, it.at)
	}
}

func (it *Iter[K, V]) loadText(n node, down bool) {
	if it.w.batch == nil {
		it.w.batch = new(batch)
	}
	b := it.w.batch
	if it.at < b.first || it.at >= b.last {
		b.fill(it.w.r.view, n, it.at, 0, it.count, down)
	}
	it.key = textKey[K](b.keys[it.at-b.first])
}
