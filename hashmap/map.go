package hashmap

import (
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/fixed"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Map maps keys of type K to values of type V, outside the Go heap. K and V must not contain
// pointers, but K may be a string type. New creates a Map, and Close releases it. The zero Map is
// not usable. Keys are compared with ==. As in Go's map, a NaN is therefore never found, and each
// Set of a NaN adds another entry, which All yields and Clear removes.
//
// Any number of goroutines may read a Map at the same time. While a goroutine changes it, no other
// goroutine may use it. A Map must not be copied: all methods of a copy panic.
type Map[K comparable, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	core[K, V]
}

// mostEntryBytes is the maximum size of an entry in bytes. There is a limit because even the
// smallest page has eight slots.
const mostEntryBytes = 64 << 10

// New returns an empty Map. It fails if K or V contains a pointer, if an option is out of range, or
// if the system has no memory. A small Map uses some 600 bytes of the Go heap in addition to its
// page (2 KiB with string keys), and makes no system calls, so a process can have a million small
// Maps (BenchmarkSmall compares them with Go's map). Once the pages of a Map exceed 32 KiB, they
// move to a memory region outside the Go heap. Its strings move to another region once they exceed
// 32 KiB. Each region takes two memory mappings; Linux allows a process 65,530 of them
// (vm.max_map_count).
func New[K comparable, V any](options Options) (*Map[K, V], error) {
	return open[K, V]("hashmap.New", options, hash.NewSeed(), 1)
}

// Must returns made if err is nil, and otherwise panics with err's message. It wraps a call to New
// or to another function that creates or opens a container.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

// open creates a Map. The parameter where names the function that the user called, for errors. skip
// is the number of stack frames from the caller up to the user's code.
func open[K comparable, V any](where string, o Options, seed uint64, skip int) (*Map[K, V], error) {
	m, err := plan[K, V](where, o, seed)
	if err != nil {
		return nil, err
	}
	if err := m.begin(0, newAccount[K, V](o.Name, skip+1), true); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return m, nil
}

// plan checks the types and the options, and returns a Map for which no memory has been reserved
// yet. The parameter where names the function that the user called, for errors.
func plan[K comparable, V any](where string, o Options, seed uint64) (*Map[K, V], error) {
	if o.Max < 0 {
		return nil, fmt.Errorf("%s: negative Max %d; use 0 for the default", where, o.Max)
	}
	f, err := check[K, V](where, seed)
	if err != nil {
		return nil, err
	}
	m := &Map[K, V]{core: core[K, V]{hash: f, seed: seed}}
	m.text, m.simple = f.Kind == hash.Text, f.Kind == hash.Memory
	m.most, m.huge, m.watched = o.Max, o.HugePages, o.watched
	return m, nil
}

// check checks the types and returns the hash function for keys. It must not use the type Map[K,
// V], because the compiler would then compile all its methods.
func check[K comparable, V any](where string, seed uint64) (hash.Func[K], error) {
	f, err := hash.For[K](where, seed)
	if err != nil {
		return f, err
	}
	v := reflect.TypeFor[V]()
	if err := fixed.Check(where, v, fixed.Contained); err != nil {
		return f, err
	}
	if bytes := f.Size + v.Size(); bytes > mostEntryBytes {
		return f, fmt.Errorf("%s: an entry of %d bytes exceeds the maximum of %d; keep large values in a store.Store and their Ref here", where, bytes, mostEntryBytes)
	}
	return f, nil
}

func newAccount[K comparable, V any](name string, skip int) *vmem.Account {
	if name == "" {
		name = fmt.Sprintf("hashmap.Map[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return vmem.NewAccount(name, skip+1)
}

// begin reserves memory for the Map. least is the minimum size of the memory in bytes. If page is
// true, begin also creates the first page.
func (m *Map[K, V]) begin(least uint64, account *vmem.Account, page bool) error {
	if err := m.table.open(groupBytes[K, V](m.text), least, m.most, account); err != nil {
		return err
	}
	m.own()
	if !page {
		return nil
	}
	if err := m.table.begin(); err != nil {
		return errors.Join(err, m.Close())
	}
	return nil
}

// Get returns the value of k and reports whether k is present. In a large Map it has about three
// cache misses, and one more if k is a string. It does not allocate.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if m.self != &m.core {
		m.cannotUse("hashmap.Map.Get")
	}
	if !m.simple {
		var found *V
		if m.text {
			found = m.findText(m.hash.String(textOf(&k)), textOf(&k))
		} else {
			found = m.find(m.hash.Hash(k), &k)
		}
		if found != nil {
			v, ok = *found, true
		}
		return v, ok
	}
	var h uint64
	if sizeOf[K]() == wordBytes {
		h = m.hash.Word(wordOf(&k)) // as Plain does, but inlined
	} else {
		h = hash.Plain(&m.hash.Secrets, &k)
	}
	// The rest repeats the code of find, because a call would take a fifth of the time of a look-up
	// whose data is in the processor's cache.
	r := m.dir[m.index(h)]
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := groupAt[K, V](m.base, at, i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			if s := &g.slots[match.first()]; s.key == k {
				return s.value, true
			}
		}
		if emptySlots(g.control) != 0 {
			break
		}
	}
	return v, false
}

