package btree

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/varlen"
)

// A Texts is a sorted map whose values are strings or byte slices of any length, outside the Go
// heap. It has the methods of a [Map], and their costs, except for Iter. NewTexts or OpenTextsFile
// makes a Texts, and Close ends it. The zero Texts cannot be used.
//
// Set copies a key and a value in. Get copies a value out, which is one allocation; AppendGet
// copies into the caller's slice, and View copies nothing. An empty slice, or a nil one, comes back
// as an empty slice. A value takes its bytes and 5 more (6 from 128 bytes on), rounded up by an
// eighth at most; one of the same length is overwritten in place unless a snapshot is open. Deleted
// and replaced values are reused. They do not move, so a Texts keeps about the memory of its
// largest generation. Keys and values together take at most 16 GiB.
//
// One goroutine may change a Texts at a time, and no other may use it meanwhile: not even for
// reading. Any number may read it while nothing changes it, and any number may read a
// [TextsSnapshot] at any time. A Texts must not be copied. hashmap.Texts finds a key faster, and
// has no order. Why values are in the heap of keys: docs/decisions/0060.
type Texts[K cmp.Ordered, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textReader[K, V]
	m *Map[K, uint32]
}

// NewTexts returns an empty Texts. It fails if K has a pointer, if an option is out of range, or if
// the system has no memory.
func NewTexts[K cmp.Ordered, V ~string | ~[]byte](options Options) (*Texts[K, V], error) {
	const where = "btree.NewTexts"
	f, s, err := layOut[K, uint32](where, options, nil)
	if err != nil {
		return nil, err
	}
	s.texted = true
	m, err := laidOut[K, uint32](where, f, s, nil, namedTexts[K, V](options), 1)
	if err != nil {
		return nil, err
	}
	return textsOf[K, V](m), nil
}

