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

// A Map holds values of type V under keys of type K, outside the Go heap. Neither has a pointer; K
// may be a string type. New makes one, and Close ends it. The zero Map cannot be used. Keys are
// equal as == says: a NaN is never found, as in Go's map, and each is an entry of its own, which
// All yields and Clear takes away.
//
// One goroutine may change a Map at a time, and no other may use it meanwhile: not even for
// reading. Any number may read it while nobody changes it. A Map must not be copied: all methods of
// a copy panic.
type Map[K comparable, V any] struct {
	_     layout.NoCopy
	guard checks.Guard
	core[K, V]
}

// mostEntryBytes bounds entries, eight of which are the least that a page has.
const mostEntryBytes = 64 << 10

// New returns an empty Map. It fails if K or V has a pointer, if an option is out of range, or if
// the system has no memory. A small Map takes some 600 bytes of the Go heap beside its page, with
// keys that are strings 2 KiB, and no call to the system, so that a process may have a million
// (BenchmarkSmall compares it with Go's map). Pages of more than 32 KiB, and texts of more than
// that, have memory of their own outside the Go heap: each costs two of the process's mappings, of
// which Linux allows 65,530 (vm.max_map_count).
func New[K comparable, V any](options Options) (*Map[K, V], error) {
	return open[K, V]("hashmap.New", options, hash.NewSeed(), 1)
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

// plan checks types and options of the function where, and returns a Map without memory.
func plan[K comparable, V any](where string, o Options, seed uint64) (*Map[K, V], error) {
	if o.Max < 0 {
		return nil, fmt.Errorf("%s: negative Max %d; leave it 0 for the default", where, o.Max)
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

// check checks types, and returns the hash of keys. It names no Map, which would be compiled with
// all its methods.
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
		return f, fmt.Errorf("%s: an entry of %d bytes, and %d are possible; keep large values in a store.Store and their Ref here", where, bytes, mostEntryBytes)
	}
	return f, nil
}

func newAccount[K comparable, V any](name string, skip int) *vmem.Account {
	if name == "" {
		name = fmt.Sprintf("hashmap.Map[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	return vmem.NewAccount(name, skip+1)
}

// begin gives the Map memory, at least so many bytes, and a first page if it is to have one.
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

// Get returns the value of a key, and whether the Map has it. In a large Map it costs about three
// waits for memory, one more for the text of a string key, and no allocation.
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
		h = m.hash.Word(wordOf(&k)) // what Plain does, and inlines
	} else {
		h = hash.Plain(&m.hash.Secrets, &k)
	}
	// From here on it is find, here once more because a call takes a fifth of a look-up in the
	// cache.
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

// Has reports whether the Map has a key.
func (m *Map[K, V]) Has(k K) bool {
	m.use("hashmap.Map.Has")
	return m.find(m.hashOf(&k), &k) != nil
}

// Set puts a value under a key, in place of the one that was there. It costs a Get and, for a new
// key, a share of a page that is replaced by a larger one or by two; the longest Set moves one page
// of at most some 900 entries. It panics if the Map is full or closed; TrySet returns the error
// instead.
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

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The Map is then as
// it was.
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

// GetOrSet returns the value of a key and true, or puts v there and returns it and false. It panics
// as Set does.
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

// TryGetOrSet is GetOrSet that returns an error, which wraps ErrFull, if there is no room. The Map
// is then as it was.
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

// Update calls change with the value of a key, or with the zero value and false, and puts what it
// returns there. change may use the Map. Update costs a Get and a Set, and panics as Set does.
func (m *Map[K, V]) Update(k K, change func(v V, ok bool) V) {
	v, ok := m.Get(k)
	m.Set(k, change(v, ok))
}

// TryUpdate is Update that returns an error, which wraps ErrFull, if there is no room. The Map is
// then as change left it.
func (m *Map[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	v, ok := m.Get(k)
	if err := m.TrySet(k, change(v, ok)); err != nil {
		return fmt.Errorf("hashmap.Map.TryUpdate: %w", errors.Unwrap(err))
	}
	return nil
}

// Delete takes a key and its value out, and reports whether the key was there. It costs a Get. The
// room is used again for later keys.
func (m *Map[K, V]) Delete(k K) bool {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Delete")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.Delete")
	return m.remove(m.hashOf(&k), &k)
}

// All yields the entries, in no order. The loop may change the Map, with what Go promises of its
// own maps: an entry that is deleted before it was reached does not come, one that is added may
// come or not, every other one comes once. All copies a page of entries at a time, which costs room
// for some thousand of them on the Go heap. Keys that are strings are copies, made with one
// allocation for up to 64 of them, which one key keeps alive; clone a key to keep it for long.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	m.use("hashmap.Map.All")
	return func(yield func(K, V) bool) { m.walk("hashmap.Map.All", nil, yield) }
}

// AllBytes is All for keys that are strings, without an allocation for any: it yields a key as
// bytes that are the loop's until its next step, and are overwritten later. Clone what is to stay,
// and write nothing to them. The loop may change the Map as one over All. Checked builds overwrite
// the bytes at once. AllBytes panics if K is of another kind.
func (m *Map[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Map.AllBytes"
	m.use(where)
	m.mustBeText(where)
	return func(yield func([]byte, V) bool) {
		var room []byte
		m.walk(where, &room, func(k K, v V) bool { return each.Lend(bytesOfText(textOf(&k)), v, yield) })
	}
}

// Keys yields the keys, as All does.
func (m *Map[K, V]) Keys() iter.Seq[K] { return each.Key(m.All()) }

// Values yields the values, as All does, and reads no keys that are strings, unless the loop adds
// so many that their page is replaced.
func (m *Map[K, V]) Values() iter.Seq[V] {
	m.use("hashmap.Map.Values")
	return func(yield func(V) bool) { m.walkValues("hashmap.Map.Values", yield) }
}

// Len returns the count of entries.
func (m *Map[K, V]) Len() int {
	m.use("hashmap.Map.Len")
	return m.length
}

// Clear drops all entries and keeps the memory. It costs nothing for each entry.
func (m *Map[K, V]) Clear() {
	if checks.Enabled {
		m.guard.Enter("hashmap.Map.Clear")
		defer m.guard.Leave()
	}
	m.use("hashmap.Map.Clear")
	m.table.reset("hashmap.Map.Clear")
}

// Close gives all memory back to the system. A second Close does nothing.
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

// Clone returns a Map with the same entries. It costs one copy of the memory.
func (m *Map[K, V]) Clone() (*Map[K, V], error) {
	m.use("hashmap.Map.Clone")
	c, err := m.clone(1)
	if err != nil {
		return nil, fmt.Errorf("hashmap.Map.Clone: %w", err)
	}
	return c, nil
}

// clone is Clone for a caller that is skip frames below the user.
func (m *Map[K, V]) clone(skip int) (*Map[K, V], error) {
	c := &Map[K, V]{core: core[K, V]{hash: m.hash, seed: m.seed}}
	if err := c.table.copyFrom(&m.table, newAccount[K, V](m.account.Name, skip+1)); err != nil {
		return nil, err
	}
	c.own()
	return c, nil
}

// Reserve makes pages for n entries in all, those that are there included, so that Set need not:
// what a Map costs that grows by itself is saved, about half of each Set. It is of use before many
// Sets. (Grow of a slab or of an inline.Vec counts what is to come, as slices.Grow does; a map that
// is filled by keys that it may have cannot know that.) If there is no memory for them it returns
// an error that wraps ErrFull, and the Map has the entries that it had.
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

// Stats says what a Map has.
type Stats struct {
	Len       int    // entries
	Pages     int    // pages
	Slots     int    // room for entries, in pages
	Directory int    // entries of the directory, of 12 bytes of Go heap each; from 2^15 on the next one waits beside it
	PageBytes uint64 // bytes of pages, and of blocks that wait to become one
	TextBytes uint64 // bytes that texts of keys have, those of deleted ones included
	Committed uint64 // bytes of memory, of pages and texts
	Verified  bool   // OpenFile looked at all entries; else those of a file are checked as they are read
}

// add adds the counts of another Map.
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

// Stats returns counts. It looks at the directory, and not at pages. A closed Map has nothing: its
// Stats are zero, so that a monitor may still ask.
func (m *Map[K, V]) Stats() Stats {
	if m.region == nil {
		return Stats{}
	}
	m.use("hashmap.Map.Stats")
	return m.stats()
}

// stats is Stats without a check.
func (m *table) stats() Stats {
	s := Stats{Verified: m.verified, Len: m.length, Pages: m.pages, Directory: len(m.dir), PageBytes: m.top, TextBytes: m.heap.Used()}
	for i := uint64(0); i < uint64(len(m.dir)); i += m.width(m.dir[i]) {
		s.Slots += slots << m.dir[i].log()
	}
	s.Committed = uint64(m.region.Committed() + m.heap.Committed())
	return s
}
