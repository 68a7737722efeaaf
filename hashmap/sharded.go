package hashmap

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"

	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/texts"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Sharded is a map that is safe for concurrent use. It consists of many Maps, called shards, each
// with a lock. The hash of a key selects the shard. NewSharded or OpenShardedFile creates a
// Sharded, and Close releases it. A Sharded must not be copied.
//
// On 64-bit x86 with Linux, macOS or a BSD, Get and Has use no lock and do not write to shared
// memory: they read the shard, and retry if it was changed at the same time. On other systems,
// under the race detector and in checked builds, they use the lock.
type Sharded[K comparable, V any] struct {
	_      layout.NoCopy
	shards []shard[K, V]
	kind   keyKind
	words  wordHash
	hash   hash.Func[K] // shared by all Maps
}

// maxShards is the maximum number of shards.
const maxShards = 256

// NewSharded returns an empty Sharded. It fails for the same reasons as New, and also if
// Options.Shards is out of range. Options.Max applies to all shards together. Because keys are not
// distributed evenly, each shard may hold an eighth more entries than its share of Max, plus a
// thousand.
func NewSharded[K comparable, V any](options Options) (*Sharded[K, V], error) {
	const where = "hashmap.NewSharded"
	shards, err := shardsOf(where, options)
	if err != nil {
		return nil, err
	}
	return makeSharded[K, V](where, shards, options, hash.NewSeed(), 2)
}

// shardsOf returns the number of shards that the options specify, rounded up to a power of two.
func shardsOf(where string, o Options) (int, error) {
	shards := o.Shards
	if shards < 0 || shards > maxShards {
		return 0, fmt.Errorf("%s: invalid Options.Shards %d: must be from 0 to %d; 0 is the default", where, shards, maxShards)
	}
	if shards == 0 {
		shards = min(16*runtime.GOMAXPROCS(0), maxShards)
		if vmem.GoMemory { // each shard occupies a part of the Go heap, at its full size from the start
			shards = min(shards, 8)
		}
	}
	return 1 << bits.Len(uint(shards-1)), nil
}

// ofShard returns the options for a single shard, with its share of Max. shards is the number of
// shards.
func (o Options) ofShard(shards int) Options {
	o.watched = true
	if o.Max > 0 {
		o.Max = o.Max/shards + o.Max/shards/8 + 1000
	}
	return o
}

// makeSharded returns an empty Sharded. The parameter where names the function that the user
// called, for errors, and skip is the number of stack frames from makeSharded up to the user's
// code. All shards have the same seed, so that each key is hashed only once.
func makeSharded[K comparable, V any](where string, shards int, o Options, seed uint64, skip int) (*Sharded[K, V], error) {
	s := &Sharded[K, V]{shards: make([]shard[K, V], shards)}
	for i := range s.shards {
		m, err := open[K, V](where, o.ofShard(shards), seed, skip)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.begin(i, m)
	}
	return s, nil
}

// begin stores m as the Map of shard i.
func (s *Sharded[K, V]) begin(i int, m *Map[K, V]) {
	s.shards[i].m = m
	s.shards[i].follow(&m.table)
	s.hash, s.words = m.hash, wordHashOf(&m.hash.Secrets)
	switch {
	case m.text:
		s.kind = textKeys
	case m.simple && sizeOf[K]() == wordBytes:
		s.kind = wordKeys
	default:
		s.kind = otherKeys
	}
}

// made panics if s is the zero Sharded. The parameter where names the method that the user called.
func (s *Sharded[K, V]) made(where string) {
	if s.kind == 0 {
		panic(where + ": the map was not made by NewSharded or OpenShardedFile")
	}
}

// of returns the shard to which *k belongs, and the hash of *k.
func (s *Sharded[K, V]) of(where string, k *K) (*shard[K, V], uint64) {
	var h uint64
	if s.kind == wordKeys {
		h = s.words.of(wordOf(k))
	} else {
		s.made(where)
		h = hashOf(&s.hash, k)
	}
	return &s.shards[shardOf(h, len(s.shards))], h
}

