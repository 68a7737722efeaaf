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

// A ShardedTexts is a Texts for any number of goroutines. It consists of many Texts, called shards,
// each with a lock; the hash of a key selects the shard. At any time, either any number of
// goroutines can read a shard, or one goroutine can change it. Unlike readers of a Sharded, readers
// of a ShardedTexts use the lock, because a change may move the strings that they read.
// NewShardedTexts or OpenShardedTextsFile creates a ShardedTexts, and Close releases it. A
// ShardedTexts must not be copied.
type ShardedTexts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	shards []textShard
}

// A textShard is one shard of a ShardedTexts.
type textShard struct {
	mu sync.RWMutex
	m  *textMap
	_  [layout.CacheLine]byte
}

// NewShardedTexts returns an empty ShardedTexts. It fails as NewTexts does, and if Options.Shards
// is out of range. Options.Max applies to all shards together, as in NewSharded.
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

// made panics if s is the zero ShardedTexts.
func (s *ShardedTexts[K, V]) made(where string) {
	if len(s.shards) == 0 {
		panic(where + ": the map was not made by NewShardedTexts or OpenShardedTextsFile")
	}
}

// of returns the shard of a key, which is given as a string, and the hash of the key.
func (s *ShardedTexts[K, V]) of(where, key string) (*textShard, uint64) {
	s.made(where)
	h := s.shards[0].m.hashOf(key) // no method changes the hash
	return &s.shards[shardOf(h, len(s.shards))], h
}

// read calls the function do, unless it is nil, with the bytes of a key's value. The bytes do not
// change during the call. It reports whether the key is present.
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

// Get returns a copy of the value of a key, and whether the key is present. It allocates once.
func (s *ShardedTexts[K, V]) Get(k K) (v V, ok bool) {
	ok = s.read("hashmap.ShardedTexts.Get", &k, func(_ *textMap, b []byte) { v = s.values.Value(b) })
	return v, ok
}

// AppendGet appends the value of a key to room, and returns the extended slice and whether the key
// is present. It allocates only if append does.
func (s *ShardedTexts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	ok := s.read("hashmap.ShardedTexts.AppendGet", &k, func(_ *textMap, b []byte) { room = append(room, b...) })
	return room, ok
}

// View calls the function do with the bytes of a key's value, without a copy, and reports whether
// the key is present. The function may read the bytes until it returns, and must not write them.
// Changes to the key's shard wait in the meantime. The function must not use the ShardedTexts,
// which could deadlock. Checked builds pass a copy, and overwrite it afterwards.
func (s *ShardedTexts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.ShardedTexts.View"
	return s.read(where, &k, func(m *textMap, b []byte) { lend(where, m, b, do) })
}

// Has reports whether a key is present.
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

// TrySet is like Set but returns an error, which wraps ErrFull, if there is no room. The
// ShardedTexts is then unchanged.
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

// GetOrSet returns a copy of the value of k and true if the key is present. Otherwise it stores v
// and returns v and false. If several goroutines call GetOrSet for an absent key at the same time,
// one of them stores its value, and the others return a copy of this value and true. It panics as
// Set does.
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

