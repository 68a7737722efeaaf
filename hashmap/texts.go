package hashmap

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/varlen"
)

// A Texts maps keys to values that are strings or byte slices of any length, outside the Go heap.
// Keys are strings, integers and bools, and arrays and structs of these. NewTexts or OpenTextsFile
// creates a Texts, and Close releases it. The zero Texts is not usable.
//
// Set copies a key and a value into the Texts. Get returns a copy of the value, which costs one
// allocation. AppendGet appends the value to the caller's slice, and View copies nothing. An empty
// or nil slice is returned as an empty slice. A value uses its length plus 9 bytes, rounded up by
// at most an eighth. A key is stored as a string in the index. A struct uses the bytes of its
// fields, plus one byte for each string of less than 128 bytes. The memory of deleted and replaced
// values is reused, and values are compacted when a quarter of their memory is dead. All values of
// a Texts together are limited to 16 GiB, or to 16 MiB where maps use Go memory (32-bit, wasm,
// -race).
//
// A Texts may be changed by one goroutine at a time, with no concurrent readers. Any number of
// goroutines may read it while no goroutine changes it. [ShardedTexts] is for several goroutines.
// docs/decisions/0055 explains why Texts is a separate type.
type Texts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	m *textMap
}

// NewTexts returns an empty Texts. It fails if K has a pointer, a float or an interface, if an
// option is out of range, or if the system has no memory. The options have the same meaning as for
// a Map.
func NewTexts[K comparable, V ~string | ~[]byte](options Options) (*Texts[K, V], error) {
	const where = "hashmap.NewTexts"
	form, err := formOf[K, V](where)
	if err != nil {
		return nil, err
	}
	t := &Texts[K, V]{textForm: form}
	t.m, err = newTextMap(where, form.named("Texts", options), hash.NewSeed(), 1)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// A textForm is the part of a Texts that depends on its types.
type textForm[K comparable, V ~string | ~[]byte] struct {
	keys   keyPlan
	values varlen.Form[V]
}

func formOf[K comparable, V ~string | ~[]byte](where string) (f textForm[K, V], err error) {
	f.keys, err = planKeys(where, reflect.TypeFor[K]())
	f.values = varlen.FormOf[V]()
	return f, err
}

// named returns a copy of the options in which Name, if empty, is set to the type of the container.
func (f *textForm[K, V]) named(kind string, o Options) Options {
	if o.Name == "" {
		o.Name = fmt.Sprintf("hashmap.%s[%s,%s]", kind, reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return o
}

// isKey reports whether the string is the encoding of a key.
func (f *textForm[K, V]) isKey(text string) bool {
	_, ok := keyOf[K](&f.keys, text)
	return ok
}

// compute implements Compute. A panic begins with where, the name of the method that the user
// called. key is the key as a string, and h its hash.
func (f *textForm[K, V]) compute(where string, m *textMap, h uint64, key string, change func(V, bool) (V, ComputeOp)) (v V, ok bool, err error) {
	b, ok := m.get(h, key)
	if ok {
		v = f.values.Value(b)
	}
	next, op := change(v, ok)
	m.use(where)
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	switch op {
	case CancelOp:
		return v, ok, nil
	case UpdateOp:
		if err := m.put(h, key, f.values.Bytes(&next)); err != nil {
			return v, ok, err
		}
		return next, true, nil
	case DeleteOp:
		m.remove(h, key)
		var zero V
		return zero, false, nil
	}
	panic(fmt.Sprintf("%s: there is no ComputeOp %d", where, op))
}

// takeOut removes a key and its value. If value is not nil, takeOut stores a copy of the deleted
// value in *value.
func (f *textForm[K, V]) takeOut(m *textMap, h uint64, key string, value *V) bool {
	if value != nil {
		if b, ok := m.get(h, key); ok {
			*value = f.values.Value(b)
		}
	}
	return m.remove(h, key)
}

// lend calls the function do with the bytes of a value that is still in the map. In checked builds
// it passes a copy, which is overwritten afterwards, and panics if the map changed in the meantime.
func lend(where string, m *textMap, b []byte, do func(value []byte)) {
	changes := m.index.changes
	each.Lend(b, struct{}{}, func(b []byte, _ struct{}) bool {
		do(b)
		return true
	})
	if checks.Enabled && m.index.changes != changes {
		panic(where + ": the function changed the map, which may move the bytes that it was lent")
	}
}

// get returns the bytes of a key's value, which are still in the map.
func (t *Texts[K, V]) get(where string, k *K) ([]byte, bool) {
	t.m.use(where)
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	return t.m.get(t.m.hashOf(key), key)
}

// Get returns a copy of the value of a key, and whether the key is present. It costs a Get of a Map
// with string keys, one more cache miss in a large Texts, and one allocation.
func (t *Texts[K, V]) Get(k K) (v V, ok bool) {
	b, ok := t.get("hashmap.Texts.Get", &k)
	if ok {
		v = t.values.Value(b)
	}
	return v, ok
}

// AppendGet appends the value of a key to room, and returns the extended slice and whether the key
// is present. It allocates only if append does.
func (t *Texts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	b, ok := t.get("hashmap.Texts.AppendGet", &k)
	return append(room, b...), ok
}

// View calls the function do with the bytes of a key's value, without a copy, and reports whether
// the key is present. The function may read the bytes until it returns; it must not write them or
// change the Texts. Checked builds pass a copy, overwrite it afterwards, and panic if the function
// changed the Texts.
func (t *Texts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.Texts.View"
	b, ok := t.get(where, &k)
	if ok {
		lend(where, t.m, b, do)
	}
	return ok
}

// Has reports whether a key is present.
func (t *Texts[K, V]) Has(k K) bool {
	_, ok := t.get("hashmap.Texts.Has", &k)
	return ok
}

// Set stores a copy of v under k, replacing any existing value. A value of the same length is
// overwritten in place. Set panics if the Texts is full or closed; TrySet returns the error
// instead.
func (t *Texts[K, V]) Set(k K, v V) {
	const where = "hashmap.Texts.Set"
	if err := t.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
}

// TrySet is like Set but returns an error, which wraps ErrFull, if there is no room. The Texts is
// then unchanged.
func (t *Texts[K, V]) TrySet(k K, v V) error {
	const where = "hashmap.Texts.TrySet"
	if err := t.set(where, &k, &v); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

func (t *Texts[K, V]) set(where string, k *K, v *V) error {
	t.m.use(where)
	if checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	return t.m.put(t.m.hashOf(key), key, t.values.Bytes(v))
}

// GetOrSet returns a copy of the value of k and true if the key is present. Otherwise it stores v
// and returns v and false. It panics as Set does.
func (t *Texts[K, V]) GetOrSet(k K, v V) (V, bool) {
	const where = "hashmap.Texts.GetOrSet"
	if b, ok := t.get(where, &k); ok {
		return t.values.Value(b), true
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
	t.computed("hashmap.Texts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of k and true if the key is present, otherwise with the
// zero value and false. Depending on op, it stores the new value, deletes the key, or leaves the
// entry unchanged. It returns the resulting value, and whether the key is present. f may use the
// Texts. Compute panics as Set does.
func (t *Texts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return t.computed("hashmap.Texts.Compute", &k, f)
}

// computed implements Compute. The parameter where has the same meaning as in compute.
func (t *Texts[K, V]) computed(where string, k *K, f func(V, bool) (V, ComputeOp)) (V, bool) {
	t.m.use(where)
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	v, ok, err := t.compute(where, t.m, t.m.hashOf(key), key, f)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return v, ok
}

// Delete removes a key and its value, and reports whether the key was present. The memory is reused
// for later keys and values.
func (t *Texts[K, V]) Delete(k K) bool {
	return t.remove("hashmap.Texts.Delete", &k, nil)
}

// LoadAndDelete is like Delete but also returns a copy of the deleted value.
func (t *Texts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = t.remove("hashmap.Texts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove implements Delete. The parameter where has the same meaning as in compute. If value is not
// nil, remove stores a copy of the deleted value in *value.
func (t *Texts[K, V]) remove(where string, k *K, value *V) bool {
	t.m.use(where)
	if checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	return t.takeOut(t.m, t.m.hashOf(key), key, value)
}

// All yields the entries, in unspecified order, and allows the same changes as Map.All. Values are
// copies, with one allocation each; keys share allocations of up to 4 KiB.
func (t *Texts[K, V]) All() iter.Seq2[K, V] {
	const where = "hashmap.Texts.All"
	t.m.use(where)
	return func(yield func(K, V) bool) {
		t.m.walk(where, func(text string, value []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			return !ok || yield(k, t.values.Value(value)) // only a damaged file has invalid keys
		})
	}
}

// AllBytes is like All but does not allocate for values: it yields each value as bytes that are
// valid until the next iteration and are overwritten later. Make a copy of bytes that you keep, and
// do not write to the bytes. The loop may change the Texts. Checked builds overwrite the bytes
// immediately.
func (t *Texts[K, V]) AllBytes() iter.Seq2[K, []byte] {
	const where = "hashmap.Texts.AllBytes"
	t.m.use(where)
	return func(yield func(K, []byte) bool) {
		var room []byte
		t.m.walk(where, func(text string, value []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			if !ok {
				return true
			}
			room = append(room[:0], value...) // the loop may change the map
			return each.Lend(room, k, func(b []byte, k K) bool { return yield(k, b) })
		})
	}
}

// Keys yields the keys, with the guarantees of All. It copies no values.
func (t *Texts[K, V]) Keys() iter.Seq[K] {
	const where = "hashmap.Texts.Keys"
	t.m.use(where)
	return func(yield func(K) bool) {
		t.m.walk(where, func(text string, _ []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			return !ok || yield(k)
		})
	}
}

// Values yields copies of the values, with the guarantees of All. It reads no keys.
func (t *Texts[K, V]) Values() iter.Seq[V] {
	const where = "hashmap.Texts.Values"
	t.m.use(where)
	return func(yield func(V) bool) {
		t.m.index.walkValues(where, func(number uint32) bool { return yield(t.values.Value(t.m.at(number))) })
	}
}

// Len returns the number of entries.
func (t *Texts[K, V]) Len() int {
	t.m.use("hashmap.Texts.Len")
	return t.m.index.length
}

// Clear removes all entries and keeps the memory. Its cost does not depend on the number of
// entries.
func (t *Texts[K, V]) Clear() {
	const where = "hashmap.Texts.Clear"
	t.m.use(where)
	if checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	t.m.reset(where)
}

// Close returns all memory to the system. A second Close does nothing.
func (t *Texts[K, V]) Close() error {
	if err := t.m.close(); err != nil {
		return fmt.Errorf("hashmap.Texts.Close: %w", err)
	}
	return nil
}

// Clone returns a Texts with the same entries. It costs one copy of the memory.
func (t *Texts[K, V]) Clone() (*Texts[K, V], error) {
	const where = "hashmap.Texts.Clone"
	t.m.use(where)
	m, err := t.m.clone()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return &Texts[K, V]{textForm: t.textForm, m: m}, nil
}

// Reserve allocates pages for n entries in total, as Map.Reserve does. Memory for values is
// committed as needed.
func (t *Texts[K, V]) Reserve(n int) error {
	const where = "hashmap.Texts.Reserve"
	t.m.use(where)
	if err := t.m.index.reserve(n); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// Stats returns the current statistics. It reads the directory, but neither pages nor values. The
// statistics of a closed Texts are zero.
func (t *Texts[K, V]) Stats() TextsStats {
	if t.m.isClosed() {
		return TextsStats{}
	}
	t.m.use("hashmap.Texts.Stats")
	return t.m.stats()
}

// Verify checks every entry. It returns an error that wraps ErrInvalid for each inconsistency of
// keys that Map.Verify detects, for a string that is not a valid key of type K, and for a value
// that is missing or that two keys share. It does not change the Texts.
func (t *Texts[K, V]) Verify() error {
	const where = "hashmap.Texts.Verify"
	t.m.use(where)
	if err := t.m.verify(where, 0, 1, t.isKey); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}
