package cache

// A DeletionEvent describes an entry that was removed from a Cache. Key and Value are copies, which
// the function passed to OnDeletion may keep.
type DeletionEvent[K comparable, V any] struct {
	Key   K
	Value V
	Cause DeletionCause
}

// WasEvicted reports whether the Cache removed the entry on its own: to make room, or because it
// had expired.
func (e DeletionEvent[K, V]) WasEvicted() bool {
	return e.Cause == CauseOverflow || e.Cause == CauseExpiration
}

// OnDeletion makes the Cache call f once for each value that is removed or replaced from now on. f
// replaces the function of the previous call to OnDeletion. If f is nil, removals are no longer
// reported.
//
// f is called in the goroutine whose call to the Cache removed the entry, before that call returns,
// and without a lock. f may use the Cache, and may be called concurrently by several goroutines.
// The events of one key may be reported out of order. An expired entry is removed at the next
// access to its key, or when it reaches the end of the queue. Entries that are removed by Close are
// not reported. If f panics, the call to the Cache panics too, after it has completed; other
// entries that it removed are not reported.
//
// Each event costs one or two allocations on the Go heap, which do not count towards MaxBytes. If
// no function is set, removed entries are not copied.
func (c *Cache[K, V]) OnDeletion(f func(e DeletionEvent[K, V])) {
	if len(c.shards) == 0 {
		panic("cache.Cache.OnDeletion: this is the zero Cache; make one with New")
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		if s.slots == nil {
			s.mu.Unlock()
			panic("cache.Cache.OnDeletion: the cache is closed")
		}
		s.watch = nil
		if f != nil {
			s.watch = &deletions[K, V]{c: c, f: f}
		}
		s.mu.Unlock()
	}
}

// deletions holds the removed entries of a shard that have not been reported yet.
type deletions[K comparable, V any] struct {
	c       *Cache[K, V]
	f       func(e DeletionEvent[K, V])
	pending []DeletionEvent[K, V]
}

func (d *deletions[K, V]) note(s *shard, at uint64, why DeletionCause) {
	e := DeletionEvent[K, V]{Value: d.c.load(s, at), Cause: why}
	d.c.loadKey(&e.Key, s.key(at))
	d.pending = append(d.pending, e)
}

func (d *deletions[K, V]) take() func() {
	if len(d.pending) == 0 {
		return nil
	}
	all := d.pending
	d.pending = nil
	return func() {
		for _, e := range all {
			d.f(e)
		}
	}
}
