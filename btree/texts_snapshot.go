package btree

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/varlen"
)

// A TextsSnapshot is a read-only view of a Texts as it was when Texts.Snapshot was called, like a
// [Snapshot] of a Map. Any number of goroutines may read the TextsSnapshot, without locks, while
// another goroutine changes the Texts. It must be closed, because it keeps alive the nodes and
// strings that the Texts has since changed or removed.
type TextsSnapshot[K cmp.Ordered, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textReader[K, V]
	s *Snapshot[K, uint32]
}

// Snapshot returns a snapshot of the Texts. It costs the same as Map.Snapshot. While a snapshot is
// open, a replaced value is not overwritten in place, even if the new value has the same length.
func (t *Texts[K, V]) Snapshot() *TextsSnapshot[K, V] {
	const where = "btree.Texts.Snapshot"
	t.use(where)
	s := t.m.snapshot(where)
	return &TextsSnapshot[K, V]{textReader: textReader[K, V]{&s.reader, varlen.FormOf[V]()}, s: s}
}

// Close frees the nodes and strings that only this TextsSnapshot kept alive. No goroutine may use
// it during or after Close. A second Close does nothing.
func (s *TextsSnapshot[K, V]) Close() error {
	if s.s == nil {
		return nil
	}
	if err := s.s.close(); err != nil {
		return fmt.Errorf("btree.TextsSnapshot.Close: %w", err)
	}
	return nil
}

// use panics if the TextsSnapshot is closed or was not created by Texts.Snapshot.
func (s *TextsSnapshot[K, V]) use(where string) {
	if s.s == nil || s.s.closed.Load() {
		panic(where + ": the snapshot is closed, or was not made by Texts.Snapshot")
	}
}

// Get is like [Texts.Get].
func (s *TextsSnapshot[K, V]) Get(k K) (V, bool) {
	s.use("btree.TextsSnapshot.Get")
	return s.get(k)
}

// AppendGet is like [Texts.AppendGet].
func (s *TextsSnapshot[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	s.use("btree.TextsSnapshot.AppendGet")
	b, ok := s.bytes(k)
	return append(room, b...), ok
}

// View is like [Texts.View]. The function may change the Texts.
func (s *TextsSnapshot[K, V]) View(k K, do func(value []byte)) bool {
	s.use("btree.TextsSnapshot.View")
	return s.lendValue(k, do)
}

// Has is like [Texts.Has].
func (s *TextsSnapshot[K, V]) Has(k K) bool {
	s.use("btree.TextsSnapshot.Has")
	_, ok := s.r.get(k)
	return ok
}

// Len is like [Texts.Len].
func (s *TextsSnapshot[K, V]) Len() int {
	s.use("btree.TextsSnapshot.Len")
	return s.r.view.length
}

// All is like [Texts.All].
func (s *TextsSnapshot[K, V]) All() iter.Seq2[K, V] {
	s.use("btree.TextsSnapshot.All")
	return func(yield func(K, V) bool) { s.up(span[K]{}, yield) }
}

// AllBytes is like [Texts.AllBytes].
func (s *TextsSnapshot[K, V]) AllBytes() iter.Seq2[K, []byte] {
	s.use("btree.TextsSnapshot.AllBytes")
	return func(yield func(K, []byte) bool) { s.lend(yield) }
}

// Keys is like [Texts.Keys].
func (s *TextsSnapshot[K, V]) Keys() iter.Seq[K] {
	s.use("btree.TextsSnapshot.Keys")
	return func(yield func(K) bool) {
		for k := range s.r.ascending(span[K]{}) {
			if !yield(k) {
				return
			}
		}
	}
}

// Values is like [Texts.Values].
func (s *TextsSnapshot[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// Backward is like [Texts.Backward].
func (s *TextsSnapshot[K, V]) Backward() iter.Seq2[K, V] {
	s.use("btree.TextsSnapshot.Backward")
	return func(yield func(K, V) bool) { s.down(span[K]{}, yield) }
}

// Range is like [Texts.Range].
func (s *TextsSnapshot[K, V]) Range(from, to K) iter.Seq2[K, V] {
	s.use("btree.TextsSnapshot.Range")
	return func(yield func(K, V) bool) {
		s.up(span[K]{from: from, to: to, hasFrom: true, bounded: true}, yield)
	}
}

// Ascend is like [Texts.Ascend].
func (s *TextsSnapshot[K, V]) Ascend(k K) iter.Seq2[K, V] {
	s.use("btree.TextsSnapshot.Ascend")
	return func(yield func(K, V) bool) { s.up(span[K]{from: k, hasFrom: true}, yield) }
}

// Descend is like [Texts.Descend].
func (s *TextsSnapshot[K, V]) Descend(k K) iter.Seq2[K, V] {
	s.use("btree.TextsSnapshot.Descend")
	return func(yield func(K, V) bool) { s.down(span[K]{from: k, hasFrom: true}, yield) }
}

// Min is like [Texts.Min].
func (s *TextsSnapshot[K, V]) Min() (K, V, bool) {
	s.use("btree.TextsSnapshot.Min")
	return s.first(span[K]{}, forward)
}

// Max is like [Texts.Max].
func (s *TextsSnapshot[K, V]) Max() (K, V, bool) {
	s.use("btree.TextsSnapshot.Max")
	return s.first(span[K]{}, backward)
}

// Seek is like [Texts.Seek].
func (s *TextsSnapshot[K, V]) Seek(k K) (K, V, bool) {
	s.use("btree.TextsSnapshot.Seek")
	return s.first(span[K]{from: k, hasFrom: true}, forward)
}

// GetAt is like [Texts.GetAt].
func (s *TextsSnapshot[K, V]) GetAt(index int) (K, V, bool) {
	s.use("btree.TextsSnapshot.GetAt")
	return s.getAt("btree.TextsSnapshot.GetAt", index)
}

// Rank is like [Texts.Rank].
func (s *TextsSnapshot[K, V]) Rank(k K) int {
	s.use("btree.TextsSnapshot.Rank")
	return s.r.rank("btree.TextsSnapshot.Rank", &k)
}
