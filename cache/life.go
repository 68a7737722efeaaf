package cache

import (
	"errors"
	"fmt"
	"iter"
)

// batch is the number of keys that All copies each time it acquires a lock.
const batch = 64

// All yields the entries, in unspecified order. It holds no lock while the loop body runs, so the
// loop body may use the Cache. An entry that is present throughout the loop is yielded once; other
// entries are yielded at most once, and deleted entries are no longer yielded. For each entry, All
// costs as much as Get, but it does not record a use or a hit.
func (c *Cache[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		keys := make([]K, 0, batch)
		for i := range c.shards {
			s := &c.shards[i]
			for from, more := uint32(0), true; more; {
				keys = keys[:0]
				from, more = s.next("cache.Cache.All", from, func(at uint64) {
					var k K
					c.loadKey(&k, s.key(at))
					keys = append(keys, k)
				})
				for _, k := range keys {
					if v, ok := c.peek("cache.Cache.All", s, c.hash.Hash(k), &k); ok && !yield(k, v) {
						return
					}
				}
			}
		}
	}
}

// next calls f with the offsets of some entries in the order of their hashes, beginning with the
// first hash that is at least from. It returns the value of from for the next call, and false if
// there are no more entries.
func (s *shard) next(where string, from uint32, f func(at uint64)) (uint32, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.use(where)
	t := &s.table
	n, last := 0, from
	for i := t.seek(from); i < len(t.slots); i++ {
		slot := t.slots[i]
		if slot == 0 {
			continue
		}
		if n >= batch && hashOf(slot) != last {
			return hashOf(slot), true
		}
		n, last = n+1, hashOf(slot)
		f(placeOf(slot))
	}
	return 0, false
}

// Len returns the number of entries, including expired ones that have not been removed yet.
func (c *Cache[K, V]) Len() int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.RLock()
		n += s.table.count
		s.mu.RUnlock()
	}
	return n
}

// Stats returns the current statistics. It reads the shards one at a time.
func (c *Cache[K, V]) Stats() Stats {
	before := c.bound.Load()
	all := Stats{Bytes: uint64(c.goBytes(len(c.shards)))}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.RLock()
		if s.slots != nil {
			all.Bytes += uint64(s.committed())
		}
		all.Len += s.table.count
		all.Evictions += s.evictions
		all.Expirations += s.expirations
		s.mu.RUnlock()
		all.Hits += s.hits.Load()
		all.Misses += s.misses.Load()
	}
	all.Loads, all.LoadFailures = c.loads.Load().counts()
	all.Bound = uint64(max(before, c.bound.Load())) // SetMaximum may run concurrently
	return all
}

// Clear removes all entries and keeps the memory. The cost depends only on the size of the table.
// Entries that other goroutines set during Clear may stay.
func (c *Cache[K, V]) Clear() {
	c.loads.Load().forgetAll()
	for i := range c.shards {
		c.shards[i].forget("cache.Cache.Clear")
	}
}

func (s *shard) forget(where string) {
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	s.tellAll(CauseClear)
	s.reset()
}

// Close releases the memory; a second Close does nothing. Close cancels the contexts of background
// loads and waits until they have returned, so a load function that runs in the background must not
// call Close. If one of them has panicked, and no GetOrLoad has reported it yet, Close returns an
// error. After Close, Len and Stats still work. All other methods panic, including calls that are
// in progress in other goroutines.
func (c *Cache[K, V]) Close() error {
	var err error
	if c.form.refresh > 0 && len(c.shards) > 0 {
		err = loadsIn(&c.loads).close()
	}
	if err := errors.Join(err, closeShards(c.shards)); err != nil {
		return fmt.Errorf("cache.Cache.Close: %w", err)
	}
	return nil
}
