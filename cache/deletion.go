package cache

// A DeletionEvent says which entry went from a Cache, and why. Key and Value are copies, which the
// function may keep.
type DeletionEvent[K comparable, V any] struct {
	Key   K
	Value V
	Cause DeletionCause
}

// WasEvicted reports whether the Cache took the entry out by itself: for room, or since its time
// had come.
func (e DeletionEvent[K, V]) WasEvicted() bool {
	return e.Cause == CauseOverflow || e.Cause == CauseExpiration
}

// OnDeletion lets the Cache call f for each entry that goes from now on, once for each value. A nil
// f ends that. f replaces the one from before.
//
// The goroutine whose call made the entry go calls f, before that call returns, and without a lock:
// f may use the Cache, and is called at once by several goroutines. Events of one key may come in
// another order than they happened. An entry whose time has come goes when somebody asks for it, or
// when its turn comes. Close announces nothing. If f panics, so does the call of the Cache, which
// is done; other entries that went by it are not announced.
//
// Each entry that goes costs an allocation or two on the Go heap, beside the bound. Without a
// function nothing is copied.
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

// deletions are what went from a shard and was not announced yet.
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
