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

// A Texts holds values that are strings or byte slices of any length, outside the Go heap. Keys are
// strings, integers, bools, and arrays and structs of them, strings included. NewTexts or
// OpenTextsFile makes a Texts, and Close ends it. The zero Texts cannot be used.
//
// Set copies a key and a value in, and Get copies a value out, which is one allocation; AppendGet
// copies into the caller's room, and View copies nothing. An empty slice, or a nil one, comes back
// as an empty slice. A value takes its bytes and 9 more, rounded up by an eighth at most; a key is
// a string in the index, where one of a struct takes its fields and a byte for each string of less
// than 128 bytes. What is deleted or replaced is reused, and values slide together where a quarter
// of their memory is dead. All values of a Texts have at most 16 GiB; where memory is Go's (32-bit,
// wasm, -race), 16 MiB.
//
// One goroutine may change a Texts at a time, and no other may use it meanwhile: not even for
// reading. Any number may read it while nothing changes it. [ShardedTexts] is for several. Why it
// is a type of its own: docs/decisions/0055.
type Texts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	m *textMap
}

// NewTexts returns an empty Texts. It fails if K has a pointer, a float or an interface, if an
// option is out of range, or if the system has no memory. Options are those of a Map.
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

// A textForm is what a Texts knows of its types.
type textForm[K comparable, V ~string | ~[]byte] struct {
	keys   keyPlan
	values varlen.Form[V]
}

func formOf[K comparable, V ~string | ~[]byte](where string) (f textForm[K, V], err error) {
	f.keys, err = planKeys(where, reflect.TypeFor[K]())
	f.values = varlen.FormOf[V]()
	return f, err
}

