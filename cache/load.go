package cache

import (
	"context"
	"fmt"
	"runtime/debug"
)

// GetOrLoad returns the value of a key. If the key is not present, it calls load, stores the result
// under the key as Set does, and returns it. If load returns an error, nothing is stored, and
// GetOrLoad returns that error.
//
// If several goroutines request the same key, only one of them calls load, with its own ctx. The
// others wait, and receive a copy of the same value, or the same error. A waiter stops waiting when
// its own ctx is done, and returns the error of that ctx. If the call to load panics, exits its
// goroutine, or fails after its ctx was done, one of the waiters calls load again.
//
// No lock is held while load runs. load may use the Cache, but must not call GetOrLoad with the
// same key, which would deadlock. If another value is stored under the key while load runs, that
// value is kept. If the key is removed or changed by Delete, Clear or Compute while load runs, the
// loaded value is returned but not stored. The same happens if there is no room for the value.
//
// With Options.RefreshAfterWrite, GetOrLoad returns a value that has reached this age immediately,
// and calls load in a separate goroutine to replace the value. There is at most one such goroutine
// for each key at a time. The ctx that is passed to load has the values of the caller's ctx, but is
// canceled only by Close. The new value replaces the old one as Set does, with a new deadline,
// unless the key was set or deleted while load ran. If load returns an error or panics, the old
// value stays until it expires, and the next GetOrLoad loads again. After a panic, one later call
// to GetOrLoad that finds an old value panics too, with the same message.
func (c *Cache[K, V]) GetOrLoad(ctx context.Context, k K, load func(ctx context.Context, k K) (V, error)) (V, error) {
	const where = "cache.Cache.GetOrLoad"
	s, h := c.of(where, &k)
	if at, ok := c.hit(where, s, h, &k); ok {
		v := c.load(s, at)
		stamp, old := s.stale(at)
		s.mu.RUnlock()
		if old {
			c.refresh(ctx, stamp, k, load)
		}
		return v, nil
	}
	if k != k {
		return load(ctx, k) // k is or contains NaN, so the Cache does not store it
	}
	for {
		if err := ctx.Err(); err != nil {
			var zero V
			return zero, err
		}
		f, leads, v, ok := c.join(where, s, h, &k)
		switch {
		case ok:
			return v, nil
		case leads:
			return c.lead(ctx, f, k, load)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			var zero V
			return zero, ctx.Err()
		}
		if f.valid {
			return c.copyOf(f.value), f.err
		}
	}
}

// join returns the flight of a key, and creates it if there is none. leads reports whether the
// caller must call the load function for the flight. If the value was stored in the meantime, join
// returns the value instead.
func (c *Cache[K, V]) join(where string, s *shard, h uint64, k *K) (f *flight[V], leads bool, v V, ok bool) {
	l := c.allLoads()
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.byKey[*k]; f != nil && !f.stale {
		f.waiting++
		return f, false, v, false
	}
	if v, ok = c.peek(where, s, h, k); ok {
		return nil, false, v, true
	}
	f = &flight[V]{done: make(chan struct{})}
	l.byKey[*k] = f
	return f, true, v, false
}

// refresh starts a background flight that replaces the value of k that has the given stamp. It does
// nothing if another flight is replacing the value or has already replaced it.
func (c *Cache[K, V]) refresh(ctx context.Context, stamp int64, k K, load func(ctx context.Context, k K) (V, error)) {
	const where = "cache.Cache.GetOrLoad"
	l := c.allLoads()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panicked != "" {
		panic(where + ": " + l.heard())
	}
	if other := l.byKey[k]; l.closed || other != nil && !other.stale || !c.has(where, &k, stamp) {
		return
	}
	f := &flight[V]{done: make(chan struct{}), stamp: stamp}
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.byKey[k] = f
	l.background.Add(1)
	go func() {
		defer l.background.Done()
		defer func() {
			if p := recover(); p != nil {
				l.note(fmt.Sprintf("a load in the background panicked: %v\n%s", p, debug.Stack()))
			}
		}()
		defer f.cancel()
		_, _ = c.lead(ctx, f, k, load) // lead counts errors
	}()
}

// has reports whether the entry of a key still has the given stamp, which means that its value was
// not replaced.
func (c *Cache[K, V]) has(where string, k *K, stamp int64) bool {
	s, h := c.of(where, k)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.slots == nil {
		return false
	}
	_, at, ok := c.find(s, h, k)
	return ok && s.isStamped(at, stamp)
}

// lead calls the load function of a flight, and passes the result to all goroutines that wait for
// it.
func (c *Cache[K, V]) lead(ctx context.Context, f *flight[V], k K, load func(ctx context.Context, k K) (V, error)) (v V, err error) {
	returned := false
	defer func() {
		if announce := c.land(f, &k, &v, err, returned && (err == nil || ctx.Err() == nil)); announce != nil {
			announce()
		}
	}()
	v, err = load(ctx, k)
	returned = true
	return v, err
}

// land ends a flight. It stores the value, unless load failed or the key was deleted in the
// meantime. It returns a function that reports removed entries, or nil if no entries were removed.
// The caller must call the function without holding a lock.
func (c *Cache[K, V]) land(f *flight[V], k *K, v *V, err error, valid bool) (announce func()) {
	l := c.allLoads()
	l.mu.Lock() // held during the put: a Delete either precedes it and marks the flight stale, or follows it
	defer l.mu.Unlock()
	defer close(f.done)
	if l.byKey[*k] == f {
		delete(l.byKey, *k)
	}
	if !valid || err != nil {
		l.failed++
	} else {
		l.loaded++
	}
	if f.valid = valid; !valid {
		return nil
	}
	f.err = err
	if f.waiting > 0 {
		f.value = c.copyOf(*v)
	}
	if err == nil && !f.stale {
		announce = c.keep(f, k, v)
	}
	return announce
}

// keep stores a loaded value if the key has no value, or if the key still has the value that the
// flight is meant to replace. It does nothing if the Cache is closed. Like land, it returns a
// function that reports removed entries.
func (c *Cache[K, V]) keep(f *flight[V], k *K, v *V) (announce func()) {
	const where = "cache.Cache.GetOrLoad"
	s, h := c.of(where, k)
	p := piece{key: bytesOf(k, c.form.keyText), value: bytesOf(v, c.form.valueText)}
	c.form.live(&p, c.ttl)
	s.mu.Lock()
	defer func() { announce = s.release() }()
	if s.slots == nil {
		return nil
	}
	if _, at, ok := c.find(s, h, k); !ok || s.late(at) || f.cancel != nil && s.isStamped(at, f.stamp) {
		_ = c.put(where, s, h, k, &p) // ignore the error: the caller gets the value anyway
	}
	return nil
}

// allLoads returns the Cache's loads, which the first call creates.
func (c *Cache[K, V]) allLoads() *loads[K, V] { return loadsIn(&c.loads) }

// copyOf returns a copy of v that shares no memory with v.
func (c *Cache[K, V]) copyOf(v V) V {
	if c.bytesV {
		fillBytes(&v, bytesOf(&v, c.bytesV))
	}
	return v
}