// Update calls change with a copy of the value of k and true if the key is present, otherwise with
// the zero value and false, and stores the result. No other goroutine uses the key's shard in the
// meantime. change must not use the ShardedTexts, which would deadlock. Update panics as Set does.
func (s *ShardedTexts[K, V]) Update(k K, change func(v V, ok bool) V) {
	s.computed("hashmap.ShardedTexts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of k and true if the key is present, otherwise with the
// zero value and false. Depending on op, it stores the new value, deletes the key, or leaves the
// entry unchanged. It returns the resulting value, and whether the key is present. As in Update, no
// other goroutine uses the key's shard in the meantime, and f must not use the ShardedTexts. If f
// panics, Compute changes nothing and releases the lock. Compute panics as Set does.
func (s *ShardedTexts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return s.computed("hashmap.ShardedTexts.Compute", &k, f)
}

// computed implements Compute. A panic begins with where, the name of the method that the user
// called.
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

// Delete removes a key and its value, and reports whether the key was present.
func (s *ShardedTexts[K, V]) Delete(k K) bool {
	return s.remove("hashmap.ShardedTexts.Delete", &k, nil)
}

// LoadAndDelete is like Delete but also returns a copy of the deleted value.
func (s *ShardedTexts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = s.remove("hashmap.ShardedTexts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove implements Delete. The parameter where has the same meaning as in computed. If value is
// not nil, remove stores a copy of the deleted value in *value.
func (s *ShardedTexts[K, V]) remove(where string, k *K, value *V) bool {
	var room [stackKey]byte
	key := keyString(&s.keys, room[:0], k)
	sh, h := s.of(where, key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	return s.takeOut(sh.m, h, key, value)
}

// All yields the entries, in unspecified order. The loop and other goroutines may change the
// ShardedTexts in the meantime: an entry that is deleted before it is reached is not yielded, an
// entry that is added may or may not be yielded, and every other entry is yielded once, with its
// value at that time. All costs a look-up for each value.
func (s *ShardedTexts[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k := range s.Keys() {
			if v, ok := s.Get(k); ok && !yield(k, v) {
				return
			}
		}
	}
}

// AllBytes is like All but does not allocate for values: it yields each value as bytes that are
// valid until the next iteration and are overwritten later. Checked builds overwrite the bytes
// immediately.
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

// Keys yields the keys, with the guarantees of All. The keys of one page are a consistent snapshot.
func (s *ShardedTexts[K, V]) Keys() iter.Seq[K] {
	const where = "hashmap.ShardedTexts.Keys"
	s.made(where)
	return func(yield func(K) bool) {
		var entries []slot[string, uint32]
		var room keyRoom
		for i := range s.shards {
			for from, more := uint64(0), true; more; {
				var r ref
				s.shards[i].hold(where, func(m *textMap) {
					r = m.index.dir[m.index.index(from)]
					entries = m.index.appendEntries(entries[:0], r, &room)
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

// Values yields copies of the values, with the guarantees of All.
func (s *ShardedTexts[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// hold calls the function do with the textMap of the shard, which does not change during the call.
func (sh *textShard) hold(where string, do func(m *textMap)) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use(where)
	do(sh.m)
}

// Len returns the number of entries. Shards are counted one after another.
func (s *ShardedTexts[K, V]) Len() (n int) {
	for i := range s.shards {
		s.shards[i].hold("hashmap.ShardedTexts.Len", func(m *textMap) { n += m.index.length })
	}
	return n
}

// Stats returns the sums over all shards. It may be called during and after Close; closed shards
// add nothing to the sums.
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

// Clear removes all entries and keeps the memory. It clears the shards one after another.
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

// Reserve allocates pages for n entries in total. Each shard gets slightly more than its share,
// because keys are not distributed evenly.
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

// Clone returns a ShardedTexts with the same entries. It copies the shards one at a time; other
// goroutines may change the ShardedTexts in the meantime.
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

// Close returns all memory to the system. No other goroutine may use the ShardedTexts during or
// after Close, except for Stats. A second Close does nothing.
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

// Verify checks every entry, as Texts.Verify does, and also checks that each entry is in the right
// shard.
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
// file as Map.Save does. The file is a consistent snapshot: changes wait until the file is written.
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

// OpenShardedTextsFile returns a ShardedTexts with the entries that Save or Texts.Save wrote. It
// has as many shards as the file; Options.Shards must be 0 or this number. OpenShardedTextsFile has
// the same requirements as OpenFile, and returns the same errors.
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
		err = closedTexts(maps, fmt.Errorf("%s: %w: it has %d shards, but Options.Shards is %d; use 0", path, ErrMismatch, len(maps), shards))
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
