package hashmap

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"runtime"
	"sync"

	"github.com/coppice-go/coppice/internal/each"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Sharded is a Map for any number of goroutines: many Maps, each with a lock, among which the hash of a key chooses.
// NewSharded or OpenShardedFile makes one, and Close ends it. A Sharded must not be copied.
type Sharded[K comparable, V any] struct {
	_      layout.NoCopy
	shards []shard[K, V]
}

// A shard is one of the Maps. Any number of goroutines may read it, or one may change it.
type shard[K comparable, V any] struct {
	mu sync.RWMutex
	m  *Map[K, V]
	_  [layout.CacheLine]byte
}

// maxShards is the greatest count of them.
const maxShards = 256

// NewSharded returns an empty Sharded. It fails as New does, and if Options.Shards is out of range. Options.Max is for all shards together: each may have its
// share, and an eighth and a thousand more, since keys are spread by chance.
func NewSharded[K comparable, V any](options Options) (*Sharded[K, V], error) {
	const where = "hashmap.NewSharded"
	shards, err := shardsOf(where, options)
	if err != nil {
		return nil, err
	}
	return makeSharded[K, V](where, shards, options, hash.NewSeed(), 2)
}

// shardsOf returns how many shards the options mean, a power of two.
func shardsOf(where string, o Options) (int, error) {
	shards := o.Shards
	if shards < 0 || shards > maxShards {
		return 0, fmt.Errorf("%s: %d shards, and 1 to %d are possible; leave it 0 for the default", where, shards, maxShards)
	}
	if shards == 0 {
		shards = min(4*runtime.GOMAXPROCS(0), maxShards)
		if vmem.GoMemory { // each shard is a piece of the Go heap, of its full size from the start
			shards = min(shards, 8)
		}
	}
	return 1 << bits.Len(uint(shards-1)), nil
}

// ofShard returns the options for one shard of so many, which has its share of Max.
func (o Options) ofShard(shards int) Options {
	if o.Max > 0 {
		o.Max = o.Max/shards + o.Max/shards/8 + 1000
	}
	return o
}

// makeSharded makes an empty Sharded for the function where, called skip frames below the user. The seed is one for all, so that a key is hashed once.
func makeSharded[K comparable, V any](where string, shards int, o Options, seed uint64, skip int) (*Sharded[K, V], error) {
	s := &Sharded[K, V]{shards: make([]shard[K, V], shards)}
	for i := range s.shards {
		m, err := open[K, V](where, o.ofShard(shards), seed, skip)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.shards[i].m = m
	}
	return s, nil
}

// made panics if nobody made the Sharded.
func (s *Sharded[K, V]) made(where string) {
	if len(s.shards) == 0 || s.shards[0].m == nil {
		panic(where + ": the map was not made by NewSharded or OpenShardedFile")
	}
}

// of returns the shard of a key, and its hash.
func (s *Sharded[K, V]) of(where string, k *K) (*shard[K, V], uint64) {
	s.made(where)
	h := s.shards[0].m.hashOf(k)
	return &s.shards[shardOf(h, len(s.shards))], h
}

// Get returns the value of a key, and whether it is there. It takes the lock of a shard, which readers share.
func (s *Sharded[K, V]) Get(k K) (v V, ok bool) {
	sh, h := s.of("hashmap.Sharded.Get", &k)
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use("hashmap.Sharded.Get")
	if found := sh.m.find(h, &k); found != nil {
		return *found, true
	}
	return v, false
}

// Has reports whether a key is there. It costs a Get.
func (s *Sharded[K, V]) Has(k K) bool {
	sh, h := s.of("hashmap.Sharded.Has", &k)
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sh.m.use("hashmap.Sharded.Has")
	return sh.m.find(h, &k) != nil
}

// Set puts a value under a key. It panics if the shard of the key is full or closed; TrySet returns the error instead.
func (s *Sharded[K, V]) Set(k K, v V) {
	if err := s.set("hashmap.Sharded.Set", &k, &v); err != nil {
		panic("hashmap.Sharded.Set: " + err.Error())
	}
}

// TrySet is Set that returns an error, which wraps ErrFull, if there is no room. The Sharded is then as it was.
func (s *Sharded[K, V]) TrySet(k K, v V) error {
	if err := s.set("hashmap.Sharded.TrySet", &k, &v); err != nil {
		return fmt.Errorf("hashmap.Sharded.TrySet: %w", err)
	}
	return nil
}

