package btree

import (
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// An Iter goes to and fro in a Map or a Snapshot, from any key on:
//
//	it := m.Iter()
//	for ok := it.Seek(k); ok; ok = it.Next() {
//		fmt.Println(it.Key(), it.Value())
//	}
//
// It stands at an entry, before the first one, behind the last one, or, when it is new, at none. A
// change of the Map does not move it, whoever makes it: Key stays as it is, also if its entry is
// deleted, and Next goes to the least key that is greater then, Prev to the greatest that is less.
// The first step after a change costs a search, as Seek does; others cost no search. If the Map or
// the Snapshot is closed, it panics and says so.
//
// An Iter is for one goroutine at a time, and needs no Close. Other goroutines may read the Map
// meanwhile, with Iters of their own. With keys that are strings, Next makes one allocation for up
// to 64 keys, as All does; clone a key to keep it for long. Methods are named as those of tidwall's
// iterators.
type Iter[K, V any] struct {
	_     layout.NoCopy
	w     walk[K, V]
	m     *Map[K, V] // nil of a Snapshot
	key   K
	leaf  uint32 // the node of the entry
	at    int    // its place there
	count int    // and how many are there; 0 if it stands at no entry
	place place
	whole bool // keys are integers of 8 bytes
	down  bool // the last step went down
}

// A place is where an Iter stands.
type place uint8

// The places.
const (
	nowhere place = iota // it is new
	onEntry
	beforeFirst
	behindLast
)

// Iter returns an Iter that stands nowhere: Next goes to the first entry, and Prev to the last.
func (m *Map[K, V]) Iter() *Iter[K, V] {
	m.use("btree.Map.Iter")
	return &Iter[K, V]{m: m, whole: m.whole(), w: walk[K, V]{r: &m.reader, changes: m.changes}}
}

// Iter is [Map.Iter]. SetValue and Delete panic.
func (s *Snapshot[K, V]) Iter() *Iter[K, V] {
	r := s.use("btree.Snapshot.Iter")
	return &Iter[K, V]{whole: r.whole(), w: walk[K, V]{r: r, changes: r.changes}}
}

// First goes to the first entry, and reports whether there is one. It costs a look at one node of
// each floor.
func (it *Iter[K, V]) First() bool {
	it.use("btree.Iter.First")
	return it.begin(span[K]{}, forward)
}

// Last goes to the last entry, and reports whether there is one. It costs what First does.
func (it *Iter[K, V]) Last() bool {
	it.use("btree.Iter.Last")
	return it.begin(span[K]{}, backward)
}

// Seek goes to the entry with the least key of at least k, and reports whether there is one; if
// not, the Iter stands behind the last. It costs a Get.
func (it *Iter[K, V]) Seek(k K) bool {
	it.use("btree.Iter.Seek")
	return it.begin(span[K]{from: k, hasFrom: true}, forward)
}

// Next goes to the next entry, and reports whether there is one; if not, the Iter stands behind the
// last, where Prev goes to that. A new Iter goes to the first.
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

// Prev goes to the entry before, and reports whether there is one; if not, the Iter stands before
// the first, where Next goes to that. A new Iter goes to the last.
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

// Key returns the key that the Iter stands at, and the zero value if it is none. It costs nothing.
func (it *Iter[K, V]) Key() K { return it.key }

// Value returns the value that Key has now: the zero value if the entry was deleted, or if the Iter
// stands at none. It costs a load, and after a change of the Map a Get.
func (it *Iter[K, V]) Value() (v V) {
	if it.count > 0 && *it.w.changes == it.w.seen {
		return *valueAt[V](it.here(), &it.w.r.view.shape, it.at)
	}
	if it.use("btree.Iter.Value"); it.place == onEntry {
		v, _ = it.w.r.get(it.key)
	}
	return v
}

// SetValue puts a value under Key in place of the one that is there, and reports whether there is
// one: it puts none if the entry was deleted, or if the Iter stands at none. It costs a store, and
// a Set after a change of the Map or while a snapshot is open. It panics as Set does.
func (it *Iter[K, V]) SetValue(v V) bool {
	const where = "btree.Iter.SetValue"
	m := it.changed(where)
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	if it.count > 0 && *it.w.changes == it.w.seen {
		n := it.here()
		if n.header().epoch > m.tree.held.newest.Load() { // no snapshot sees it
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

// Delete takes the entry out that the Iter stands at, and reports whether it was there. The Iter
// stays, so that Next goes to the entry that came next. It costs what Map.Delete does, and panics
// as that does.
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

// use panics if there is nothing to read.
func (it *Iter[K, V]) use(where string) {
	if it.w.r == nil || it.w.r.view.top == 0 {
		panic(where + ": the map or the snapshot is closed, or the Iter was not made by their method Iter")
	}
}

// changed returns the map of an Iter that changes it.
func (it *Iter[K, V]) changed(where string) *Map[K, V] {
	if it.use(where); it.m == nil {
		panic(where + ": a snapshot cannot be changed; use an Iter of the map")
	}
	return it.m
}

// begin goes to where a span begins.
func (it *Iter[K, V]) begin(s span[K], down bool) bool {
	it.w.leaves, it.w.final, it.down = 0, false, down
	if it.w.batch != nil {
		it.w.batch.size = 0
	}
	it.w.start(it.w.r, s, down)
	return it.settle(down)
}

// step goes on from where the Iter stands, out of its leaf or after a change.
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

// settle makes the entry that the walk has come to that of the Iter, and reports whether there is
// one.
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

// here is the leaf of the entry, as long as nothing has changed since settle looked that there is
// one.
func (it *Iter[K, V]) here() node { return it.w.r.view.at(&it.w.r.view.shape, it.leaf) }

// load makes the key that of the entry.
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
