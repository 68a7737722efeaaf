package btree

import (
	"cmp"

	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/varlen"
)

// A textReader implements the methods that read a Texts or a TextsSnapshot. It uses a reader whose
// values are the heap references of strings.
type textReader[K cmp.Ordered, V ~string | ~[]byte] struct {
	r    *reader[K, uint32]
	form varlen.Form[V]
}

// bytes returns the bytes of a key's value, without copying them.
func (t *textReader[K, V]) bytes(k K) ([]byte, bool) {
	ref, ok := t.r.get(k)
	if !ok {
		return nil, false
	}
	return t.r.view.text(ref), true
}

// get implements Texts.Get and TextsSnapshot.Get.
func (t *textReader[K, V]) get(k K) (v V, ok bool) {
	b, ok := t.bytes(k)
	if ok {
		v = t.form.Value(b)
	}
	return v, ok
}

// lendValue implements Texts.View and TextsSnapshot.View.
func (t *textReader[K, V]) lendValue(k K, do func(value []byte)) bool {
	b, ok := t.bytes(k)
	if ok {
		each.Lend(b, struct{}{}, func(b []byte, _ struct{}) bool {
			do(b)
			return true
		})
	}
	return ok
}

// value returns a copy of the value with the heap reference ref.
func (t *textReader[K, V]) value(ref uint32) V { return t.form.Value(t.r.view.text(ref)) }

// first returns the first entry that a loop over a span visits; the loop is descending if down is
// true.
func (t *textReader[K, V]) first(s span[K], down bool) (k K, v V, ok bool) {
	k, ref, ok := t.r.first(s, down)
	if ok {
		v = t.value(ref)
	}
	return k, v, ok
}

func (t *textReader[K, V]) getAt(where string, index int) (k K, v V, ok bool) {
	k, ref, ok := t.r.getAt(where, index)
	if ok {
		v = t.value(ref)
	}
	return k, v, ok
}

// up yields the entries of a span in ascending order.
func (t *textReader[K, V]) up(s span[K], yield func(K, V) bool) {
	for k, ref := range t.r.ascending(s) {
		if !yield(k, t.value(ref)) {
			return
		}
	}
}

// down yields the entries of a span in descending order.
func (t *textReader[K, V]) down(s span[K], yield func(K, V) bool) {
	for k, ref := range t.r.descending(s) {
		if !yield(k, t.value(ref)) {
			return
		}
	}
}

// lend yields all entries, with values as bytes that are valid until the next iteration.
func (t *textReader[K, V]) lend(yield func(K, []byte) bool) {
	var room []byte
	for k, ref := range t.r.ascending(span[K]{}) {
		room = append(room[:0], t.r.view.text(ref)...) // copied because the loop may change the map
		if !each.Lend(room, k, func(b []byte, k K) bool { return yield(k, b) }) {
			return
		}
	}
}