// named returns the options with a name for profiles.
func (f *textForm[K, V]) named(kind string, o Options) Options {
	if o.Name == "" {
		o.Name = fmt.Sprintf("hashmap.%s[%s,%s]", kind, reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return o
}

// isKey reports whether a key has that string.
func (f *textForm[K, V]) isKey(text string) bool {
	_, ok := keyOf[K](&f.keys, text)
	return ok
}

// compute is Compute for the method where, of a key as a string with its hash.
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

// takeOut takes a key and its value out, of which it stores a copy unless value is nil.
func (f *textForm[K, V]) takeOut(m *textMap, h uint64, key string, value *V) bool {
	if value != nil {
		if b, ok := m.get(h, key); ok {
			*value = f.values.Value(b)
		}
	}
	return m.remove(h, key)
}

// lend calls do with the bytes of a value that the map still has. In checked builds they are a
// copy, which is overwritten afterwards, and a map that changed meanwhile panics.
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

// get returns the bytes of a key's value, which the map still has.
func (t *Texts[K, V]) get(where string, k *K) ([]byte, bool) {
	t.m.use(where)
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	return t.m.get(t.m.hashOf(key), key)
}

// Get returns a copy of the value of a key, and whether the Texts has it. It costs a Get of a Map
// with string keys, one more cache miss in a large Texts, and one allocation.
func (t *Texts[K, V]) Get(k K) (v V, ok bool) {
	b, ok := t.get("hashmap.Texts.Get", &k)
	if ok {
		v = t.values.Value(b)
	}
	return v, ok
}

// AppendGet appends the value of a key to room, and returns the longer slice and whether the Texts
// has the key. It allocates only where append does.
func (t *Texts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	b, ok := t.get("hashmap.Texts.AppendGet", &k)
	return append(room, b...), ok
}

// View calls do with the bytes of a key's value, where they are, and reports whether the Texts has
// the key. The bytes may be read until do returns, and must not be written; do must not change the
// Texts. Checked builds lend a copy, overwrite it afterwards, and panic if do changed the Texts.
func (t *Texts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.Texts.View"
	b, ok := t.get(where, &k)
	if ok {
		lend(where, t.m, b, do)
	}
	return ok
}

// Has reports whether the Texts has a key.
func (t *Texts[K, V]) Has(k K) bool {
	_, ok := t.get("hashmap.Texts.Has", &k)
	return ok
}

// Set stores a copy of v under k, replacing any existing value. One of the same length is
// overwritten in place. It panics if the Texts is full or closed; TrySet returns the error instead.
func (t *Texts[K, V]) Set(k K, v V) {
	const where = "hashmap.Texts.Set"
	if err := t.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
}

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The Texts then has
// the entries that it had.
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

// GetOrSet returns a copy of the value of a key and true, or stores v there and returns it and
// false. It panics as Set does.
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

// Update calls change with a copy of the value of a key, or with the zero value and false, and
// stores what it returns. change may use the Texts. Update panics as Set does.
func (t *Texts[K, V]) Update(k K, change func(v V, ok bool) V) {
	t.computed("hashmap.Texts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of a key and true, or with the zero value and false, and
// does what f says: it stores the new value, takes the key out, or leaves it as it is. It returns
// the value that the key has then, and whether it has one. f may use the Texts. Compute panics as
// Set does.
func (t *Texts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return t.computed("hashmap.Texts.Compute", &k, f)
}

// computed is Compute for the method where.
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

// Delete takes a key and its value out, and reports whether the key was there. Later keys and
// values reuse the room.
func (t *Texts[K, V]) Delete(k K) bool {
	return t.remove("hashmap.Texts.Delete", &k, nil)
}

// LoadAndDelete is Delete that returns a copy of the value that the key had.
func (t *Texts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = t.remove("hashmap.Texts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove is Delete for the method where. It stores a copy of the value that the key had, unless
// value is nil.
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

// All yields the entries, in no order, and allows the same changes as Map.All. Values are copies,
// an allocation each; keys share one for up to 64 of them.
func (t *Texts[K, V]) All() iter.Seq2[K, V] {
	const where = "hashmap.Texts.All"
	t.m.use(where)
	return func(yield func(K, V) bool) {
		t.m.walk(where, nil, func(text string, value []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			return !ok || yield(k, t.values.Value(value)) // only a damaged file has impossible keys
		})
	}
}

// AllBytes is All without an allocation for a value: it yields a value as bytes that are the loop's
// until its next step, and are overwritten later. Clone what is to stay, and write nothing to them.
// The loop may change the Texts. Checked builds overwrite the bytes at once.
func (t *Texts[K, V]) AllBytes() iter.Seq2[K, []byte] {
	const where = "hashmap.Texts.AllBytes"
	t.m.use(where)
	return func(yield func(K, []byte) bool) {
		var room []byte
		t.m.walk(where, nil, func(text string, value []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			if !ok {
				return true
			}
			room = append(room[:0], value...) // the loop may change the map
			return each.Lend(room, k, func(b []byte, k K) bool { return yield(k, b) })
		})
	}
}

// Keys yields the keys, as All does, and copies no value.
func (t *Texts[K, V]) Keys() iter.Seq[K] {
	const where = "hashmap.Texts.Keys"
	t.m.use(where)
	return func(yield func(K) bool) {
		t.m.walk(where, nil, func(text string, _ []byte) bool {
			k, ok := keyOf[K](&t.keys, text)
			return !ok || yield(k)
		})
	}
}

// Values yields copies of the values, as All does, and copies no keys for the loop to keep.
func (t *Texts[K, V]) Values() iter.Seq[V] {
	const where = "hashmap.Texts.Values"
	t.m.use(where)
	return func(yield func(V) bool) {
		var room []byte
		t.m.walk(where, &room, func(_ string, value []byte) bool { return yield(t.values.Value(value)) })
	}
}

// Len returns the count of entries.
func (t *Texts[K, V]) Len() int {
	t.m.use("hashmap.Texts.Len")
	return t.m.index.length
}

// Clear drops all entries and keeps the memory. It costs nothing for each entry.
func (t *Texts[K, V]) Clear() {
	const where = "hashmap.Texts.Clear"
	t.m.use(where)
	if checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	t.m.reset(where)
}

// Close gives all memory back to the system. A second Close does nothing.
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

// Reserve makes pages for n entries in all, as Map.Reserve does. Room for values comes as they do.
func (t *Texts[K, V]) Reserve(n int) error {
	const where = "hashmap.Texts.Reserve"
	t.m.use(where)
	if err := t.m.index.reserve(n); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// Stats returns counts. It looks at the directory, and neither at pages nor at values. Those of a
// closed Texts are zero.
func (t *Texts[K, V]) Stats() TextsStats {
	if t.m.isClosed() {
		return TextsStats{}
	}
	t.m.use("hashmap.Texts.Stats")
	return t.m.stats()
}

// Verify looks at every entry, and returns an error that wraps ErrInvalid if there is something
// that no Texts has: what Map.Verify says of keys, a string that K cannot have, a value that is not
// there or that two keys share. It changes nothing.
func (t *Texts[K, V]) Verify() error {
	const where = "hashmap.Texts.Verify"
	t.m.use(where)
	if err := t.m.verify(where, 0, 1, t.isKey); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}
