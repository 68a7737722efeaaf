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

// A Map is a sorted map from keys of type K to values of type V, outside the Go heap. Neither type
// may contain a pointer, but K may be a string type. New creates a Map, and Close releases it. The
// zero Map is not usable.
//
// A Map may be changed by one goroutine at a time, with no concurrent readers. Any number of
// goroutines may read it while no goroutine changes it, and any number may read a [Snapshot] at any
// time. A Map must not be copied.
type Map[K, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	reader[K, V]
	tree *tree
}

// New returns an empty Map. Numbers are ordered by cmp.Compare, and strings by their bytes. New
// fails if K or V has a pointer, if an option is out of range, or if the system has no memory. A
// small Map costs 2 to 4 KiB of Go heap and makes no system call, so a process can have a million
// of them. Once its nodes exceed 32 KiB, they move to their own memory outside the Go heap; its
// strings do so once they exceed 32 KiB. Nodes and strings then use two memory mappings each; Linux
// allows a process 65,530 mappings (vm.max_map_count).
func New[K cmp.Ordered, V any](options Options) (*Map[K, V], error) {
	return open[K, V]("btree.New", nil, options, 1)
}

// NewFunc returns an empty Map whose keys are ordered by compare, which returns a negative number
// if a < b, 0 if they are equal, and a positive number if a > b. compare must not use the Map. K
// must not contain a pointer and must not be a string type. NewFunc fails as New does.
func NewFunc[K, V any](compare func(a, b K) int, options Options) (*Map[K, V], error) {
	return open[K, V]("btree.NewFunc", compare, options, 1)
}

// Must returns its first argument, the result of New or of another function that creates or opens a
// container. It panics with the message of err if err is not nil.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

// open creates a Map. Errors begin with the name of the exported function, which is passed in
// where; skip is the number of frames from the caller up to the user's code.
func open[K, V any](where string, compare func(a, b K) int, o Options, skip int) (*Map[K, V], error) {
	f, s, err := layOut[K, V](where, o, compare)
	if err != nil {
		return nil, err
	}
	return laidOut[K, V](where, f, s, compare, o, skip+1)
}

// laidOut creates a Map, given the keys' form and the nodes' shape. Errors begin with the name of
// the exported function, which is passed in where.
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