func (s *Sharded[K, V]) set(where string, k *K, v *V) error {
	sh, h := s.of(where, k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	to, _, err := sh.m.put(h, k)
	if err == nil {
		*to = *v
	}
	return err
}

// GetOrSet returns the value of a key and true, or puts v there and returns it and false. Of several goroutines one sets. It panics as
// Set does.
func (s *Sharded[K, V]) GetOrSet(k K, v V) (V, bool) {
	sh, h := s.of("hashmap.Sharded.GetOrSet", &k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use("hashmap.Sharded.GetOrSet")
	to, found, err := sh.m.put(h, &k)
	if err != nil {
		panic("hashmap.Sharded.GetOrSet: " + err.Error())
	}
	if !found {
		*to = v
	}
	return *to, found
}

// TryGetOrSet is GetOrSet that returns an error, which wraps ErrFull, if there is no room. The Sharded is then as it was.
func (s *Sharded[K, V]) TryGetOrSet(k K, v V) (V, bool, error) {
	sh, h := s.of("hashmap.Sharded.TryGetOrSet", &k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use("hashmap.Sharded.TryGetOrSet")
	to, found, err := sh.m.put(h, &k)
	if err != nil {
		return v, false, fmt.Errorf("hashmap.Sharded.TryGetOrSet: %w", err)
	}
	if !found {
		*to = v
	}
	return *to, found, nil
}

// Update calls change with the value of a key, or with the zero value and false, and puts what it returns there. Nobody else changes the
// key meanwhile. change must not use the Sharded: it would wait for itself. Update panics as Set does.
func (s *Sharded[K, V]) Update(k K, change func(v V, ok bool) V) {
	if err := s.update("hashmap.Sharded.Update", &k, change); err != nil {
		panic("hashmap.Sharded.Update: " + err.Error())
	}
}

// TryUpdate is Update that returns an error, which wraps ErrFull, if there is no room. The Sharded is then as it was.
func (s *Sharded[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	if err := s.update("hashmap.Sharded.TryUpdate", &k, change); err != nil {
		return fmt.Errorf("hashmap.Sharded.TryUpdate: %w", err)
	}
	return nil
}

func (s *Sharded[K, V]) update(where string, k *K, change func(v V, ok bool) V) error {
	sh, h := s.of(where, k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use(where)
	var v V
	found := sh.m.find(h, k)
	if found != nil {
		v = *found
	}
	v = change(v, found != nil) // it may panic: nothing has changed yet
	to, _, err := sh.m.put(h, k)
	if err == nil {
		*to = v
	}
	return err
}

// Delete takes a key and its value out, and reports whether the key was there.
func (s *Sharded[K, V]) Delete(k K) bool {
	sh, h := s.of("hashmap.Sharded.Delete", &k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.use("hashmap.Sharded.Delete")
	return sh.m.remove(h, &k)
}

// each calls f with one Map after another, under its lock.
func (s *Sharded[K, V]) each(f func(m *Map[K, V])) {
	for i := range s.shards {
		s.shards[i].read(f)
	}
}

// read calls f with the Map under the lock of readers, which is free afterwards also if f panics.
func (sh *shard[K, V]) read(f func(m *Map[K, V])) {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	f(sh.m)
}

// Len returns the count of entries. While others change the Sharded, it is one that no moment need have had.
func (s *Sharded[K, V]) Len() (n int) {
	s.each(func(m *Map[K, V]) { n += m.Len() })
	return n
}

// Stats returns what all shards have together. While others change the Sharded, it is of no one moment.
func (s *Sharded[K, V]) Stats() Stats {
	sum := Stats{Verified: len(s.shards) > 0}
	s.each(func(m *Map[K, V]) { sum.add(m.Stats()) })
	return sum
}

// Clone returns a Sharded with the same entries, which it copies a shard at a time: what others change meanwhile may be in it or not.
func (s *Sharded[K, V]) Clone() (*Sharded[K, V], error) {
	c := &Sharded[K, V]{shards: make([]shard[K, V], len(s.shards))}
	for i := range s.shards {
		var err error
		s.shards[i].read(func(m *Map[K, V]) { c.shards[i].m, err = m.Clone() })
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hashmap.Sharded.Clone: %w", err), c.Close())
		}
	}
	return c, nil
}

// Keys yields the keys, as All does.
func (s *Sharded[K, V]) Keys() iter.Seq[K] { return each.Key(s.All()) }

// Values yields the values, as All does.
func (s *Sharded[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// All yields the entries, in no order, a page at a time: no lock is held in the loop, which may change the Sharded, as others may. Each entry that
// is there all the time comes once. A value is that of when its page was copied.
func (s *Sharded[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { s.walk("hashmap.Sharded.All", nil, yield) }
}

// AllBytes is All for keys that are strings, as [Map.AllBytes]: without an allocation for any, and each as bytes that are the loop's until its next step.
func (s *Sharded[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Sharded.AllBytes"
	s.made(where)
	s.shards[0].m.mustBeText(where)
	return func(yield func([]byte, V) bool) {
		var room []byte
		s.walk(where, &room, func(k K, v V) bool { return each.Lend(bytesOfText(textOf(&k)), v, yield) })
	}
}

// walk yields the entries, a page at a time, whose keys are in the room if there is one.
func (s *Sharded[K, V]) walk(where string, room *[]byte, yield func(K, V) bool) {
	var entries []slot[K, V]
	for i := range s.shards {
		sh := &s.shards[i]
		for from, more := uint64(0), true; more; {
			var r ref
			sh.read(func(m *Map[K, V]) {
				m.use(where)
				r = m.dir[m.index(from)]
				entries = m.appendEntries(entries[:0], r, room)
			})
			for _, e := range entries {
				if !yield(e.key, e.value) {
					return
				}
			}
			from, more = behind(from, r.depth())
		}
	}
}

// Clear drops all entries and keeps the memory. Others may use the Sharded meanwhile: shards become empty one after another.
func (s *Sharded[K, V]) Clear() {
	for i := range s.shards {
		s.shards[i].reset()
	}
}

func (sh *shard[K, V]) reset() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m.Clear()
}

// Close gives all memory back to the system. Nobody may use the Sharded meanwhile or afterwards. A second Close does nothing.
func (s *Sharded[K, V]) Close() error {
	var err error
	for i := range s.shards {
		sh := &s.shards[i]
		if sh.m == nil {
			continue // opening failed before
		}
		sh.mu.Lock()
		err = errors.Join(err, sh.m.Close())
		sh.mu.Unlock()
	}
	return err
}
