package hashmap

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
)

// A ShardedTexts is a Texts for any number of goroutines: many of them, each with a lock, among
// which the hash of a key chooses. Any number of goroutines read a shard at a time, and one changes
// it. Unlike those of a Sharded, readers take the lock: what they read would be bytes of any
// length, which a change may move. NewShardedTexts or OpenShardedTextsFile makes one, and Close
// ends it. A ShardedTexts must not be copied.
type ShardedTexts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	shards []textShard
}

// A textShard is one of a ShardedTexts.
type textShard struct {
	mu sync.RWMutex
	m  *textMap
	_  [layout.CacheLine]byte
}

// NewShardedTexts returns an empty ShardedTexts. It fails as NewTexts does, and if Options.Shards
// is out of range. Options.Max is for all shards together, as in NewSharded.
func NewShardedTexts[K comparable, V ~string | ~[]byte](options Options) (*ShardedTexts[K, V], error) {
	const where = "hashmap.NewShardedTexts"
	form, err := formOf[K, V](where)
	if err != nil {
		return nil, err
	}
	shards, err := shardsOf(where, options)
	if err != nil {
		return nil, err
	}
	return makeShardedTexts(where, form, shards, options, hash.NewSeed())
}

func makeShardedTexts[K comparable, V ~string | ~[]byte](where string, form textForm[K, V], shards int, o Options, seed uint64) (*ShardedTexts[K, V], error) {
	s := &ShardedTexts[K, V]{textForm: form, shards: make([]textShard, shards)}
	o = form.named("ShardedTexts", o).ofTexts(shards)
	for i := range s.shards {
		m, err := newTextMap(where, o, seed, 2)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.shards[i].m = m
	}
	return s, nil
}

// made panics if there are no shards.
func (s *ShardedTexts[K, V]) made(where string) {
	if len(s.shards) == 0 {
		panic(where + ": the map was not made by NewShardedTexts or OpenShardedTextsFile")
	}
}

// of returns the shard of a key, as a string, and its hash.
func (s *ShardedTexts[K, V]) of(where, key string) (*textShard, uint64) {
	s.made(where)
	h := s.shards[0].m.hashOf(key) // no method changes the hash
	return &s.shards[shardOf(h, len(s.shards))], h
}

// read calls do with the bytes of a key's value while the shard does not change.
func (s *ShardedTexts[K, V]) read(where string, k *K, do func(m *textMap, value []byte)) bool {
	var room [stackKey]byte
	key := keyString(&s.keys, room[:0], k)
	sh, h := s.of(where, key)
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use(where)
	b, ok := sh.m.get(h, key)
	if ok && do != nil {
		do(sh.m, b)
	}
	return ok
}

// Get returns a copy of the value of a key, and whether it is there. It allocates once.
func (s *ShardedTexts[K, V]) Get(k K) (v V, ok bool) {
	ok = s.read("hashmap.ShardedTexts.Get", &k, func(_ *textMap, b []byte) { v = s.values.Value(b) })
	return v, ok
}

// AppendGet appends the value of a key to room, and returns the longer slice and whether the key is
// there. It allocates only where append does.
func (s *ShardedTexts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	ok := s.read("hashmap.ShardedTexts.AppendGet", &k, func(_ *textMap, b []byte) { room = append(room, b...) })
	return room, ok
}

// View calls do with the bytes of a key's value, where they are, and reports whether the key is
// there. The bytes may be read until do returns, and must not be written. Changes of the key's
// shard wait meanwhile, and do must not use the ShardedTexts: it might wait for itself. Checked
// builds lend a copy, and overwrite it afterwards.
func (s *ShardedTexts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.ShardedTexts.View"
	return s.read(where, &k, func(m *textMap, b []byte) { lend(where, m, b, do) })
}

// Has reports whether a key is there.
func (s *ShardedTexts[K, V]) Has(k K) bool {
	return s.read("hashmap.ShardedTexts.Has", &k, nil)
}

