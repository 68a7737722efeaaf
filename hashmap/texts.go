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

// A Texts maps keys to strings or byte slices of any length, outside the Go heap. Keys may be
// strings, integers and bools, and arrays and structs of these. NewTexts or OpenTextsFile creates a
// Texts, and Close releases it. The zero Texts is not usable.
//
// Set copies a key and a value into the Texts. Get allocates a copy of the value and returns it.
// AppendGet appends the value to the caller's slice, and View does not copy it. An empty or nil
// slice is returned as an empty slice. A value takes its length plus 9 bytes, rounded up by at most
// an eighth. A key is stored as a string in the index. A struct takes the bytes of its fields, plus
// one byte for each string of less than 128 bytes. The memory of deleted and replaced values is
// reused, and values are compacted when a quarter of their memory is dead. All values of a Texts
// together are limited to 16 GiB, or to 16 MiB where maps use Go memory (32-bit, wasm, -race).
//
// Any number of goroutines may read a Texts at the same time. While a goroutine changes it, no
// other goroutine may use it. For concurrent use, there is [ShardedTexts]. docs/decisions/0055
// explains why Texts is a separate type.
type Texts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	m *textMap
}

// NewTexts returns an empty Texts. It fails if K contains a pointer, a float or an interface, if an
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

// A textForm converts between the types K and V of a Texts and the strings in its textMap, which
// does not depend on these types.
type textForm[K comparable, V ~string | ~[]byte] struct {
	keys   keyPlan
	values varlen.Form[V]
}

func formOf[K comparable, V ~string | ~[]byte](where string) (f textForm[K, V], err error) {
	f.keys, err = planKeys(where, reflect.TypeFor[K]())
	f.values = varlen.FormOf[V]()
	return f, err
}

