package btree

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/fixed"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Map holds values of type V under keys of type K in ascending order, outside the Go heap.
// Neither has a pointer; K may be a string type. New makes one, and Close ends it. The zero Map
// cannot be used.
//
// One goroutine may change a Map at a time, and no other may use it meanwhile: not even for
// reading. Any number may read it while nobody changes it, and any number may read a [Snapshot] at
// any time. A Map must not be copied.
type Map[K, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	reader[K, V]
	tree *tree
}

// New returns an empty Map. Numbers have the order of cmp.Compare, and strings that of their bytes.
// It fails if K or V has a pointer, if an option is out of range, or if the system has no memory. A
// small Map costs 2 to 4 KiB of Go heap and no call to the system, so that a process may have a
// million. Nodes of more than 32 KiB, and texts of more than that, have memory of their own outside
// the Go heap: each costs two of the process's mappings, of which Linux allows 65,530
// (vm.max_map_count).
func New[K cmp.Ordered, V any](options Options) (*Map[K, V], error) {
	return open[K, V]("btree.New", nil, options, 1)
}

// NewFunc returns an empty Map whose keys are ordered by compare, which returns a negative number
// if a < b, 0 if they are equal, and a positive one if a > b. It must not use the Map. K has no
// pointer, and is no string. NewFunc fails as New does.
func NewFunc[K, V any](compare func(a, b K) int, options Options) (*Map[K, V], error) {
	return open[K, V]("btree.NewFunc", compare, options, 1)
}

// Must returns what New, or another function that makes or opens one, returned. It panics if there
// is an error, with its text.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

// open makes a Map for the function where, called skip frames below the user.
func open[K, V any](where string, compare func(a, b K) int, o Options, skip int) (*Map[K, V], error) {
	f, s, err := layOut[K, V](where, o, compare == nil)
	if err != nil {
		return nil, err
	}
	return laidOut[K, V](where, f, s, compare, o, skip+1)
}

