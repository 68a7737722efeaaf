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
// heap. It has the methods of a [Map], except for Iter, TryCompute, TryDelete, TryDeleteRange,
// TryGetOrSet and TryUpdate. These methods cost as much as the methods of a Map, unless their
// comments state other costs. NewTexts or OpenTextsFile creates a Texts, and Close releases it. The
// zero Texts is not usable.
//
// Set copies a key and a value into the Texts. Get returns a copy of the value, which costs one
// allocation. AppendGet appends the value to the caller's slice, and View copies nothing. A nil
// slice is stored as an empty slice. A value uses its length plus 5 bytes (6 from 128 bytes on),
// rounded up by at most an eighth. Set overwrites a value of the same length in place unless a
// snapshot is open. The memory of deleted and replaced values is reused. Values do not move, so a
// Texts keeps about as much memory as its values needed when they were largest in total. Keys and
// values together can use at most 16 GiB.
//
// A Texts may be changed by one goroutine at a time, with no concurrent readers. Any number of
// goroutines may read it while no goroutine changes it, and any number may read a [TextsSnapshot]
// at any time. A Texts must not be copied. hashmap.Texts finds a key faster but is not sorted.
// docs/decisions/0060 explains why values are in the same string heap as keys.
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

// namedTexts returns a copy of the options in which Name, if empty, is set to the type of the
// Texts.
func namedTexts[K, V any](o Options) Options {
	if o.Name == "" {
		o.Name = fmt.Sprintf("btree.Texts[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return o
}

func textsOf[K cmp.Ordered, V ~string | ~[]byte](m *Map[K, uint32]) *Texts[K, V] {
	return &Texts[K, V]{textReader: textReader[K, V]{&m.reader, varlen.FormOf[V]()}, m: m}
}

// A Texts file has the same format as a Map file, except for the kind of container in its header.
const (
	textsKind    = "btree.texts"
	textsVersion = 1
)

func filedTexts[K any]() filed {
	return filed{image.Header{Kind: textsKind, Version: textsVersion, Shape: image.ShapeOf[K, string]()}, true}
}

// OpenTextsFile returns a Texts with the entries that Save wrote, and maps the file as OpenFile
// does. It has the same requirements as OpenFile, and returns the same errors. Values that are
// strings can be opened as byte slices, and vice versa.
func OpenTextsFile[K cmp.Ordered, V ~string | ~[]byte](path string, options Options) (*Texts[K, V], error) {
	m, err := openFile[K, uint32]("btree.OpenTextsFile", path, filedTexts[K](), nil, namedTexts[K, V](options))
	if err != nil {
		return nil, err
	}
	return textsOf[K, V](m), nil
}

// use returns the tree, and panics if the Texts is closed or was not created by NewTexts or
// OpenTextsFile.
func (t *Texts[K, V]) use(where string) *tree {
	if t.m == nil || t.m.tree.closed {
		panic(where + ": the map is closed, or was not made by NewTexts or OpenTextsFile")
	}
	return t.m.tree
}

// Get returns a copy of the value of a key, and whether the key is present. It costs as much as
// Map.Get, plus one cache miss in a large Texts and one allocation.
func (t *Texts[K, V]) Get(k K) (V, bool) {
	t.use("btree.Texts.Get")
	return t.get(k)
}

// AppendGet appends the value of a key to the slice room, and returns the extended slice and
// whether the key is present. It allocates only if append does.
func (t *Texts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	t.use("btree.Texts.AppendGet")
	b, ok := t.bytes(k)
	return append(room, b...), ok
}

// View calls the function do with the bytes of a key's value, without copying them, and reports
// whether the key is present. The function may read the bytes until it returns; it must not write
// them or change the Texts. Checked builds pass a copy, overwrite it afterwards, and panic if the
// function changed the Texts.
func (t *Texts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "btree.Texts.View"
	before := t.use(where).changes
	ok := t.lendValue(k, do)
	if checks.Enabled && t.m.tree.changes != before {
		panic(where + ": the function changed the map, which may overwrite the bytes that it was lent")
	}
	return ok
}

// Has reports whether a key is present.
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

// TrySet is like Set but returns an error, which wraps ErrFull, if there is no room. The Texts is
// then unchanged.
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

// GetOrSet returns a copy of the value of k and true if the key is present. Otherwise it stores v
// and returns v and false. It panics as Set does.
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

// Update calls change with a copy of the value of k and true if the key is present, otherwise with
// the zero value and false, and stores the result. change may use the Texts. Update panics as Set
// does.
func (t *Texts[K, V]) Update(k K, change func(v V, ok bool) V) {
	t.compute("btree.Texts.Update", k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of k and true if the key is present, otherwise with the
// zero value and false. Depending on op, it stores the new value, deletes the key, or leaves the
// entry unchanged. It returns the resulting value, and whether the key is present. f may use the
// Texts. Compute panics as Set and Delete do, and also if op is invalid.
func (t *Texts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return t.compute("btree.Texts.Compute", k, f)
}

func (t *Texts[K, V]) compute(where string, k K, f func(V, bool) (V, ComputeOp)) (v V, ok bool) {
	t.use(where)
	old, had := t.get(k)
	next, op := f(old, had)
	t.use(where) // f may have closed the Texts
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

// remove deletes a key, and reports whether it was present. Panic messages begin with the name of
// the exported method, which is passed in where.
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

// Delete removes a key and its value, and reports whether the key was present. While a snapshot is
// open, Delete may need memory for copies, and panics if there is none.
func (t *Texts[K, V]) Delete(k K) bool { return t.remove("btree.Texts.Delete", &k) }

// LoadAndDelete is like Delete but also returns a copy of the deleted value.
func (t *Texts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	const where = "btree.Texts.LoadAndDelete"
	t.use(where)
	value, loaded = t.get(k)
	if loaded {
		t.remove(where, &k)
	}
	return value, loaded
}

// PopMin deletes the entry with the smallest key and returns it. It returns false if the Texts is
// empty. It panics as Delete does.
func (t *Texts[K, V]) PopMin() (K, V, bool) {
	t.use("btree.Texts.PopMin")
	return t.pop("btree.Texts.PopMin", span[K]{}, forward)
}

// PopMax deletes the entry with the largest key and returns it. It returns false if the Texts is
// empty. It panics as Delete does.
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

// DeleteAt deletes the entry at an index in ascending order and returns it. It returns false if the
// index is out of range. It panics as Delete does, and if the Texts is not ranked (Options.Ranked).
func (t *Texts[K, V]) DeleteAt(index int) (K, V, bool) {
	const where = "btree.Texts.DeleteAt"
	t.use(where)
	k, v, ok := t.getAt(where, index)
	if ok {
		t.remove(where, &k)
	}
	return k, v, ok
}

// DeleteRange deletes all entries with from <= key < to, and returns their number. It panics as
// Delete does; entries that were already deleted stay deleted.
func (t *Texts[K, V]) DeleteRange(from, to K) (n int) {
	const where = "btree.Texts.DeleteRange"
	t.use(where)
	n, err := t.m.deleteRange(where, &from, &to)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return n
}

// AppendSorted appends the entries of a sequence, whose keys must be ascending and greater than all
// keys in the Texts. It is otherwise like Map.AppendSorted.
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
			if !yield(k, ref) { // the key was rejected
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

// Clear removes all entries and keeps the memory. Its cost does not depend on the number of
// entries, unless a snapshot is open.
func (t *Texts[K, V]) Clear() {
	const where = "btree.Texts.Clear"
	if t.use(where); checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	t.m.tree.reset()
}

// Close returns all memory to the system. If snapshots are open, the memory is returned when the
// last of them is closed. A second Close does nothing.
func (t *Texts[K, V]) Close() error {
	if t.m == nil {
		return nil
	}
	if err := t.m.tree.close(); err != nil {
		return fmt.Errorf("btree.Texts.Close: %w", err)
	}
	return nil
}

// Clone returns a Texts with the same entries. It copies the memory of the Texts. While a snapshot
// is open, Clone instead inserts the entries one after another, in ascending order.
func (t *Texts[K, V]) Clone() (*Texts[K, V], error) {
	const where = "btree.Texts.Clone"
	t.use(where)
	m, err := t.m.clone()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return textsOf[K, V](m), nil
}

// Save writes the Texts to a file that OpenTextsFile can map. It replaces an existing file as
// Map.Save does.
func (t *Texts[K, V]) Save(path string) error {
	const where = "btree.Texts.Save"
	t.use(where)
	return t.m.save(where, path, filedTexts[K]())
}

// Stats returns the current statistics, which cost nothing to maintain. TextBytes and HeldTexts
// include values. The statistics of a closed Texts are zero.
func (t *Texts[K, V]) Stats() Stats {
	if t.m == nil {
		return Stats{}
	}
	return t.m.Stats()
}

// Verify checks every node, key and value. It returns an error that wraps ErrInvalid for each
// inconsistency that Map.Verify detects, for a value that is missing, and for values that share
// bytes.
func (t *Texts[K, V]) Verify() error {
	const where = "btree.Texts.Verify"
	t.use(where)
	if err := t.m.sound(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}
