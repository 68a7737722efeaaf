package btree

import (
	"iter"

	"github.com/coppice-go/coppice/internal/each"
)

// All yields the entries in ascending order. As with Map.All, the loop may change the Texts. Each
// value is a copy, which costs one allocation. Keys that are strings are copied too, up to 64 of
// them with one allocation.
func (t *Texts[K, V]) All() iter.Seq2[K, V] {
	t.use("btree.Texts.All")
	return func(yield func(K, V) bool) { t.up(span[K]{}, yield) }
}

// AllBytes is like All but does not allocate for values: it yields each value as bytes that are
// valid until the next iteration and are overwritten later. Make a copy of bytes that you keep, and
// do not write to the bytes. The loop may change the Texts. Checked builds overwrite the bytes
// immediately.
func (t *Texts[K, V]) AllBytes() iter.Seq2[K, []byte] {
	t.use("btree.Texts.AllBytes")
	return func(yield func(K, []byte) bool) { t.lend(yield) }
}

// Keys yields the keys in ascending order. It copies no values.
func (t *Texts[K, V]) Keys() iter.Seq[K] {
	t.use("btree.Texts.Keys")
	return func(yield func(K) bool) {
		for k := range t.r.ascending(span[K]{}) {
			if !yield(k) {
				return
			}
		}
	}
}

// Values yields copies of the values in the order of their keys.
func (t *Texts[K, V]) Values() iter.Seq[V] { return each.Value(t.All()) }

// Backward yields the entries in descending order, and is otherwise like All.
func (t *Texts[K, V]) Backward() iter.Seq2[K, V] {
	t.use("btree.Texts.Backward")
	return func(yield func(K, V) bool) { t.down(span[K]{}, yield) }
}

// Range yields the entries with from <= key < to in ascending order, and is otherwise like All.
func (t *Texts[K, V]) Range(from, to K) iter.Seq2[K, V] {
	t.use("btree.Texts.Range")
	return func(yield func(K, V) bool) {
		t.up(span[K]{from: from, to: to, hasFrom: true, bounded: true}, yield)
	}
}

// Ascend yields the entries with key >= k in ascending order, and is otherwise like All.
func (t *Texts[K, V]) Ascend(k K) iter.Seq2[K, V] {
	t.use("btree.Texts.Ascend")
	return func(yield func(K, V) bool) { t.up(span[K]{from: k, hasFrom: true}, yield) }
}

// Descend yields the entries with key <= k in descending order, and is otherwise like All.
func (t *Texts[K, V]) Descend(k K) iter.Seq2[K, V] {
	t.use("btree.Texts.Descend")
	return func(yield func(K, V) bool) { t.down(span[K]{from: k, hasFrom: true}, yield) }
}

// Min returns the entry with the smallest key, and false if the Texts is empty.
func (t *Texts[K, V]) Min() (K, V, bool) {
	t.use("btree.Texts.Min")
	return t.first(span[K]{}, forward)
}

// Max returns the entry with the largest key, and false if the Texts is empty.
func (t *Texts[K, V]) Max() (K, V, bool) {
	t.use("btree.Texts.Max")
	return t.first(span[K]{}, backward)
}

// Seek returns the entry with the smallest key that is at least k, and false if there is none.
func (t *Texts[K, V]) Seek(k K) (K, V, bool) {
	t.use("btree.Texts.Seek")
	return t.first(span[K]{from: k, hasFrom: true}, forward)
}

// GetAt returns the entry at an index in ascending order, and false if the index is out of range.
// It panics if the Texts is not ranked (Options.Ranked).
func (t *Texts[K, V]) GetAt(index int) (K, V, bool) {
	t.use("btree.Texts.GetAt")
	return t.getAt("btree.Texts.GetAt", index)
}

// Rank returns the number of keys that are less than k, like Map.Rank.
func (t *Texts[K, V]) Rank(k K) int {
	t.use("btree.Texts.Rank")
	return t.r.rank("btree.Texts.Rank", &k)
}
