package hashmap

import (
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// An Indexed maps keys of type K to values of any type V, including types with pointers. Keys are
// outside the Go heap, as in a Map. They must not contain pointers, but may be strings, which are
// copied. Values are on the Go heap, in chunks of up to 64 KiB that never move, and the collector
// follows their pointers as in any slice. NewIndexed creates an Indexed, and Close releases it. The
// zero Indexed is not usable.
//
// Compared with map[K]V, an Indexed has two advantages: the collector scans no buckets, keys or key
// strings, and Set never copies other values. The collector still follows the pointers in values.
// With a million values that are pointers, a collection takes a third of the time that it takes
// with Go's map, and a sixth if keys are strings. Compared with Go's map, Get takes as long for
// string keys and twice as long for integer keys, and Set takes 1.4 to 1.6 times as long. With ten
// thousand entries, Get takes 1.4 to 1.7 times as long. A collection then takes a quarter less time
// if keys are strings, and the same time if they are integers (docs/decisions/0050 has the table).
//
// Any number of goroutines may read an Indexed at the same time. While a goroutine changes it, no
// other goroutine may use it. An Indexed must not be copied: all methods of a copy panic.
// docs/decisions/0050 explains why values are not stored in the index.
type Indexed[K comparable, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	core[K, uint32]
	cells cells[V]
}

// NewIndexed returns an empty Indexed. It fails if K contains a pointer, if an option is out of
// range, or if the system has no memory. The options have the same meaning as for a Map, with two
// exceptions: NewIndexed ignores Verify, because an Indexed cannot be saved, and HugePages applies
// only to keys.
func NewIndexed[K comparable, V any](options Options) (*Indexed[K, V], error) {
	const where = "hashmap.NewIndexed"
	if options.Max < 0 {
		return nil, fmt.Errorf("%s: negative Max %d; use 0 for the default", where, options.Max)
	}
	seed := hash.NewSeed()
	f, err := check[K, uint32](where, seed)
	if err != nil {
		return nil, err
	}
	m := &Indexed[K, V]{core: core[K, uint32]{hash: f, seed: seed}, cells: cellsOf[V]()}
	m.text, m.simple = f.Kind == hash.Text, f.Kind == hash.Memory
	m.most, m.huge = options.Max, options.HugePages
	name := options.Name
	if name == "" {
		name = fmt.Sprintf("hashmap.Indexed[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	if err := m.table.open(groupBytes[K, uint32](m.text), 0, m.most, vmem.NewAccount(name, 1)); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if err := m.table.begin(); err != nil {
		return nil, fmt.Errorf("%s: %w", where, errors.Join(err, m.table.close()))
	}
	m.own()
	return m, nil
}

// Get returns the value of k and reports whether k is present. In a large Indexed, it has one more
// cache miss than Map.Get. It does not allocate.
func (m *Indexed[K, V]) Get(k K) (v V, ok bool) {
	m.use("hashmap.Indexed.Get")
	if n := m.lookup(&k); n != nil {
		return *m.cells.at(*n), true
	}
	return v, false
}

// Ptr returns a pointer to the value of k, or nil if k is not present. The pointer is valid until k
// is deleted or Clear or Close is called. The value does not move when a key is set or the Indexed
// grows. When the pointer is no longer valid, it may point to the value of a different key. It is
// still memory-safe, because it points into the Go heap and keeps its chunk alive. With regard to
// concurrent use, a read through the pointer is a read of the Indexed, and a write is a change.
func (m *Indexed[K, V]) Ptr(k K) *V {
	m.use("hashmap.Indexed.Ptr")
	if n := m.lookup(&k); n != nil {
		return m.cells.at(*n)
	}
	return nil
}

// Has reports whether k is present.
func (m *Indexed[K, V]) Has(k K) bool {
	m.use("hashmap.Indexed.Has")
	return m.lookup(&k) != nil
}

// Set sets the value of k to v. For an existing key it takes as long as Get. For a new key it also
// inserts the key into the index, and sometimes allocates a chunk of values. It panics if the
// Indexed is full or closed; TrySet returns the error instead.
func (m *Indexed[K, V]) Set(k K, v V) {
	const where = "hashmap.Indexed.Set"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	to, _, err := m.place(&k)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	*to = v
}

// TrySet is like Set, but if there is no room for the key, it returns an error that wraps ErrFull
// and does not change the Indexed. As usual in Go, the process ends if the Go heap has no memory
// for the value.
func (m *Indexed[K, V]) TrySet(k K, v V) error {
	const where = "hashmap.Indexed.TrySet"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	to, _, err := m.place(&k)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	*to = v
	return nil
}

// GetOrSet returns the value of k and true if k is present. Otherwise it sets the value to v and
// returns v and false. It panics if Set would panic.
func (m *Indexed[K, V]) GetOrSet(k K, v V) (V, bool) {
	const where = "hashmap.Indexed.GetOrSet"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	to, found, err := m.place(&k)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	if !found {
		*to = v
	}
	return *to, found
}

// Update sets the value of k to the result of change. It calls change with the current value and
// true if k is present, and with the zero value and false otherwise. change may use the Indexed.
// Update takes as long as a Get and a Set, and panics if Set would panic. To change an existing
// value with one look-up, use Ptr.
func (m *Indexed[K, V]) Update(k K, change func(v V, ok bool) V) {
	v, ok := m.Get(k)
	m.Set(k, change(v, ok))
}

// Delete removes k and its value, and reports whether k was present. It looks k up twice; the
// second look-up finds its data in the processor's cache. Delete zeroes the value, so that the
// collector can free what the value pointed to. The memory of the value itself is reused for later
// values and not returned to the Go heap.
func (m *Indexed[K, V]) Delete(k K) bool {
	const where = "hashmap.Indexed.Delete"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	h := m.hashOf(&k)
	found := m.find(h, &k)
	if found == nil {
		return false
	}
	n := *found
	m.remove(h, &k)
	m.cells.drop(n)
	return true
}

// lookup returns the address of the value number that the index stores for *k, or nil if the key is
// not present.
func (m *Indexed[K, V]) lookup(k *K) *uint32 {
	if m.text {
		return m.findText(m.hash.String(textOf(k)), textOf(k))
	}
	return m.find(m.hashOf(k), k)
}

// place returns the address of the value of *k. If the key was not present, place adds it with the
// zero value, and found is false. If place fails, the Indexed does not change.
func (m *Indexed[K, V]) place(k *K) (v *V, found bool, err error) {
	h := m.hashOf(k)
	if n := m.find(h, k); n != nil {
		return m.cells.at(*n), true, nil
	}
	if m.cells.full() {
		return nil, false, fmt.Errorf("%w: it has %d entries, all that a number of 32 bits can name", ErrFull, m.length)
	}
	n, err := m.add(h, k)
	if err != nil {
		return nil, false, err
	}
	*n = m.cells.take()
	return m.cells.at(*n), false, nil
}

// All yields the entries, in unspecified order, and allows the same changes as Map.All: an entry
// that is deleted before it is reached is not yielded, an entry that is added may or may not be
// yielded, and every other entry is yielded once, with its value at that time. Keys that are
// strings are copies, as in Map.All.
func (m *Indexed[K, V]) All() iter.Seq2[K, V] {
	const where = "hashmap.Indexed.All"
	m.use(where)
	return func(yield func(K, V) bool) {
		m.walk(where, func(k K, n uint32) bool { return yield(k, *m.cells.at(n)) })
	}
}

// AllBytes is like All but does not allocate memory for keys, which must be strings: like
// Map.AllBytes, it yields each key as bytes that are valid until the next iteration. It panics if K
// is not a string type.
func (m *Indexed[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Indexed.AllBytes"
	m.use(where)
	m.mustBeText(where)
	return func(yield func([]byte, V) bool) {
		m.walkTexts(where, func(key []byte, n uint32) bool { return yield(key, *m.cells.at(n)) })
	}
}

// Keys yields the keys. It gives the same guarantees as All.
func (m *Indexed[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values. It gives the same guarantees as All. Like Map.Values, it does not read
// string keys.
func (m *Indexed[K, V]) Values() iter.Seq[V] {
	const where = "hashmap.Indexed.Values"
	m.use(where)
	return func(yield func(V) bool) {
		m.walkValues(where, func(n uint32) bool { return yield(*m.cells.at(n)) })
	}
}

// Len returns the number of entries.
func (m *Indexed[K, V]) Len() int {
	m.use("hashmap.Indexed.Len")
	return m.length
}

// Clear removes all entries and keeps the memory. It zeroes all values, so that the collector can
// free what they pointed to.
func (m *Indexed[K, V]) Clear() {
	const where = "hashmap.Indexed.Clear"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	m.table.reset(where)
	m.cells.reset()
}

// Close returns the memory of the keys to the system. The collector frees the values. If the
// Indexed is already closed, Close does nothing.
func (m *Indexed[K, V]) Close() error {
	if m.region == nil {
		return nil
	}
	m.use("hashmap.Indexed.Close")
	if err := m.table.close(); err != nil {
		return fmt.Errorf("hashmap.Indexed.Close: %w", err)
	}
	m.self, m.cells = nil, cells[V]{}
	return nil
}

// Clone returns an Indexed with the same entries. Values are copied by assignment, so what they
// point to is shared. Clone takes as long as copying the memory.
func (m *Indexed[K, V]) Clone() (*Indexed[K, V], error) {
	m.use("hashmap.Indexed.Clone")
	c := &Indexed[K, V]{core: core[K, uint32]{hash: m.hash, seed: m.seed}}
	if err := c.table.copyFrom(&m.table, vmem.NewAccount(m.account.Name, 1)); err != nil {
		return nil, fmt.Errorf("hashmap.Indexed.Clone: %w", err)
	}
	c.cells = m.cells.clone()
	c.own()
	return c, nil
}

// Reserve makes room for n entries in total, including the existing ones. Until there are n
// entries, Set then does not enlarge or divide pages. If there is no memory for the keys, Reserve
// returns an error that wraps ErrFull, and the entries do not change. Memory for values comes from
// the Go heap.
func (m *Indexed[K, V]) Reserve(n int) error {
	const where = "hashmap.Indexed.Reserve"
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	m.use(where)
	want := uint64(max(n, 0))
	if want > mostCells {
		return fmt.Errorf("%s: %w: %d entries, and a number of 32 bits names each", where, ErrFull, n)
	}
	if err := m.reserve(n); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	for m.cells.slots < want {
		m.cells.grow()
	}
	return nil
}

// IndexedStats describes the memory of an Indexed.
type IndexedStats struct {
	Stats             // statistics of the keys, each with the number of its value
	ValueSlots int    // capacity of the chunks, in values
	ValueBytes uint64 // bytes of the chunks on the Go heap, without what values reference
}

// Stats returns the current statistics. It reads the directory, but neither pages nor values. The
// statistics of a closed Indexed are zero.
func (m *Indexed[K, V]) Stats() IndexedStats {
	if m.region == nil {
		return IndexedStats{}
	}
	m.use("hashmap.Indexed.Stats")
	return IndexedStats{Stats: m.stats(), ValueSlots: int(m.cells.slots), ValueBytes: m.cells.slots * uint64(sizeOf[V]())}
}