// laidOut is open with nodes of a shape.
func laidOut[K, V any](where string, f form, s shape, compare func(a, b K) int, o Options, skip int) (*Map[K, V], error) {
	t, err := openTree(s, 1, o.Max, o.HugePages, newAccount[K, V](o.Name, skip+1))
	if err == nil {
		err = t.begin()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return mapOf[K, V](t, f, compare), nil
}

// layOut checks types and options of the function where.
func layOut[K, V any](where string, o Options, ordered bool) (form, shape, error) {
	k, v := reflect.TypeFor[K](), reflect.TypeFor[V]()
	if o.Max < 0 {
		return form{}, shape{}, fmt.Errorf("%s: negative Max %d; leave it 0 for the default", where, o.Max)
	}
	f, m, ok := formOf(k)
	switch {
	case !ordered:
		f, m = form{}, compared
		if k.Size() == 0 {
			return f, shape{}, fmt.Errorf("%s: keys of type %s have no size, so there is only one", where, k)
		}
	case !ok:
		return f, shape{}, fmt.Errorf("%s: keys of type %s have no order; use NewFunc with a function that compares them", where, k)
	}
	if m != stringed {
		if err := fixed.Check(where, k, fixed.Contained); err != nil {
			return f, shape{}, err
		}
	}
	if err := fixed.Check(where, v, fixed.Contained); err != nil {
		return f, shape{}, err
	}
	s, err := shapeOf(m, k.Size(), v.Size(), o.Ranked)
	if err != nil {
		return f, s, fmt.Errorf("%s: %w", where, err)
	}
	return f, s, nil
}

func newAccount[K, V any](name string, skip int) *vmem.Account {
	if name == "" {
		name = fmt.Sprintf("btree.Map[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return vmem.NewAccount(name, skip+1)
}

func mapOf[K, V any](t *tree, f form, compare func(a, b K) int) *Map[K, V] {
	m := &Map[K, V]{tree: t}
	m.reader = reader[K, V]{view: &t.view, form: f, order: compare, changes: &t.changes}
	return m
}

// use panics if there is no tree.
func (m *Map[K, V]) use(where string) *tree {
	if m.tree == nil || m.tree.closed {
		panic(where + ": the map is closed, or was not made by New or OpenFile")
	}
	return m.tree
}

// Get returns the value of a key, and whether the Map has it. It costs about two waits for memory
// for each floor of the tree that is not in the processor's cache, and no allocation.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if m.tree == nil {
		m.use("btree.Map.Get")
	}
	return m.get(k)
}

// Has reports whether the Map has a key.
func (m *Map[K, V]) Has(k K) bool {
	m.use("btree.Map.Has")
	_, ok := m.get(k)
	return ok
}

// Set puts a value under a key, in place of the one that was there. It costs a Get, and what it
// moves within a node; every thirtieth new key or so divides a node. It panics if the Map is full
// or closed; TrySet returns the error instead.
func (m *Map[K, V]) Set(k K, v V) {
	if checks.Enabled {
		m.guard.Enter("btree.Map.Set")
		defer m.guard.Leave()
	}
	if _, _, err := m.put("btree.Map.Set", &k, &v, true); err != nil {
		panic("btree.Map.Set: " + err.Error())
	}
}

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The Map is then as
// it was.
func (m *Map[K, V]) TrySet(k K, v V) error {
	if checks.Enabled {
		m.guard.Enter("btree.Map.TrySet")
		defer m.guard.Leave()
	}
	if _, _, err := m.put("btree.Map.TrySet", &k, &v, true); err != nil {
		return fmt.Errorf("btree.Map.TrySet: %w", err)
	}
	return nil
}

// put places a key, and returns the value that is there. replace says that v replaces one that was
// there.
func (m *Map[K, V]) put(where string, k *K, v *V, replace bool) (old V, found bool, err error) {
	t := m.use(where)
	p := m.probeOf(k)
	n, at, found, err := t.place(&p)
	if err != nil {
		return old, false, err
	}
	to := valueAt[V](n, &t.shape, at)
	switch {
	case !found:
		if m.order != nil {
			copyKey(n.keyAt(&t.shape, at), k)
		}
		*to = *v
	case replace:
		*to = *v
	default:
		old = *to
	}
	return old, found, nil
}

// GetOrSet returns the value of a key and true, or puts v there and returns it and false. It panics
// as Set does.
func (m *Map[K, V]) GetOrSet(k K, v V) (V, bool) {
	if checks.Enabled {
		m.guard.Enter("btree.Map.GetOrSet")
		defer m.guard.Leave()
	}
	old, found, err := m.put("btree.Map.GetOrSet", &k, &v, false)
	if err != nil {
		panic("btree.Map.GetOrSet: " + err.Error())
	}
	if found {
		return old, true
	}
	return v, false
}

// TryGetOrSet is GetOrSet that returns an error, which wraps ErrFull, if there is no room. The Map
// is then as it was.
func (m *Map[K, V]) TryGetOrSet(k K, v V) (V, bool, error) {
	if checks.Enabled {
		m.guard.Enter("btree.Map.TryGetOrSet")
		defer m.guard.Leave()
	}
	old, found, err := m.put("btree.Map.TryGetOrSet", &k, &v, false)
	switch {
	case err != nil:
		return v, false, fmt.Errorf("btree.Map.TryGetOrSet: %w", err)
	case found:
		return old, true, nil
	}
	return v, false, nil
}

// Update calls change with the value of a key, or with the zero value and false, and puts what it
// returns there. change may use the Map. Update costs a Get and a Set, and panics as Set does.
func (m *Map[K, V]) Update(k K, change func(v V, ok bool) V) {
	m.use("btree.Map.Update")
	v, ok := m.get(k)
	m.Set(k, change(v, ok))
}

// TryUpdate is Update that returns an error, which wraps ErrFull, if there is no room. The Map is
// then as change left it.
func (m *Map[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	m.use("btree.Map.TryUpdate")
	v, ok := m.get(k)
	if err := m.TrySet(k, change(v, ok)); err != nil {
		return fmt.Errorf("btree.Map.TryUpdate: %w", errors.Unwrap(err))
	}
	return nil
}

// Delete takes a key and its value out, and reports whether the key was there. It costs as much as
// Set. Nodes that become less than a quarter full are joined with a neighbour. While a snapshot is
// open it may need memory for copies, and panics if there is none.
func (m *Map[K, V]) Delete(k K) bool {
	if checks.Enabled {
		m.guard.Enter("btree.Map.Delete")
		defer m.guard.Leave()
	}
	t, p := m.use("btree.Map.Delete"), m.probeOf(&k)
	found, err := t.remove(&p)
	if err != nil {
		panic("btree.Map.Delete: " + err.Error())
	}
	return found
}

// TryDelete is Delete that returns an error if there is no memory for the copies that an open
// snapshot needs. The Map has the key then, as before.
func (m *Map[K, V]) TryDelete(k K) (bool, error) {
	if checks.Enabled {
		m.guard.Enter("btree.Map.TryDelete")
		defer m.guard.Leave()
	}
	t, p := m.use("btree.Map.TryDelete"), m.probeOf(&k)
	found, err := t.remove(&p)
	if err != nil {
		return false, fmt.Errorf("btree.Map.TryDelete: %w", err)
	}
	return found, nil
}

// All yields the entries in ascending order. The loop may change the Map: All goes on with the
// least key that is greater than the one it yielded last. So it yields every entry at most once,
// and those that are there all the time. Keys that are strings are copies, made for up to 64 keys
// with one allocation, which one key keeps alive; clone a key to keep it for long.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.use("btree.Map.All")
	return func(yield func(K, V) bool) { m.ascending(span[K]{})(yield) }
}

// AllBytes is All for keys that are strings, without an allocation for any: it yields a key as
// bytes that are the loop's until its next step, and are overwritten later. Clone what is to stay,
// and write nothing to them. The loop may change the Map as one over All. Checked builds overwrite
// the bytes at once. AllBytes panics if K is of another kind.
func (m *Map[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	m.use("btree.Map.AllBytes")
	m.mustBeText("btree.Map.AllBytes")
	return func(yield func([]byte, V) bool) { m.lendUp(yield) }
}

// Keys yields the keys in ascending order, as All does.
func (m *Map[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values in the order of their keys, as All does.
func (m *Map[K, V]) Values() iter.Seq[V] { return each.Value(m.All()) }

// Backward yields the entries in descending order, and is otherwise like All.
func (m *Map[K, V]) Backward() iter.Seq2[K, V] {
	m.use("btree.Map.Backward")
	return func(yield func(K, V) bool) { m.descending(span[K]{})(yield) }
}

// Range yields the entries with keys of at least from and less than to in ascending order, and is
// otherwise like All.
func (m *Map[K, V]) Range(from, to K) iter.Seq2[K, V] {
	m.use("btree.Map.Range")
	return func(yield func(K, V) bool) {
		m.ascending(span[K]{from: from, to: to, hasFrom: true, bounded: true})(yield)
	}
}

// Ascend yields the entries with keys of at least k in ascending order, and is otherwise like All.
func (m *Map[K, V]) Ascend(k K) iter.Seq2[K, V] {
	m.use("btree.Map.Ascend")
	return func(yield func(K, V) bool) { m.ascending(span[K]{from: k, hasFrom: true})(yield) }
}

// Descend yields the entries with keys of at most k in descending order, and is otherwise like All.
func (m *Map[K, V]) Descend(k K) iter.Seq2[K, V] {
	m.use("btree.Map.Descend")
	return func(yield func(K, V) bool) { m.descending(span[K]{from: k, hasFrom: true})(yield) }
}

// Min returns the entry with the least key, and false if there is none.
func (m *Map[K, V]) Min() (K, V, bool) {
	m.use("btree.Map.Min")
	return m.first(span[K]{}, forward)
}

// Max returns the entry with the greatest key, and false if there is none.
func (m *Map[K, V]) Max() (K, V, bool) {
	m.use("btree.Map.Max")
	return m.first(span[K]{}, backward)
}

// Seek returns the entry with the least key of at least k, and false if there is none.
func (m *Map[K, V]) Seek(k K) (K, V, bool) {
	m.use("btree.Map.Seek")
	return m.first(span[K]{from: k, hasFrom: true}, forward)
}

// Len returns the count of entries.
func (m *Map[K, V]) Len() int { return m.use("btree.Map.Len").length }

// Clear drops all entries and keeps the memory. It costs nothing for each entry unless a snapshot
// is open.
func (m *Map[K, V]) Clear() {
	if checks.Enabled {
		m.guard.Enter("btree.Map.Clear")
		defer m.guard.Leave()
	}
	m.use("btree.Map.Clear").reset()
}

// Close gives all memory back to the system; if snapshots are open, the last one to be closed does.
// A second Close does nothing.
func (m *Map[K, V]) Close() error {
	if m.tree == nil {
		return nil
	}
	if err := m.tree.close(); err != nil {
		return fmt.Errorf("btree.Map.Close: %w", err)
	}
	return nil
}

// Clone returns a Map with the same entries. It costs one copy of the memory; while a snapshot is
// open the entries are put one after another instead, in order.
func (m *Map[K, V]) Clone() (*Map[K, V], error) {
	m.use("btree.Map.Clone")
	c, err := m.clone()
	if err != nil {
		return nil, fmt.Errorf("btree.Map.Clone: %w", err)
	}
	return c, nil
}

func (m *Map[K, V]) clone() (*Map[K, V], error) {
	c, err := m.emptyLike(m.tree, m.tree.shape)
	if err != nil {
		return nil, err
	}
	if m.tree.held.newest.Load() != 0 {
		err = c.fillFrom(m)
	} else {
		err = c.tree.copyFrom(m.tree)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// fillFrom puts the entries of another Map into an empty one.
func (m *Map[K, V]) fillFrom(from *Map[K, V]) error {
	err := m.AppendSorted(from.All())
	if err == nil && from.tree.texted {
		err = m.tree.adopt(from.tree.heap)
	}
	return err
}

// emptyLike returns an empty Map like m, with nodes of a shape.
func (m *Map[K, V]) emptyLike(t *tree, s shape) (*Map[K, V], error) {
	c, err := openTree(s, t.top, t.most, t.huge, newAccount[K, V](t.account.Name, 3))
	if err == nil {
		err = c.begin()
	}
	if err != nil {
		return nil, err
	}
	return mapOf[K, V](c, m.form, m.order), nil
}

// AppendSorted puts the entries of a sequence, whose keys ascend and are greater than all in the
// Map. It costs about 10 ns an entry, and leaves nodes full. It stops with an error at a key that
// is not greater than the one before, and if there is no room, in which case the error wraps
// ErrFull; what was put before remains.
func (m *Map[K, V]) AppendSorted(entries iter.Seq2[K, V]) error {
	return m.appendSorted("btree.Map.AppendSorted", entries)
}

func (m *Map[K, V]) appendSorted(where string, entries iter.Seq2[K, V]) error {
	if checks.Enabled {
		m.guard.Enter(where)
		defer m.guard.Leave()
	}
	t := m.use(where)
	t.appending = true
	defer func() { t.appending = false }()
	for k, v := range entries {
		if t.closed {
			m.use(where) // the sequence has closed it
		}
		p := m.probeOf(&k)
		if !t.above(&p) {
			return fmt.Errorf("%s: the key after entry %d is not greater than the one before", where, t.length)
		}
		n, at, _, err := t.place(&p)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if m.order != nil {
			copyKey(n.keyAt(&t.shape, at), &k)
		}
		*valueAt[V](n, &t.shape, at) = v
	}
	return nil
}

// Stats says what a Map and its snapshots have.
type Stats struct {
	Len       int    // entries
	Height    int    // floors of inner nodes
	Nodes     int    // nodes in the tree, or seen by snapshots
	Free      int    // nodes that are free
	NodeBytes uint64 // bytes of a node
	TextBytes uint64 // bytes of memory that texts of keys have, those freed included
	Committed uint64 // bytes of memory, of nodes and texts
	Verified  bool   // OpenFile looked at all entries; else those of a file are checked as they are read

	Snapshots int    // open ones
	HeldNodes int    // nodes that only they see
	HeldTexts int    // texts, or blocks of them, that only they see, or once saw
	Copies    uint64 // nodes copied for them since the map was opened
}

// Stats returns counts that cost nothing to keep. A snapshot that nobody closes shows in Snapshots,
// and what it costs in HeldNodes and HeldTexts. Those of a closed Map are zero, so that a monitor
// may still ask.
func (m *Map[K, V]) Stats() Stats {
	if m.tree == nil || m.tree.closed {
		return Stats{}
	}
	t := m.tree
	s := Stats{Verified: t.verified, Len: t.length, Height: t.height, NodeBytes: uint64(t.nodeBytes), TextBytes: t.heap.Used(), Copies: t.held.copies.Load()}
	s.Free = int(t.spare) + len(t.recycled)
	s.Nodes = int(t.top) - 1 - s.Free
	s.Committed = uint64(t.region.Committed() + t.heap.Committed())
	open, nodes, texts, waiting := t.held.sizes()
	s.Snapshots, s.HeldNodes, s.HeldTexts = open, nodes, texts
	s.Free += waiting
	s.Nodes -= waiting
	return s
}
