package btree

import (
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/layout"
)

// A Snapshot is a read-only view of a Map as it was when Map.Snapshot was called. Any number of
// goroutines may read the Snapshot, without locks, while another goroutine changes the Map. A
// Snapshot must be closed, because it keeps alive the nodes that the Map has since changed or
// removed. Map.Stats reports the memory that open snapshots keep alive. A Snapshot can be read
// after the Map is closed.
type Snapshot[K, V any] struct {
	_ layout.NoCopy
	reader[K, V]
	self   *Snapshot[K, V] // address of this Snapshot, to detect copies
	tree   *tree
	seen   *generation
	at     view
	ended  uint64 // change count that loops check: 0 while the snapshot is open, then 1
	closed atomic.Bool
}

// Snapshot returns a snapshot of the Map. It costs less than a microsecond and copies nothing. From
// then on, each change to the Map first copies the nodes from the root to the leaf that it changes,
// except nodes that were already copied since the latest call to Snapshot. Only the goroutine that
// may change the Map may call Snapshot; other goroutines may use the result.
func (m *Map[K, V]) Snapshot() *Snapshot[K, V] {
	return m.snapshot("btree.Map.Snapshot")
}

func (m *Map[K, V]) snapshot(where string) *Snapshot[K, V] {
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	t := m.use(where)
	s := &Snapshot[K, V]{tree: t, at: t.view}
	heap := *t.heap
	s.at.heap = &heap
	s.self = s
	s.reader = reader[K, V]{view: &s.at, form: m.form, order: m.order, changes: &s.ended}
	s.seen = t.held.enter(t.epoch)
	t.epoch++
	return s
}

// Close frees the nodes and strings that only this Snapshot kept alive. No goroutine may use it
// during or after Close. A second Close does nothing. The cost of Close depends only on the number
// of nodes and strings that were replaced while this Snapshot was the newest.
func (s *Snapshot[K, V]) Close() error {
	if s.tree == nil {
		return nil
	}
	if s.self != s {
		s.cannotUse("btree.Snapshot.Close")
	}
	if err := s.close(); err != nil {
		return fmt.Errorf("btree.Snapshot.Close: %w", err)
	}
	return nil
}

func (s *Snapshot[K, V]) close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.ended, s.at.memory = 1, memory{}
	return s.tree.held.exit(s.seen)
}

func (s *Snapshot[K, V]) use(where string) *reader[K, V] {
	if s.self != s || s.closed.Load() {
		s.cannotUse(where)
	}
	return &s.reader
}

func (s *Snapshot[K, V]) cannotUse(where string) {
	if s.tree != nil && s.self != s {
		panic(where + ": called on a copy of a snapshot, which does not see that the original is closed; pass a pointer")
	}
	panic(where + ": the snapshot is closed, or was not made by Map.Snapshot")
}

// Get is like [Map.Get].
func (s *Snapshot[K, V]) Get(k K) (V, bool) { return s.use("btree.Snapshot.Get").get(k) }

// Has is like [Map.Has].
func (s *Snapshot[K, V]) Has(k K) bool {
	_, ok := s.use("btree.Snapshot.Has").get(k)
	return ok
}

// Len is like [Map.Len].
func (s *Snapshot[K, V]) Len() int { return s.use("btree.Snapshot.Len").view.length }

// All is like [Map.All].
func (s *Snapshot[K, V]) All() iter.Seq2[K, V] {
	r := s.use("btree.Snapshot.All")
	return func(yield func(K, V) bool) { r.ascending(span[K]{})(yield) }
}

// AllBytes is like [Map.AllBytes].
func (s *Snapshot[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	r := s.use("btree.Snapshot.AllBytes")
	r.mustBeText("btree.Snapshot.AllBytes")
	return func(yield func([]byte, V) bool) { r.lendUp(yield) }
}

// Keys yields the keys in ascending order.
func (s *Snapshot[K, V]) Keys() iter.Seq[K] { return each.Key(s.All()) }

// Values yields the values in the order of their keys.
func (s *Snapshot[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// Backward is like [Map.Backward].
func (s *Snapshot[K, V]) Backward() iter.Seq2[K, V] {
	r := s.use("btree.Snapshot.Backward")
	return func(yield func(K, V) bool) { r.descending(span[K]{})(yield) }
}

// Range is like [Map.Range].
func (s *Snapshot[K, V]) Range(from, to K) iter.Seq2[K, V] {
	r := s.use("btree.Snapshot.Range")
	return func(yield func(K, V) bool) {
		r.ascending(span[K]{from: from, to: to, hasFrom: true, bounded: true})(yield)
	}
}

// Ascend is like [Map.Ascend].
func (s *Snapshot[K, V]) Ascend(k K) iter.Seq2[K, V] {
	r := s.use("btree.Snapshot.Ascend")
	return func(yield func(K, V) bool) { r.ascending(span[K]{from: k, hasFrom: true})(yield) }
}

// Descend is like [Map.Descend].
func (s *Snapshot[K, V]) Descend(k K) iter.Seq2[K, V] {
	r := s.use("btree.Snapshot.Descend")
	return func(yield func(K, V) bool) { r.descending(span[K]{from: k, hasFrom: true})(yield) }
}

// Min is like [Map.Min].
func (s *Snapshot[K, V]) Min() (K, V, bool) {
	return s.use("btree.Snapshot.Min").first(span[K]{}, forward)
}

// Max is like [Map.Max].
func (s *Snapshot[K, V]) Max() (K, V, bool) {
	return s.use("btree.Snapshot.Max").first(span[K]{}, backward)
}

// Seek is like [Map.Seek].
func (s *Snapshot[K, V]) Seek(k K) (K, V, bool) {
	return s.use("btree.Snapshot.Seek").first(span[K]{from: k, hasFrom: true}, forward)
}
