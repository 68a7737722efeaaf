package btree

import (
	"iter"

	"github.com/coppice-go/coppice/internal/each"
)

// All yields the entries in ascending order, and allows the same changes as Map.All. Values are
// copies, an allocation each; keys that are strings share one for up to 64 of them.
func (t *Texts[K, V]) All() iter.Seq2[K, V] {
	t.use("btree.Texts.All")
	return func(yield func(K, V) bool) { t.up(span[K]{}, yield) }
}

// AllBytes is All without an allocation for a value: it yields a value as bytes that are the loop's
// until its next step, and are overwritten later. Clone what is to stay, and write nothing to them.
// The loop may change the Texts. Checked builds overwrite the bytes at once.
func (t *Texts[K, V]) AllBytes() iter.Seq2[K, []byte] {
	t.use("btree.Texts.AllBytes")
	return func(yield func(K, []byte) bool) { t.lend(yield) }
}

// Keys yields the keys in ascending order, and copies no value.
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

// Range yields the entries with keys of at least from and less than to in ascending order, and is
// otherwise like All.
func (t *Texts[K, V]) Range(from, to K) iter.Seq2[K, V] {
	t.use("btree.Texts.Range")
	return func(yield func(K, V) bool) {
		t.up(span[K]{from: from, to: to, hasFrom: true, bounded: true}, yield)
	}
}

// Ascend yields the entries with keys of at least k in ascending order, and is otherwise like All.
func (t *Texts[K, V]) Ascend(k K) iter.Seq2[K, V] {
	t.use("btree.Texts.Ascend")
	return func(yield func(K, V) bool) { t.up(span[K]{from: k, hasFrom: true}, yield) }
}

// Descend yields the entries with keys of at most k in descending order, and is otherwise like All.
func (t *Texts[K, V]) Descend(k K) iter.Seq2[K, V] {
	t.use("btree.Texts.Descend")
	return func(yield func(K, V) bool) { t.down(span[K]{from: k, hasFrom: true}, yield) }
}

// Min returns the entry with the least key, and false if there is none.
func (t *Texts[K, V]) Min() (K, V, bool) {
	t.use("btree.Texts.Min")
	return t.first(span[K]{}, forward)
}

// Max returns the entry with the largest key, and false if there is none.
func (t *Texts[K, V]) Max() (K, V, bool) {
	t.use("btree.Texts.Max")
	return t.first(span[K]{}, backward)
}

// Seek returns the entry with the least key of at least k, and false if there is none.
func (t *Texts[K, V]) Seek(k K) (K, V, bool) {
	t.use("btree.Texts.Seek")
	return t.first(span[K]{from: k, hasFrom: true}, forward)
}

// GetAt returns the entry at an index of the ascending order, and false if there is none. It panics
// if the Texts is not ranked (Options.Ranked).
func (t *Texts[K, V]) GetAt(index int) (K, V, bool) {
	t.use("btree.Texts.GetAt")
	return t.getAt("btree.Texts.GetAt", index)
}

// Rank returns how many keys are less than k, as Map.Rank does.
func (t *Texts[K, V]) Rank(k K) int {
	t.use("btree.Texts.Rank")
	return t.r.rank("btree.Texts.Rank", &k)
}