// namedTexts returns options with a name for profiles.
func namedTexts[K, V any](o Options) Options {
	if o.Name == "" {
		o.Name = fmt.Sprintf("btree.Texts[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return o
}

func textsOf[K cmp.Ordered, V ~string | ~[]byte](m *Map[K, uint32]) *Texts[K, V] {
	return &Texts[K, V]{textReader: textReader[K, V]{&m.reader, varlen.FormOf[V]()}, m: m}
}

// The file of a Texts has the format of a Map's file, with another kind.
const (
	textsKind    = "btree.texts"
	textsVersion = 1
)

func filedTexts[K any]() filed {
	return filed{image.Header{Kind: textsKind, Version: textsVersion, Shape: image.ShapeOf[K, string]()}, true}
}

// OpenTextsFile returns a Texts with the entries that Save wrote, and maps it as OpenFile does.
// The documentation of OpenFile about files, types and errors applies to it. Values that are
// strings can be opened as byte slices, and the other way round.
func OpenTextsFile[K cmp.Ordered, V ~string | ~[]byte](path string, options Options) (*Texts[K, V], error) {
	m, err := openFile[K, uint32]("btree.OpenTextsFile", path, filedTexts[K](), nil, namedTexts[K, V](options))
	if err != nil {
		return nil, err
	}
	return textsOf[K, V](m), nil
}

// use panics if there is no tree.
func (t *Texts[K, V]) use(where string) *tree {
	if t.m == nil || t.m.tree.closed {
		panic(where + ": the map is closed, or was not made by NewTexts or OpenTextsFile")
	}
	return t.m.tree
}

// Get returns a copy of the value of a key, and whether the Texts has it. It costs a Get of a Map,
// one more cache miss in a large Texts, and one allocation.
func (t *Texts[K, V]) Get(k K) (V, bool) {
	t.use("btree.Texts.Get")
	return t.get(k)
}

// AppendGet appends the value of a key to room, and returns the longer slice and whether the Texts
// has the key. It allocates only where append does.
func (t *Texts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	t.use("btree.Texts.AppendGet")
	b, ok := t.bytes(k)
	return append(room, b...), ok
}

// View calls do with the bytes of a key's value, where they are, and reports whether the Texts has
// the key. The bytes may be read until do returns, and must not be written; do must not change the
// Texts. Checked builds lend a copy, overwrite it afterwards, and panic if do changed the Texts.
func (t *Texts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "btree.Texts.View"
	before := t.use(where).changes
	ok := t.lendValue(k, do)
	if checks.Enabled && t.m.tree.changes != before {
		panic(where + ": the function changed the map, which may overwrite the bytes that it was lent")
	}
	return ok
}

// Has reports whether the Texts has a key.
func (t *Texts[K, V]) Has(k K) bool {
	t.use("btree.Texts.Has")
	_, ok := t.r.get(k)
	return ok
}

// Set stores a copy of v under k, replacing any existing value. It panics if the Texts is full or
// closed; TrySet returns the error instead.
func (t *Texts[K, V]) Set(k K, v V) {
	if err := t.set("btree.Texts.Set", &k, &v); err != nil {
		panic("btree.Texts.Set: " + err.Error())
	}
}

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The Texts then has
// the entries that it had.
func (t *Texts[K, V]) TrySet(k K, v V) error {
	if err := t.set("btree.Texts.TrySet", &k, &v); err != nil {
		return fmt.Errorf("btree.Texts.TrySet: %w", err)
	}
	return nil
}

func (t *Texts[K, V]) set(where string, k *K, v *V) error {
	if t.use(where); checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	p := t.r.probeOf(k)
	return t.m.tree.putValue(&p, t.form.Bytes(v))
}

// GetOrSet returns a copy of the value of a key and true, or stores v there and returns it and
// false. It panics as Set does.
func (t *Texts[K, V]) GetOrSet(k K, v V) (V, bool) {
	const where = "btree.Texts.GetOrSet"
	t.use(where)
	if old, ok := t.get(k); ok {
		return old, true
	}
	if err := t.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
	return v, false
}

// Update calls change with a copy of the value of a key, or with the zero value and false, and
// stores what it returns. change may use the Texts. Update panics as Set does.
func (t *Texts[K, V]) Update(k K, change func(v V, ok bool) V) {
	t.compute("btree.Texts.Update", k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of a key and true, or with the zero value and false, and
// does what f returns: it stores the new value, deletes the key, or leaves it as it is. It returns
// the value that the key has then, and whether it has one. f may use the Texts. Compute panics as
// Set does.
func (t *Texts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return t.compute("btree.Texts.Compute", k, f)
}

func (t *Texts[K, V]) compute(where string, k K, f func(V, bool) (V, ComputeOp)) (v V, ok bool) {
	t.use(where)
	old, had := t.get(k)
	next, op := f(old, had)
	t.use(where) // f may have closed it
	switch op {
	case CancelOp:
		return t.get(k)
	case UpdateOp:
		if err := t.set(where, &k, &next); err != nil {
			panic(where + ": " + err.Error())
		}
		return next, true
	case DeleteOp:
		t.remove(where, &k)
		return v, false
	}
	panic(fmt.Sprintf("%s: there is no ComputeOp %d", where, op))
}

// remove deletes a key for the method where, and reports whether it was there.
func (t *Texts[K, V]) remove(where string, k *K) bool {
	if t.use(where); checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	p := t.r.probeOf(k)
	found, err := t.m.tree.remove(&p)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return found
}

// Delete deletes a key and its value, and reports whether the key was there. While a snapshot is
// open it may need memory for copies, and panics if there is none.
func (t *Texts[K, V]) Delete(k K) bool { return t.remove("btree.Texts.Delete", &k) }

// LoadAndDelete is Delete that returns a copy of the value that the key had.
func (t *Texts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	const where = "btree.Texts.LoadAndDelete"
	t.use(where)
	value, loaded = t.get(k)
	if loaded {
		t.remove(where, &k)
	}
	return value, loaded
}

// PopMin deletes the entry with the least key and returns it, and false if there is none. It panics
// as Delete does.
func (t *Texts[K, V]) PopMin() (K, V, bool) {
	t.use("btree.Texts.PopMin")
	return t.pop("btree.Texts.PopMin", span[K]{}, forward)
}

// PopMax deletes the entry with the largest key and returns it, and false if there is none. It
// panics as Delete does.
func (t *Texts[K, V]) PopMax() (K, V, bool) {
	t.use("btree.Texts.PopMax")
	return t.pop("btree.Texts.PopMax", span[K]{}, backward)
}

func (t *Texts[K, V]) pop(where string, s span[K], down bool) (K, V, bool) {
	k, v, ok := t.first(s, down)
	if ok {
		t.remove(where, &k)
	}
	return k, v, ok
}

// DeleteAt deletes the entry at an index of the ascending order and returns it, and false if there
// is none. It panics as Delete does, and if the Texts is not ranked (Options.Ranked).
func (t *Texts[K, V]) DeleteAt(index int) (K, V, bool) {
	const where = "btree.Texts.DeleteAt"
	t.use(where)
	k, v, ok := t.getAt(where, index)
	if ok {
		t.remove(where, &k)
	}
	return k, v, ok
}

// DeleteRange deletes all keys of at least from and less than to, and returns how many there were.
// It panics as Delete does; the keys that come first are gone then.
func (t *Texts[K, V]) DeleteRange(from, to K) (n int) {
	const where = "btree.Texts.DeleteRange"
	t.use(where)
	n, err := t.m.deleteRange(where, &from, &to)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return n
}

// AppendSorted puts the entries of a sequence, whose keys ascend and are greater than all in the
// Texts, and is otherwise like Map.AppendSorted.
func (t *Texts[K, V]) AppendSorted(entries iter.Seq2[K, V]) error {
	const where = "btree.Texts.AppendSorted"
	var full error
	err := t.m.appendSorted(where, func(yield func(K, uint32) bool) {
		for k, v := range entries {
			ref, err := t.use(where).putText(t.form.Bytes(&v))
			if err != nil {
				full = fmt.Errorf("%s: %w", where, err)
				return
			}
			if !yield(k, ref) { // the key was refused
				t.m.tree.heap.Free(ref)
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return full
}

// Len returns the number of entries.
func (t *Texts[K, V]) Len() int { return t.use("btree.Texts.Len").length }

// Clear drops all entries and keeps the memory. It costs nothing for each entry unless a snapshot
// is open.
func (t *Texts[K, V]) Clear() {
	const where = "btree.Texts.Clear"
	if t.use(where); checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	t.m.tree.reset()
}

// Close gives all memory back to the system; if snapshots are open, the last one to be closed does.
// A second Close does nothing.
func (t *Texts[K, V]) Close() error {
	if t.m == nil {
		return nil
	}
	if err := t.m.tree.close(); err != nil {
		return fmt.Errorf("btree.Texts.Close: %w", err)
	}
	return nil
}

// Clone returns a Texts with the same entries. It costs one copy of the memory; while a snapshot is
// open the entries are put one after another instead, in order.
func (t *Texts[K, V]) Clone() (*Texts[K, V], error) {
	const where = "btree.Texts.Clone"
	t.use(where)
	m, err := t.m.clone()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return textsOf[K, V](m), nil
}

// Save writes the Texts to a file, from which OpenTextsFile maps it, and replaces the file as
// Map.Save does.
func (t *Texts[K, V]) Save(path string) error {
	const where = "btree.Texts.Save"
	t.use(where)
	return t.m.save(where, path, filedTexts[K]())
}

// Stats returns counts that cost nothing to keep. TextBytes and HeldTexts count values, too. Those
// of a closed Texts are zero.
func (t *Texts[K, V]) Stats() Stats {
	if t.m == nil {
		return Stats{}
	}
	return t.m.Stats()
}

// Verify looks at every node, key and value, and returns an error that wraps ErrInvalid if the tree
// is not sound: what Map.Verify says, a value that is not there, or one that shares bytes with
// another.
func (t *Texts[K, V]) Verify() error {
	const where = "btree.Texts.Verify"
	t.use(where)
	if err := t.m.sound(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}