// Has reports whether k is present.
func (m *Map[K, V]) Has(k K) bool {
	m.use("hashmap.Map.Has")
	return m.find(m.hashOf(&k), &k) != nil
}

// Set sets the value of k to v. It takes as long as Get. From time to time, a Set of a new key also
// replaces a page with a larger page or with two pages, and then moves some 900 entries at most.
// Set panics if the Map is full or closed; TrySet returns the error instead.
func (m *Map[K, V]) Set(k K, v V) {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Set")
		defer m.guard.Leave()
	}
	if m.self != &m.core {
		m.cannotUse("hashmap.Map.Set")
	}
	var h uint64
	var to *V
	switch { // as in Get
	case m.text:
		h = m.hash.String(textOf(&k))
		to = m.findText(h, textOf(&k))
	case m.simple && sizeOf[K]() == wordBytes:
		h = m.hash.Word(wordOf(&k))
		to = m.find(h, &k)
	default:
		h = m.hashOf(&k)
		to = m.find(h, &k)
	}
	if to != nil {
		m.changes++
		*to = v
		return
	}
	to, err := m.add(h, &k)
	if err != nil {
		panic("hashmap.Map.Set: " + err.Error())
	}
	*to = v
}

// TrySet is like Set, but if there is no room, it returns an error that wraps ErrFull and does not
// change the Map.
func (m *Map[K, V]) TrySet(k K, v V) error {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.TrySet")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.TrySet")
	to, _, err := m.put(m.hashOf(&k), &k)
	if err != nil {
		return fmt.Errorf("hashmap.Map.TrySet: %w", err)
	}
	*to = v
	return nil
}

// GetOrSet returns the value of k and true if k is present. Otherwise it sets the value to v and
// returns v and false. It panics if Set would panic.
func (m *Map[K, V]) GetOrSet(k K, v V) (V, bool) {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.GetOrSet")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.GetOrSet")
	v, found, err := m.getOrSet(&k, &v)
	if err != nil {
		panic("hashmap.Map.GetOrSet: " + err.Error())
	}
	return v, found
}

// TryGetOrSet is like GetOrSet, but if there is no room, it returns an error that wraps ErrFull and
// does not change the Map.
func (m *Map[K, V]) TryGetOrSet(k K, v V) (V, bool, error) {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.TryGetOrSet")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.TryGetOrSet")
	v, found, err := m.getOrSet(&k, &v)
	if err != nil {
		return v, false, fmt.Errorf("hashmap.Map.TryGetOrSet: %w", err)
	}
	return v, found, nil
}

func (m *Map[K, V]) getOrSet(k *K, v *V) (V, bool, error) {
	to, found, err := m.put(m.hashOf(k), k)
	if err == nil && !found {
		*to = *v
	}
	if err != nil {
		return *v, false, err
	}
	return *to, found, nil
}

// Update sets the value of k to the result of change. It calls change with the current value and
// true if k is present, and with the zero value and false otherwise. change may use the Map. Update
// takes as long as a Get and a Set, and panics if Set would panic.
func (m *Map[K, V]) Update(k K, change func(v V, ok bool) V) {
	v, ok := m.Get(k)
	m.Set(k, change(v, ok))
}

// TryUpdate is like Update, but if there is no room, it returns an error that wraps ErrFull and
// does not set the value. Changes that change itself has made to the Map remain.
func (m *Map[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	v, ok := m.Get(k)
	if err := m.TrySet(k, change(v, ok)); err != nil {
		return fmt.Errorf("hashmap.Map.TryUpdate: %w", errors.Unwrap(err))
	}
	return nil
}

// Delete removes k and its value, and reports whether k was present. It takes as long as Get. The
// memory is reused for later keys.
func (m *Map[K, V]) Delete(k K) bool {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Delete")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.Delete")
	return m.remove(m.hashOf(&k), &k)
}

// All yields the entries, in unspecified order. The loop may change the Map, with the guarantees of
// Go's own maps: an entry that is deleted before it is reached is not yielded, an entry that is
// added may or may not be yielded, and every other entry is yielded once. String keys are copied to
// allocations of up to 4 KiB, each of which stays alive as long as one of its keys is in use. To
// keep a single key, make a copy with strings.Clone. If keys are not strings, All copies the
// entries of one page at a time, which takes memory for about a thousand entries on the Go heap.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.use("hashmap.Map.All")
	return func(yield func(K, V) bool) { m.walk("hashmap.Map.All", yield) }
}

