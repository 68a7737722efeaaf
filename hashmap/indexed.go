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

// An Indexed holds values of any type, with pointers too, under keys of type K. Keys are outside
// the Go heap, as those of a Map are: they have no pointers, and may be strings, whose bytes are
// copied. Values are in the Go heap, in chunks of up to 64 KiB that never move, and the collector
// follows them as those of any slice. NewIndexed makes an Indexed, and Close ends it. The zero
// Indexed cannot be used.
//
// What is gained beside map[K]V: the collector scans no buckets, no keys and no text of a key, and
// no Set copies values. What it finds in values it follows all the same. With a million values that
// are pointers a collection takes a third of the time that it takes with Go's map, and a sixth if
// keys are strings. Get of a string takes as long as Go's map, Get of an integer twice as long, and
// Set 1.4 to 1.6 times as long; with ten thousand entries a Get takes 1.4 to 1.7 times as long, and
// a collection gains a quarter with strings and nothing with integers (docs/decisions/0050 has the
// table).
//
// One goroutine may change an Indexed at a time, and no other may use it meanwhile: not even for
// reading. Any number may read it while nobody changes it. An Indexed must not be copied: all
// methods of a copy panic. Why values are not in the index: docs/decisions/0050.
type Indexed[K comparable, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	core[K, uint32]
	cells cells[V]
}

// NewIndexed returns an empty Indexed. It fails if K has a pointer, if an option is out of range,
// or if the system has no memory. Options are those of a Map; Verify is ignored, since an Indexed
// is not saved. HugePages is for keys, and not for values.
func NewIndexed[K comparable, V any](options Options) (*Indexed[K, V], error) {
	const where = "hashmap.NewIndexed"
	if options.Max < 0 {
		return nil, fmt.Errorf("%s: negative Max %d; leave it 0 for the default", where, options.Max)
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

// Get returns the value of a key, and whether the Indexed has it. It costs a Get of a Map, one more
// wait for memory in a large Indexed, and no allocation.
func (m *Indexed[K, V]) Get(k K) (v V, ok bool) {
	m.use("hashmap.Indexed.Get")
	if n := m.lookup(&k); n != nil {
		return *m.cells.at(*n), true
	}
	return v, false
}

// Ptr returns where the value of a key is, or nil if the Indexed does not have the key. The value
// may be read and written there until the key is deleted, or Clear or Close is called: Sets of this
// key and of others, and growth, do not move it. Afterwards the pointer is still one into the Go
// heap, which keeps its chunk alive, so that nothing is corrupted; but what is there may be
// the value of another key. Reading there is reading the Indexed, and writing is changing it.
func (m *Indexed[K, V]) Ptr(k K) *V {
	m.use("hashmap.Indexed.Ptr")
	if n := m.lookup(&k); n != nil {
		return m.cells.at(*n)
	}
	return nil
}

// Has reports whether the Indexed has a key.
func (m *Indexed[K, V]) Has(k K) bool {
	m.use("hashmap.Indexed.Has")
	return m.lookup(&k) != nil
}

// Set stores v under k, replacing any existing value. It costs a Get and, for a new key, what it
// costs in a Map, and a chunk of values now and then. It panics if the Indexed is full or closed;
// TrySet returns the error instead.
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

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room for the key. The
// Indexed is then as it was. The Go heap is outside this: if it has no memory, the process ends.
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

// GetOrSet returns the value of a key and true, or puts v there and returns it and false. It panics
// as Set does.
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

// Update calls change with the value of a key, or with the zero value and false, and puts what it
// returns there. change may use the Indexed. Update costs a Get and a Set, and panics as Set does.
// Ptr changes a value that is there with one look-up.
func (m *Indexed[K, V]) Update(k K, change func(v V, ok bool) V) {
	v, ok := m.Get(k)
	m.Set(k, change(v, ok))
}

// Delete takes a key and its value out, and reports whether the key was there. It costs two Gets,
// of which the second finds all in the processor's cache. The value is zeroed, so that what it led
// to can be collected; its room goes to later values, and not back to the Go heap.
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

// lookup returns where the number of a key's value is, or nil.
func (m *Indexed[K, V]) lookup(k *K) *uint32 {
	if m.text {
		return m.findText(m.hash.String(textOf(k)), textOf(k))
	}
	return m.find(m.hashOf(k), k)
}

// place returns where the value of a key is. If the key was not there, it is now, with the zero
// value: found is false. If place fails, the Indexed is as it was.
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

// All yields the entries, in no order, and allows the same changes as Map.All: an entry that is
// deleted before it was reached does not come, one that is added may come or not, every other one
// comes once, with the value that it has then. Keys that are strings are copies, made with one
// allocation for up to 64 of them.
func (m *Indexed[K, V]) All() iter.Seq2[K, V] {
	const where = "hashmap.Indexed.All"
	m.use(where)
	return func(yield func(K, V) bool) {
		m.walk(where, nil, func(k K, n uint32) bool { return yield(k, *m.cells.at(n)) })
	}
}

// AllBytes is All for keys that are strings, without an allocation for any: it yields a key as
// bytes that are the loop's until its next step, as Map.AllBytes does. It panics if K is of another
// kind.
func (m *Indexed[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Indexed.AllBytes"
	m.use(where)
	m.mustBeText(where)
	return func(yield func([]byte, V) bool) {
		var room []byte
		m.walk(where, &room, func(k K, n uint32) bool {
			return each.Lend(bytesOfText(textOf(&k)), *m.cells.at(n), yield)
		})
	}
}

// Keys yields the keys, as All does.
func (m *Indexed[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values, as All does, and copies no keys for the loop to keep.
func (m *Indexed[K, V]) Values() iter.Seq[V] {
	const where = "hashmap.Indexed.Values"
	m.use(where)
	return func(yield func(V) bool) {
		var room []byte
		m.walk(where, &room, func(_ K, n uint32) bool { return yield(*m.cells.at(n)) })
	}
}

// Len returns the count of entries.
func (m *Indexed[K, V]) Len() int {
	m.use("hashmap.Indexed.Len")
	return m.length
}

// Clear drops all entries and keeps the memory. Values are zeroed, so that what they led to can be
// collected, which costs writing the chunks.
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

// Close gives the memory of keys back to the system, and leaves the values to the collector. A
// second Close does nothing.
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

// Clone returns an Indexed with the same entries. Values are copied as by an assignment: what they
// lead to is shared. It costs one copy of the memory.
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

// Reserve makes room for n entries in all, those that are there included, so that Set need not. If
// there is no memory for their keys it returns an error that wraps ErrFull, and the Indexed has the
// entries that it had. Room for values is taken from the Go heap.
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

// IndexedStats says what an Indexed has.
type IndexedStats struct {
	Stats             // of keys, each with the number of its value
	ValueSlots int    // room for values, in chunks
	ValueBytes uint64 // bytes of the Go heap that chunks have, without what values lead to
}

// Stats returns counts. It looks at the directory, and neither at pages nor at values. Those of a
// closed Indexed are zero.
func (m *Indexed[K, V]) Stats() IndexedStats {
	if m.region == nil {
		return IndexedStats{}
	}
	m.use("hashmap.Indexed.Stats")
	return IndexedStats{Stats: m.stats(), ValueSlots: int(m.cells.slots), ValueBytes: m.cells.slots * uint64(sizeOf[V]())}
}