// Set stores a copy of v under k, replacing any existing value. It panics if the shard of the key
// is full or closed; TrySet returns the error instead.
func (s *ShardedTexts[K, V]) Set(k K, v V) {
	const where = "hashmap.ShardedTexts.Set"
	if err := s.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
}

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The ShardedTexts
// then has the entries that it had.
func (s *ShardedTexts[K, V]) TrySet(k K, v V) error {
	const where = "hashmap.ShardedTexts.TrySet"
	if err := s.set(where, &k, &v); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

func (s *ShardedTexts[K, V]) set(where string, k *K, v *V) error {
	var room [stackKey]byte
	key := keyString(&s.keys, room[:0], k)
	sh, h := s.of(where, key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	return sh.m.put(h, key, s.values.Bytes(v))
}

// GetOrSet returns a copy of the value of a key and true, or stores v there and returns it and
// false. Of several goroutines one sets. It panics as Set does.
func (s *ShardedTexts[K, V]) GetOrSet(k K, v V) (V, bool) {
	const where = "hashmap.ShardedTexts.GetOrSet"
	var now V
	if s.read(where, &k, func(_ *textMap, b []byte) { now = s.values.Value(b) }) {
		return now, true
	}
	loaded := false
	now, _ = s.computed(where, &k, func(old V, ok bool) (V, ComputeOp) {
		if loaded = ok; ok {
			return old, CancelOp
		}
		return v, UpdateOp
	})
	return now, loaded
}

// Update calls change with a copy of the value of a key, or with the zero value and false, and
// stores what it returns. No other goroutine uses the key's shard meanwhile, and change must not
// use the ShardedTexts: it would wait for itself. Update panics as Set does.
func (s *ShardedTexts[K, V]) Update(k K, change func(v V, ok bool) V) {
	s.computed("hashmap.ShardedTexts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of a key and true, or with the zero value and false, and
// does what f says: it stores the new value, takes the key out, or leaves it as it is. It returns
// the value that the key has then, and whether it has one. What Update says of change holds for f,
// which may panic: nothing has changed, and nothing stays locked. Compute panics as Set does.
func (s *ShardedTexts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return s.computed("hashmap.ShardedTexts.Compute", &k, f)
}

// computed is Compute for the method where.
func (s *ShardedTexts[K, V]) computed(where string, k *K, f func(V, bool) (V, ComputeOp)) (V, bool) {
	var room [stackKey]byte
	key := keyString(&s.keys, room[:0], k)
	sh, h := s.of(where, key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	v, ok, err := s.compute(where, sh.m, h, key, f)
	if err != nil {
		panic(where + ": " + err.Error())
	}
	return v, ok
}

// Delete takes a key and its value out, and reports whether the key was there.
func (s *ShardedTexts[K, V]) Delete(k K) bool {
	return s.remove("hashmap.ShardedTexts.Delete", &k, nil)
}

// LoadAndDelete is Delete that returns a copy of the value that the key had.
func (s *ShardedTexts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = s.remove("hashmap.ShardedTexts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove is Delete for the method where. It stores a copy of the value that the key had, unless
// value is nil.
func (s *ShardedTexts[K, V]) remove(where string, k *K, value *V) bool {
	var room [stackKey]byte
	key := keyString(&s.keys, room[:0], k)
	sh, h := s.of(where, key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	return s.takeOut(sh.m, h, key, value)
}

// All yields the entries, in no order. Others may use the ShardedTexts meanwhile, and so may the
// loop: an entry that is deleted before it was reached does not come, one that is added may come or
// not, every other one comes once, with the value that it has then. All looks each value up.
func (s *ShardedTexts[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k := range s.Keys() {
			if v, ok := s.Get(k); ok && !yield(k, v) {
				return
			}
		}
	}
}

// AllBytes is All without an allocation for a value: it yields a value as bytes that are the loop's
// until its next step, and are overwritten later. Checked builds overwrite them at once.
func (s *ShardedTexts[K, V]) AllBytes() iter.Seq2[K, []byte] {
	return func(yield func(K, []byte) bool) {
		var room []byte
		for k := range s.Keys() {
			var ok bool
			if room, ok = s.AppendGet(room[:0], k); ok && !each.Lend(room, k, func(b []byte, k K) bool { return yield(k, b) }) {
				return
			}
		}
	}
}

// Keys yields the keys, as All does: those of a page at one moment.
func (s *ShardedTexts[K, V]) Keys() iter.Seq[K] {
	const where = "hashmap.ShardedTexts.Keys"
	s.made(where)
	return func(yield func(K) bool) {
		var entries []slot[string, uint32]
		for i := range s.shards {
			for from, more := uint64(0), true; more; {
				var r ref
				s.shards[i].hold(where, func(m *textMap) {
					r = m.index.dir[m.index.index(from)]
					entries = m.index.appendEntries(entries[:0], r, nil)
				})
				for _, e := range entries {
					if k, ok := keyOf[K](&s.keys, e.key); ok && !yield(k) {
						return
					}
				}
				from, more = behind(from, r.depth())
			}
		}
	}
}

// Values yields copies of the values, as All does.
func (s *ShardedTexts[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// hold calls do while the shard does not change.
func (sh *textShard) hold(where string, do func(m *textMap)) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use(where)
	do(sh.m)
}

// Len returns the count of entries. Shards are counted one after another.
func (s *ShardedTexts[K, V]) Len() (n int) {
	for i := range s.shards {
		s.shards[i].hold("hashmap.ShardedTexts.Len", func(m *textMap) { n += m.index.length })
	}
	return n
}

// Stats returns counts of all shards together. It may be called during Close and after it: shards
// that are closed have nothing.
func (s *ShardedTexts[K, V]) Stats() (all TextsStats) {
	all.Verified = len(s.shards) > 0
	for i := range s.shards {
		one := s.shards[i].stats()
		all.Stats.add(one.Stats)
		all.ValueBytes += one.ValueBytes
		all.DeadBytes += one.DeadBytes
	}
	return all
}

func (sh *textShard) stats() TextsStats {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	if sh.m.isClosed() {
		return TextsStats{}
	}
	return sh.m.stats()
}

// Clear drops all entries and keeps the memory. Shards become empty one after another.
func (s *ShardedTexts[K, V]) Clear() {
	const where = "hashmap.ShardedTexts.Clear"
	s.made(where)
	for i := range s.shards {
		sh := &s.shards[i]
		func() {
			sh.mu.Lock()
			defer sh.mu.Unlock()
			sh.m.use(where)
			sh.m.reset(where)
		}()
	}
}

// Reserve makes pages for n entries in all, in each shard its share and a little more.
func (s *ShardedTexts[K, V]) Reserve(n int) error {
	const where = "hashmap.ShardedTexts.Reserve"
	s.made(where)
	for i := range s.shards {
		sh := &s.shards[i]
		share := n / len(s.shards)
		err := func() error {
			sh.mu.Lock()
			defer sh.mu.Unlock()
			sh.m.use(where)
			return sh.m.index.reserve(share + share/16)
		}()
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// Clone returns a ShardedTexts with the same entries. It copies a shard after another; others may
// change the ShardedTexts meanwhile.
func (s *ShardedTexts[K, V]) Clone() (*ShardedTexts[K, V], error) {
	const where = "hashmap.ShardedTexts.Clone"
	s.made(where)
	c := &ShardedTexts[K, V]{textForm: s.textForm, shards: make([]textShard, len(s.shards))}
	for i := range s.shards {
		var err error
		s.shards[i].hold(where, func(m *textMap) { c.shards[i].m, err = m.clone() })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, errors.Join(err, c.Close()))
		}
	}
	return c, nil
}

// Close gives all memory back to the system. No other goroutine may use the ShardedTexts meanwhile
// or afterwards. A second Close does nothing.
func (s *ShardedTexts[K, V]) Close() error {
	var err error
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		err = errors.Join(err, sh.m.close())
		sh.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("hashmap.ShardedTexts.Close: %w", err)
	}
	return nil
}

// Verify looks at every entry, as Texts.Verify does, and at whether each is in its shard.
func (s *ShardedTexts[K, V]) Verify() error {
	const where = "hashmap.ShardedTexts.Verify"
	s.made(where)
	for i := range s.shards {
		var err error
		s.shards[i].hold(where, func(m *textMap) { err = m.verify(where, uint64(i), len(s.shards), s.isKey) })
		if err != nil {
			return fmt.Errorf("%s: shard %d: %w", where, i, err)
		}
	}
	return nil
}

// Save writes the ShardedTexts to a file, from which OpenShardedTextsFile maps it, and replaces the
// file as Map.Save does. It is of one moment: changes wait until the file is written.
func (s *ShardedTexts[K, V]) Save(path string) error {
	const where = "hashmap.ShardedTexts.Save"
	s.made(where)
	maps := make([]*textMap, len(s.shards))
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.RLock()
		defer sh.mu.RUnlock()
		sh.m.use(where)
		maps[i] = sh.m
	}
	if err := saveTexts[K](path, maps); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// OpenShardedTextsFile returns a ShardedTexts with the entries that Save wrote, or Texts.Save. With
// Options.Shards 0 it has as many shards as the file; another count must be that of the file.
// What OpenFile says of files, types and errors holds for it.
func OpenShardedTextsFile[K comparable, V ~string | ~[]byte](path string, options Options) (*ShardedTexts[K, V], error) {
	const where = "hashmap.OpenShardedTextsFile"
	form, err := formOf[K, V](where)
	if err != nil {
		return nil, err
	}
	shards, err := shardsOf(where, options)
	if err != nil {
		return nil, err
	}
	maps, err := openTexts[K](where, path, form.named("ShardedTexts", options), form.isKey)
	if err == nil && options.Shards > 0 && shards != len(maps) {
		err = closedTexts(maps, fmt.Errorf("%s: %w: it has %d shards, and Options.Shards asks for %d; leave it 0", path, ErrMismatch, len(maps), shards))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	s := &ShardedTexts[K, V]{textForm: form, shards: make([]textShard, len(maps))}
	for i, m := range maps {
		s.shards[i].m = m
	}
	return s, nil
}