// Get returns the value of k and reports whether k is present.
func (s *Sharded[K, V]) Get(k K) (v V, ok bool) {
	if !readsFreely || s.kind != wordKeys || sizeOf[K]() != wordBytes {
		if readsFreely && s.kind == textKeys {
			return s.getText(&k)
		}
		return s.get("hashmap.Sharded.Get", &k)
	}
	h := s.words.of(wordOf(&k))
	sh := &s.shards[shardOf(h, len(s.shards))]
	// The rest repeats the code of peek up to the first slot with a matching tag in the first
	// group, where most keys are found. This avoids a call, which would take a third of the time of
	// a look-up whose data is in the processor's cache.
	w := sh.word.Load()
	dir, base, shift := sh.dir.Load(), addressOf(sh.base.Load()), sh.shift.Load()
	if quiet(w) && sh.word.Load() == w {
		if r := entryAt(dir, h>>(shift&63)); sh.word.Load() == w {
			g := groupAt[K, V](base, r.at(), groupBits(h)&r.mask())
			if match := withTag(g.control, tagOf(h)); match != 0 {
				if e := &g.slots[match.first()]; e.key == k {
					if v = e.value; sh.word.Load() == w {
						return v, true
					}
				}
			}
		}
	}
	return sh.get("hashmap.Sharded.Get", wordKeys, h, &k)
}

// getText implements Get for string keys.
func (s *Sharded[K, V]) getText(k *K) (v V, ok bool) {
	text := textOf(k)
	h := s.hash.Bytes(bytesOfText(text))
	sh := &s.shards[shardOf(h, len(s.shards))]
	w := sh.word.Load()
	dir, base, shift := sh.dir.Load(), addressOf(sh.base.Load()), sh.shift.Load()
	if start, reach := sh.texts.Load(), sh.reach.Load(); quiet(w) && sh.word.Load() == w {
		memory := bytesFrom(start, reach)
		if r := entryAt(dir, h>>(shift&63)); sh.word.Load() == w {
			g := textGroupAt[V](base, r.at(), groupBits(h)&r.mask())
			if match := withTag(g.control, tagOf(h)); match != 0 {
				i := match.first()
				if n, from := uint64(len(text)), uint64(g.texts[i])*texts.Unit; from > 0 && n < 1<<7 && from < uint64(len(memory)) && n < uint64(len(memory))-from &&
					memory[from] == byte(n) && string(memory[from+1:from+1+n]) == text {
					if v = g.values[i]; sh.word.Load() == w {
						return v, true
					}
				}
			}
		}
	}
	return sh.get("hashmap.Sharded.Get", textKeys, h, k)
}

// get implements Get for keys of any type. The parameter where names the method that the user
// called, for panic messages.
func (s *Sharded[K, V]) get(where string, k *K) (v V, ok bool) {
	sh, h := s.of(where, k)
	return sh.get(where, s.kind, h, k)
}

// peeks is the number of times that a reader tries to read without the lock before it waits for the
// lock.
const peeks = 16

func (sh *shard[K, V]) get(where string, kind keyKind, h uint64, k *K) (v V, ok bool) {
	for i := 0; readsFreely && i < peeks; i++ {
		if v, ok, sure := sh.peek(kind, h, k); sure {
			return v, ok
		}
		pause()
	}
	sh.Hold()
	defer sh.done()
	sh.m.use(where)
	if found := sh.at(kind, h, k); found != nil {
		return *found, true
	}
	return v, false
}

// Has reports whether k is present. It takes as long as Get.
func (s *Sharded[K, V]) Has(k K) bool {
	_, ok := s.get("hashmap.Sharded.Has", &k)
	return ok
}

// Set sets the value of k to v. It panics if the shard of k is full or closed; TrySet returns the
// error instead.
func (s *Sharded[K, V]) Set(k K, v V) {
	if s.kind == wordKeys && sizeOf[K]() == wordBytes {
		h := s.words.of(wordOf(&k))
		sh := &s.shards[shardOf(h, len(s.shards))]
		if w := sh.word.Load(); w&(held|ended) == 0 && sh.word.CompareAndSwap(w, w|held|changing) {
			r := entryAt(sh.dir.Load(), h>>(sh.shift.Load()&63)) // as in Get
			g := groupAt[K, V](addressOf(sh.base.Load()), r.at(), groupBits(h)&r.mask())
			if match := withTag(g.control, tagOf(h)); match != 0 {
				if e := &g.slots[match.first()]; e.key == k {
					e.value = v
					sh.word.Store(w + version)
					return
				}
			}
			if err := s.setHere("hashmap.Sharded.Set", sh, h, &k, &v); err != nil {
				panic("hashmap.Sharded.Set: " + err.Error())
			}
			return
		}
	}
	if err := s.set("hashmap.Sharded.Set", &k, &v); err != nil {
		panic("hashmap.Sharded.Set: " + err.Error())
	}
}