// named returns a copy of o in which Name, if it was empty, is the type of the container. kind is
// the name of the generic type.
func (f *textForm[K, V]) named(kind string, o Options) Options {
	if o.Name == "" {
		o.Name = fmt.Sprintf("hashmap.%s[%s,%s]", kind, reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return o
}

// isKey reports whether text is the encoding of a key.
func (f *textForm[K, V]) isKey(text string) bool {
	_, ok := keyOf[K](&f.keys, text)
	return ok
}

// compute implements Compute. key is the key, encoded as a string, and h is its hash. The parameter
// where names the method that the user called, for panic messages.
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

// takeOut removes key and its value, and reports whether key was present. If value is not nil,
// takeOut stores a copy of the deleted value in *value.
func (f *textForm[K, V]) takeOut(m *textMap, h uint64, key string, value *V) bool {
	if value != nil {
		if b, ok := m.get(h, key); ok {
			*value = f.values.Value(b)
		}
	}
	return m.remove(h, key)
}

// lend passes b, the bytes of a value in the map, to do. In checked builds it passes a copy instead
// and overwrites it afterwards, and it panics if the map changed in the meantime.
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

// get returns the bytes of the value of *k, without a copy, and reports whether the key is present.
func (t *Texts[K, V]) get(where string, k *K) ([]byte, bool) {
	t.m.use(where)
	var room [stackKey]byte
	key := keyString(&t.keys, room[:0], k)
	return t.m.get(t.m.hashOf(key), key)
}

// Get returns a copy of the value of k and reports whether k is present. In addition to the cost of
// Map.Get with a string key, it has one allocation and, in a large Texts, one more cache miss.
func (t *Texts[K, V]) Get(k K) (v V, ok bool) {
	b, ok := t.get("hashmap.Texts.Get", &k)
	if ok {
		v = t.values.Value(b)
	}
	return v, ok
}

// AppendGet appends the value of k to room and returns the extended slice. It also reports whether
// k is present. It allocates only if append does.
func (t *Texts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	b, ok := t.get("hashmap.Texts.AppendGet", &k)
	return append(room, b...), ok
}

// View passes the bytes of k's value to do, without copying them, and reports whether k is present.
// do may read the bytes until it returns. It must not write to them or change the Texts. Checked
// builds pass a copy, overwrite it afterwards, and panic if do changed the Texts.
func (t *Texts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.Texts.View"
	b, ok := t.get(where, &k)
	if ok {
		lend(where, t.m, b, do)
	}
	return ok
}

// Has reports whether k is present.
func (t *Texts[K, V]) Has(k K) bool {
	_, ok := t.get("hashmap.Texts.Has", &k)
	return ok
}

// Set sets the value of k to a copy of v. A value of the same length is overwritten in place. Set
// panics if the Texts is full or closed; TrySet returns the error instead.
func (t *Texts[K, V]) Set(k K, v V) {
	const where = "hashmap.Texts.Set"
	if err := t.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
}

// TrySet is like Set, but if there is no room, it returns an error that wraps ErrFull and does not
// change the Texts.
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

// GetOrSet returns a copy of the value of k and true if k is present. Otherwise it stores a copy of
// v and returns v and false. It panics if Set would panic.
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

// Update sets the value of k to the result of change. It calls change with a copy of the current
// value and true if k is present, and with the zero value and false otherwise. change may use the
// Texts. Update panics if Set would panic.
func (t *Texts[K, V]) Update(k K, change func(v V, ok bool) V) {
	t.computed("hashmap.Texts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of k and true if k is present, and with the zero value
// and false otherwise. Depending on the op that f returns, Compute sets the value to newValue,
// deletes k, or leaves the entry unchanged. It returns the resulting value and reports whether k is
// then present. f may use the Texts. Compute panics if Set would panic.
func (t *Texts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return t.computed("hashmap.Texts.Compute", &k, f)
}

// computed encodes the key and calls compute. The parameter where names the method that the user
// called.
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

// Delete removes k and its value, and reports whether k was present. The memory is reused for later
// keys and values.
func (t *Texts[K, V]) Delete(k K) bool {
	return t.remove("hashmap.Texts.Delete", &k, nil)
}

// LoadAndDelete is like Delete but also returns a copy of the deleted value.
func (t *Texts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = t.remove("hashmap.Texts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove implements Delete and LoadAndDelete. The parameter where names the method that the user
// called. If value is not nil, remove stores a copy of the deleted value in *value.
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

// All yields the entries, in unspecified order, and allows the same changes as Map.All. Keys and
// values are copies. Each value has an allocation of its own; keys share allocations of up to 4
// KiB.
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

// AllBytes is like All but does not allocate memory for values: it yields each value as bytes that
// are valid only until the next iteration. The loop must not write to the bytes, and must copy
// bytes that it keeps. It may change the Texts. Checked builds overwrite the bytes after each
// iteration.
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
			room = append(room[:0], value...) // a copy, because the loop may change the map
			return each.Lend(room, k, func(b []byte, k K) bool { return yield(k, b) })
		})
	}
}

// Keys yields the keys. It gives the same guarantees as All. It does not copy values.
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

// Values yields copies of the values. It gives the same guarantees as All. It does not read keys.
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

// Clear removes all entries and keeps the memory. The time that it takes does not depend on the
// number of entries.
func (t *Texts[K, V]) Clear() {
	const where = "hashmap.Texts.Clear"
	t.m.use(where)
	if checks.Enabled {
		t.m.guard.Enter(where)
		defer t.m.guard.Leave()
	}
	t.m.reset(where)
}

// Close returns all memory to the system. If the Texts is already closed, Close does nothing.
func (t *Texts[K, V]) Close() error {
	if err := t.m.close(); err != nil {
		return fmt.Errorf("hashmap.Texts.Close: %w", err)
	}
	return nil
}

// Clone returns a Texts with the same entries. It takes as long as copying the memory.
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

// Verify checks every entry. It returns an error that wraps ErrInvalid for each key inconsistency
// that Map.Verify detects, for a string that is not a valid key of type K, and for a value that is
// missing or that two keys share. It does not change the Texts.
func (t *Texts[K, V]) Verify() error {
	const where = "hashmap.Texts.Verify"
	t.m.use(where)
	if err := t.m.verify(where, 0, 1, t.isKey); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}
