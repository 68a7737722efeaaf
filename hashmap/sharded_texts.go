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

// A ShardedTexts is a Texts that is safe for concurrent use. It consists of many Texts, called
// shards, each with a lock. The hash of a key selects the shard. At any time, either any number of
// goroutines can read a shard, or one goroutine can change it. Unlike readers of a Sharded, readers
// of a ShardedTexts use the lock, because a change may move the strings that they read.
// NewShardedTexts or OpenShardedTextsFile creates a ShardedTexts, and Close releases it. A
// ShardedTexts must not be copied.
type ShardedTexts[K comparable, V ~string | ~[]byte] struct {
	_ layout.NoCopy
	textForm[K, V]
	shards []textShard
}

// A textShard is one shard of a ShardedTexts: a textMap with its lock.
type textShard struct {
	mu sync.RWMutex
	m  *textMap
	_  [layout.CacheLine]byte
}

// NewShardedTexts returns an empty ShardedTexts. It fails for the same reasons as NewTexts, and
// also if Options.Shards is out of range. Options.Max applies to all shards together, as in
// NewSharded.
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

// made panics if s is the zero ShardedTexts. The parameter where names the method that the user
// called.
func (s *ShardedTexts[K, V]) made(where string) {
	if len(s.shards) == 0 {
		panic(where + ": the map was not made by NewShardedTexts or OpenShardedTextsFile")
	}
}

// of returns the shard to which a key belongs, and the hash of the key. The key is already encoded
// as a string.
func (s *ShardedTexts[K, V]) of(where, key string) (*textShard, uint64) {
	s.made(where)
	h := s.shards[0].m.hashOf(key) // needs no lock, because no method changes the hash
	return &s.shards[shardOf(h, len(s.shards))], h
}

// read reports whether the key *k is present. If so, and if do is not nil, read passes the bytes of
// the value to do. The bytes do not change during this call.
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

// Get returns a copy of the value of k and reports whether k is present. It allocates once.
func (s *ShardedTexts[K, V]) Get(k K) (v V, ok bool) {
	ok = s.read("hashmap.ShardedTexts.Get", &k, func(_ *textMap, b []byte) { v = s.values.Value(b) })
	return v, ok
}

// AppendGet appends the value of k to room and returns the extended slice. It also reports whether
// k is present. It allocates only if append does.
func (s *ShardedTexts[K, V]) AppendGet(room []byte, k K) ([]byte, bool) {
	ok := s.read("hashmap.ShardedTexts.AppendGet", &k, func(_ *textMap, b []byte) { room = append(room, b...) })
	return room, ok
}

// View passes the bytes of k's value to do, without copying them, and reports whether k is present.
// do may read the bytes until it returns, and must not write to them. While do runs, goroutines
// that change the shard of k wait. do must not use the ShardedTexts, because that could deadlock.
// Checked builds pass a copy, and overwrite it afterwards.
func (s *ShardedTexts[K, V]) View(k K, do func(value []byte)) bool {
	const where = "hashmap.ShardedTexts.View"
	return s.read(where, &k, func(m *textMap, b []byte) { lend(where, m, b, do) })
}

// Has reports whether k is present.
func (s *ShardedTexts[K, V]) Has(k K) bool {
	return s.read("hashmap.ShardedTexts.Has", &k, nil)
}

// Set sets the value of k to a copy of v. It panics if the shard of k is full or closed; TrySet
// returns the error instead.
func (s *ShardedTexts[K, V]) Set(k K, v V) {
	const where = "hashmap.ShardedTexts.Set"
	if err := s.set(where, &k, &v); err != nil {
		panic(where + ": " + err.Error())
	}
}

// TrySet is like Set, but if there is no room, it returns an error that wraps ErrFull and does not
// change the ShardedTexts.
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

// GetOrSet returns a copy of the value of k and true if k is present. Otherwise it stores a copy of
// v and returns v and false. If several goroutines call GetOrSet for an absent key at the same
// time, one of them stores its value, and the others return a copy of this value and true. GetOrSet
// panics if Set would panic.
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

// Update sets the value of k to the result of change. It calls change with a copy of the current
// value and true if k is present, and with the zero value and false otherwise. While change runs,
// other goroutines that use the shard of k wait. change must not use the ShardedTexts, because that
// would deadlock. Update panics if Set would panic.
func (s *ShardedTexts[K, V]) Update(k K, change func(v V, ok bool) V) {
	s.computed("hashmap.ShardedTexts.Update", &k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
}

// Compute calls f with a copy of the value of k and true if k is present, and with the zero value
// and false otherwise. Depending on the op that f returns, Compute sets the value to newValue,
// deletes k, or leaves the entry unchanged. It returns the resulting value and reports whether k is
// then present. As in Update, other goroutines that use the shard of k wait, and f must not use the
// ShardedTexts. If f panics, Compute changes nothing and releases the lock. Compute panics if Set
// would panic.
func (s *ShardedTexts[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	return s.computed("hashmap.ShardedTexts.Compute", &k, f)
}

// computed implements Compute. The parameter where names the method that the user called, for panic
// messages.
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

// Delete removes k and its value, and reports whether k was present.
func (s *ShardedTexts[K, V]) Delete(k K) bool {
	return s.remove("hashmap.ShardedTexts.Delete", &k, nil)
}

// LoadAndDelete is like Delete but also returns a copy of the deleted value.
func (s *ShardedTexts[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	loaded = s.remove("hashmap.ShardedTexts.LoadAndDelete", &k, &value)
	return value, loaded
}

// remove implements Delete and LoadAndDelete. The parameter where names the method that the user
// called. If value is not nil, remove stores a copy of the deleted value in *value.
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
// value at that time. All looks up each value by its key.
func (s *ShardedTexts[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k := range s.Keys() {
			if v, ok := s.Get(k); ok && !yield(k, v) {
				return
			}
		}
	}
}

// AllBytes is like All but does not allocate memory for values: it yields each value as bytes that
// are valid only until the next iteration. Checked builds overwrite the bytes after each iteration.
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

// Keys yields the keys. It gives the same guarantees as All. The keys of one page are a consistent
// snapshot.
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

// Values yields copies of the values. It gives the same guarantees as All.
func (s *ShardedTexts[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// hold calls do with the textMap of the shard, which does not change during the call.
func (sh *textShard) hold(where string, do func(m *textMap)) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use(where)
	do(sh.m)
}

// Len returns the number of entries. It counts the entries of one shard after another.
func (s *ShardedTexts[K, V]) Len() (n int) {
	for i := range s.shards {
		s.shards[i].hold("hashmap.ShardedTexts.Len", func(m *textMap) { n += m.index.length })
	}
	return n
}

// Stats returns the total statistics of all shards. It may be called during and after Close; closed
// shards add nothing to the totals.
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

// Reserve allocates pages for n entries in total. Each shard gets room for slightly more entries
// than its share, because keys are not distributed evenly.
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
// after Close, except for Stats. If the ShardedTexts is already closed, Close does nothing.
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

// OpenShardedTextsFile returns a ShardedTexts with the entries of a file that Save or Texts.Save
// wrote. It has as many shards as the file; Options.Shards must be 0 or this number.
// OpenShardedTextsFile has the same requirements as OpenFile, and returns the same errors.
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