// AllBytes is like All but does not allocate memory for keys, which must be strings, and takes
// about a quarter of the time. It yields each key as bytes that are valid only until the next
// iteration. The loop must not write to the bytes, and must copy bytes that it keeps. It may change
// the Map, as with All. Checked builds overwrite the bytes after each iteration. AllBytes panics if
// K is not a string type.
func (m *Map[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Map.AllBytes"
	m.use(where)
	m.mustBeText(where)
	return func(yield func([]byte, V) bool) { m.walkTexts(where, yield) }
}

// Keys yields the keys. It gives the same guarantees as All.
func (m *Map[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values. It gives the same guarantees as All. It does not read string keys,
// unless the loop adds so many entries that their page is replaced.
func (m *Map[K, V]) Values() iter.Seq[V] {
	m.use("hashmap.Map.Values")
	return func(yield func(V) bool) { m.walkValues("hashmap.Map.Values", yield) }
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	m.use("hashmap.Map.Len")
	return m.length
}

// Clear removes all entries and keeps the memory. The time that it takes does not depend on the
// number of entries.
func (m *Map[K, V]) Clear() {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Clear")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.Clear")
	m.table.reset("hashmap.Map.Clear")
}

// Close returns all memory to the system. If the Map is already closed, Close does nothing.
func (m *Map[K, V]) Close() error {
	if m.region == nil {
		return nil
	}
	m.use("hashmap.Map.Close")
	if err := m.table.close(); err != nil {
		return fmt.Errorf("hashmap.Map.Close: %w", err)
	}
	m.self = nil
	return nil
}

// Clone returns a Map with the same entries. It takes as long as copying the memory.
func (m *Map[K, V]) Clone() (*Map[K, V], error) {
	m.use("hashmap.Map.Clone")
	c, err := m.clone(1)
	if err != nil {
		return nil, fmt.Errorf("hashmap.Map.Clone: %w", err)
	}
	return c, nil
}

// clone implements Clone. skip is the number of stack frames from the caller up to the user's code.
func (m *Map[K, V]) clone(skip int) (*Map[K, V], error) {
	c := &Map[K, V]{core: core[K, V]{hash: m.hash, seed: m.seed}}
	if err := c.table.copyFrom(&m.table, newAccount[K, V](m.account.Name, skip+1)); err != nil {
		return nil, err
	}
	c.own()
	return c, nil
}

// Reserve allocates pages for n entries in total, including the existing ones. Until there are n
// entries, Set then does not enlarge or divide pages, and takes about half as long. Reserve is
// useful before many Sets. (slab.Slab.Grow and inline.Vec.Grow take the number of additional
// elements instead. Here, n is the total because a caller may not know how many of its keys are
// already present.) If there is no memory, Reserve returns an error that wraps ErrFull, and the
// entries do not change.
func (m *Map[K, V]) Reserve(n int) error {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Reserve")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.Reserve")
	if err := m.reserve(n); err != nil {
		return fmt.Errorf("hashmap.Map.Reserve: %w", err)
	}
	return nil
}

// Stats describes the memory of a Map.
type Stats struct {
	Len       int    // number of entries
	Pages     int    // number of pages
	Slots     int    // capacity for entries, in pages
	Directory int    // number of directory entries, each 12 bytes of Go heap; from 2^15 on, the next directory is allocated in advance
	PageBytes uint64 // bytes of pages, and of free blocks
	TextBytes uint64 // bytes of key strings, including those of deleted keys
	Committed uint64 // bytes of committed memory for pages and strings
	Verified  bool   // OpenFile verified all entries; otherwise entries of a file are checked as they are read
}

// add adds the statistics o of another Map to s.
func (s *Stats) add(o Stats) {
	s.Len += o.Len
	s.Pages += o.Pages
	s.Slots += o.Slots
	s.Directory += o.Directory
	s.PageBytes += o.PageBytes
	s.TextBytes += o.TextBytes
	s.Committed += o.Committed
	s.Verified = s.Verified && o.Verified
}

// Stats returns the current statistics. It reads the directory, but not the pages. The statistics
// of a closed Map are zero, so that a monitor can still call Stats.
func (m *Map[K, V]) Stats() Stats {
	if m.region == nil {
		return Stats{}
	}
	m.use("hashmap.Map.Stats")
	return m.stats()
}

// stats implements Stats. It does not check whether the Map is closed.
func (m *table) stats() Stats {
	s := Stats{Verified: m.verified, Len: m.length, Pages: m.pages, Directory: len(m.dir), PageBytes: m.top, TextBytes: m.heap.Used()}
	for i := uint64(0); i < uint64(len(m.dir)); i += m.width(m.dir[i]) {
		s.Slots += slots << m.dir[i].log()
	}
	s.Committed = uint64(m.region.Committed() + m.heap.Committed())
	return s
}