// TrySet is like Set, but if there is no room, it returns an error that wraps ErrFull and does not
// change the Sharded.
func (s *Sharded[K, V]) TrySet(k K, v V) error {
	if err := s.set("hashmap.Sharded.TrySet", &k, &v); err != nil {
		return fmt.Errorf("hashmap.Sharded.TrySet: %w", err)
	}
	return nil
}

func (s *Sharded[K, V]) set(where string, k *K, v *V) error {
	sh, h := s.of(where, k)
	sh.Lock()
	return s.setHere(where, sh, h, k, v)
}

// setHere implements set for a shard that the caller has locked with Lock. It releases the lock.
func (s *Sharded[K, V]) setHere(where string, sh *shard[K, V], h uint64, k *K, v *V) error {
	if sh.word.Load()&ended == 0 {
		if to := sh.at(s.kind, h, k); to != nil { // this moves nothing, changes no count and cannot panic
			*to = *v
			sh.Unlock()
			return nil
		}
	}
	return sh.add(where, h, k, v)
}

// add adds a new key to the Map of the shard. The caller holds the lock of the shard, and add
// releases it.
func (sh *shard[K, V]) add(where string, h uint64, k *K, v *V) error {
	defer sh.done()
	sh.m.use(where)
	to, err := sh.m.add(h, k)
	if err == nil {
		*to = *v
	}
	return err
}

// GetOrSet returns the value of k and true if k is present. Otherwise it sets the value to v and
// returns v and false. If several goroutines call GetOrSet for an absent key at the same time, one
// of them stores its value, and the others return this value and true. GetOrSet panics if Set would
// panic.
func (s *Sharded[K, V]) GetOrSet(k K, v V) (V, bool) {
	v, found, err := s.getOrSet("hashmap.Sharded.GetOrSet", &k, &v)
	if err != nil {
		panic("hashmap.Sharded.GetOrSet: " + err.Error())
	}
	return v, found
}

// TryGetOrSet is like GetOrSet, but if there is no room, it returns an error that wraps ErrFull and
// does not change the Sharded.
func (s *Sharded[K, V]) TryGetOrSet(k K, v V) (V, bool, error) {
	v, found, err := s.getOrSet("hashmap.Sharded.TryGetOrSet", &k, &v)
	if err != nil {
		return v, false, fmt.Errorf("hashmap.Sharded.TryGetOrSet: %w", err)
	}
	return v, found, nil
}

func (s *Sharded[K, V]) getOrSet(where string, k *K, v *V) (V, bool, error) {
	sh, h := s.of(where, k)
	if readsFreely {
		if now, ok, sure := sh.peek(s.kind, h, k); sure && ok {
			return now, true, nil
		}
	}
	sh.Hold()
	if sh.word.Load()&ended == 0 {
		if found := sh.at(s.kind, h, k); found != nil {
			now := *found
			sh.Unlock()
			return now, true, nil
		}
	}
	sh.Change()
	return *v, false, sh.add(where, h, k, v)
}

// Delete removes k and its value, and reports whether k was present.
func (s *Sharded[K, V]) Delete(k K) bool {
	_, ok := s.take("hashmap.Sharded.Delete", &k)
	return ok
}

// LoadAndDelete is like Delete but also returns the deleted value.
func (s *Sharded[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	return s.take("hashmap.Sharded.LoadAndDelete", &k)
}

func (s *Sharded[K, V]) take(where string, k *K) (v V, ok bool) {
	sh, h := s.of(where, k)
	sh.Lock()
	defer sh.done()
	sh.m.use(where)
	if found := sh.at(s.kind, h, k); found != nil {
		v, ok = *found, true
		sh.m.remove(h, k)
	}
	return v, ok
}

// Close returns all memory to the system. No other goroutine may use the Sharded during or after
// Close, except for Stats. If the Sharded is already closed, Close does nothing.
func (s *Sharded[K, V]) Close() error {
	var err error
	for i := range s.shards {
		sh := &s.shards[i]
		if sh.m == nil {
			continue // opening failed before this shard
		}
		err = errors.Join(err, sh.close())
	}
	return err
}

func (sh *shard[K, V]) close() error {
	sh.Lock()
	defer sh.done()
	err := sh.m.Close()
	if err == nil {
		sh.End()
	}
	return err
}