// layOut checks the types and the options, and returns the keys' form and the nodes' shape. Errors
// begin with the name of the exported function, which is passed in where.
func layOut[K, V any](where string, o Options, compare func(a, b K) int) (form, shape, error) {
	k, v := reflect.TypeFor[K](), reflect.TypeFor[V]()
	if o.Max < 0 {
		return form{}, shape{}, fmt.Errorf("%s: negative Max %d; use 0 for the default", where, o.Max)
	}
	f, m, ok := formOf(k)
	switch {
	case compare != nil:
		f, m = form{}, compared
		if k.Size() == 0 {
			return f, shape{}, fmt.Errorf("%s: keys of type %s have size zero, so there is only one key", where, k)
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

// use returns the tree, and panics if the Map is closed or was not created by New, NewFunc or
// OpenFile.
func (m *Map[K, V]) use(where string) *tree {
	if m.tree == nil || m.tree.closed {
		panic(where + ": the map is closed, or was not made by New or OpenFile")
	}
	return m.tree
}

// Get returns the value of a key, and whether the key is present. It costs about two cache misses
// for each level of the tree that is not cached, and allocates nothing.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if m.tree == nil {
		m.use("btree.Map.Get")
	}
	return m.get(k)
}

// Has reports whether a key is present.
func (m *Map[K, V]) Has(k K) bool {
	m.use("btree.Map.Has")
	_, ok := m.get(k)
	return ok
}

// Set stores v under k, replacing any existing value. It costs as much as Get, and moves entries
// within a node; about one in thirty new keys splits a node. It panics if the Map is full or
// closed; TrySet returns the error instead.
func (m *Map[K, V]) Set(k K, v V) {
	if checks.Enabled {
		m.guard.Enter("btree.Map.Set")
		defer m.guard.Leave()
	}
	if _, _, err := m.put("btree.Map.Set", &k, &v, true); err != nil {
		panic("btree.Map.Set: " + err.Error())
	}
}

// TrySet is like Set but returns an error, which wraps ErrFull, if there is no room. The Map is
// then unchanged.
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

// put stores v under k if the key is not present. If the key is present, put replaces its value
// with v if replace is true, and otherwise returns the existing value.
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

// GetOrSet returns the value of k and true if the key is present. Otherwise it stores v and returns
// v and false. It panics as Set does.
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

// TryGetOrSet is like GetOrSet but returns an error, which wraps ErrFull, if there is no room. The
// Map is then unchanged.
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

// Update calls change with the value of k and true if the key is present, otherwise with the zero
// value and false, and stores the result. change may use the Map. Update costs as much as Get and
// Set together, and panics as Set does.
func (m *Map[K, V]) Update(k K, change func(v V, ok bool) V) {
	m.use("btree.Map.Update")
	v, ok := m.get(k)
	m.Set(k, change(v, ok))
}

// TryUpdate is like Update but returns an error, which wraps ErrFull, if there is no room. The only
// changes to the Map are then those that the function change itself made.
func (m *Map[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	m.use("btree.Map.TryUpdate")
	v, ok := m.get(k)
	if err := m.TrySet(k, change(v, ok)); err != nil {
		return fmt.Errorf("btree.Map.TryUpdate: %w", errors.Unwrap(err))
	}
	return nil
}

// Delete removes a key and its value, and reports whether the key was present. It costs as much as
// Set. Nodes that become less than a quarter full are joined with a neighbor. While a snapshot is
// open, Delete may need memory for copies, and panics if there is none.
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

// TryDelete is like Delete but returns an error if there is no memory for the copies that an open
// snapshot needs. The key is then still present.
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

// All yields the entries in ascending order. The loop may change the Map: All continues with the
// smallest key that is greater than the one it yielded last. It therefore yields no entry twice,
// and does not miss an entry that is present throughout the loop. Keys that are strings are copies:
// one allocation holds up to 64 keys, and stays alive as long as one of them is in use. To keep a
// single key, make a copy with strings.Clone.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.use("btree.Map.All")
	return func(yield func(K, V) bool) { m.ascending(span[K]{})(yield) }
}

// AllBytes is like All for string keys but allocates nothing: it yields each key as bytes that are
// valid until the next iteration and are overwritten later. Make a copy of bytes that you keep, and
// do not write to the bytes. The loop may change the Map, as with All. Checked builds overwrite the
// bytes immediately. AllBytes panics if K is not a string type.
func (m *Map[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	m.use("btree.Map.AllBytes")
	m.mustBeText("btree.Map.AllBytes")
	return func(yield func([]byte, V) bool) { m.lendUp(yield) }
}

// Keys yields the keys in ascending order, and is otherwise like All.
func (m *Map[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values in the order of their keys, and is otherwise like All.
func (m *Map[K, V]) Values() iter.Seq[V] { return each.Value(m.All()) }

// Backward yields the entries in descending order, and is otherwise like All.
func (m *Map[K, V]) Backward() iter.Seq2[K, V] {
	m.use("btree.Map.Backward")
	return func(yield func(K, V) bool) { m.descending(span[K]{})(yield) }
}

// Range yields the entries with from <= key < to in ascending order, and is otherwise like All.
func (m *Map[K, V]) Range(from, to K) iter.Seq2[K, V] {
	m.use("btree.Map.Range")
	return func(yield func(K, V) bool) {
		m.ascending(span[K]{from: from, to: to, hasFrom: true, bounded: true})(yield)
	}
}

// Ascend yields the entries with key >= k in ascending order, and is otherwise like All.
func (m *Map[K, V]) Ascend(k K) iter.Seq2[K, V] {
	m.use("btree.Map.Ascend")
	return func(yield func(K, V) bool) { m.ascending(span[K]{from: k, hasFrom: true})(yield) }
}

// Descend yields the entries with key <= k in descending order, and is otherwise like All.
func (m *Map[K, V]) Descend(k K) iter.Seq2[K, V] {
	m.use("btree.Map.Descend")
	return func(yield func(K, V) bool) { m.descending(span[K]{from: k, hasFrom: true})(yield) }
}

// Min returns the entry with the smallest key, and false if the Map is empty.
func (m *Map[K, V]) Min() (K, V, bool) {
	m.use("btree.Map.Min")
	return m.first(span[K]{}, forward)
}

// Max returns the entry with the largest key, and false if the Map is empty.
func (m *Map[K, V]) Max() (K, V, bool) {
	m.use("btree.Map.Max")
	return m.first(span[K]{}, backward)
}

// Seek returns the entry with the smallest key that is at least k, and false if there is none.
func (m *Map[K, V]) Seek(k K) (K, V, bool) {
	m.use("btree.Map.Seek")
	return m.first(span[K]{from: k, hasFrom: true}, forward)
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.use("btree.Map.Len").length }

// Clear removes all entries and keeps the memory. Its cost does not depend on the number of
// entries, unless a snapshot is open.
func (m *Map[K, V]) Clear() {
	if checks.Enabled {
		m.guard.Enter("btree.Map.Clear")
		defer m.guard.Leave()
	}
	m.use("btree.Map.Clear").reset()
}

// Close returns all memory to the system. If snapshots are open, the memory is returned when the
// last of them is closed. A second Close does nothing.
func (m *Map[K, V]) Close() error {
	if m.tree == nil {
		return nil
	}
	if err := m.tree.close(); err != nil {
		return fmt.Errorf("btree.Map.Close: %w", err)
	}
	return nil
}

// Clone returns a Map with the same entries. It copies the memory of the Map. While a snapshot is
// open, Clone instead inserts the entries one after another, in ascending order.
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

// fillFrom inserts the entries of another Map into an empty one.
func (m *Map[K, V]) fillFrom(from *Map[K, V]) error {
	err := m.AppendSorted(from.All())
	if err == nil && from.tree.texted {
		err = m.tree.adopt(from.tree.heap)
	}
	return err
}

// emptyLike returns an empty Map with the options of m and nodes of the given shape.
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

// AppendSorted appends the entries of a sequence, whose keys must be ascending and greater than all
// keys in the Map. It costs about 10 ns per entry, and leaves nodes full. It stops with an error at
// a key that is not greater than the previous one, or if there is no room, in which case the error
// wraps ErrFull. Entries that were already appended remain.
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
			m.use(where) // panics, because the sequence has closed the Map
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

// Stats describes the memory of a Map and its snapshots.
type Stats struct {
	Len       int    // number of entries
	Height    int    // number of levels of inner nodes
	Nodes     int    // number of nodes in the tree or visible to snapshots
	Free      int    // number of free nodes
	NodeBytes uint64 // size of a node in bytes
	TextBytes uint64 // memory of key strings in bytes, including freed strings
	Committed uint64 // committed memory of nodes and strings in bytes
	Verified  bool   // OpenFile verified all entries; if not, entries of a file are checked when read

	Snapshots int    // number of open snapshots
	HeldNodes int    // number of nodes that are visible only to snapshots
	HeldTexts int    // number of strings, or blocks of strings, that only snapshots see or saw
	Copies    uint64 // number of nodes copied for snapshots since the map was opened
}

// Stats returns the current statistics, which cost nothing to maintain. A snapshot that is never
// closed is counted in Snapshots, and its memory in HeldNodes and HeldTexts. The statistics of a
// closed Map are zero, so that a monitor can still call Stats.
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
