package cache

import "sync"

// loads are the calls of GetOrLoad that wait for a value. They are on the Go heap, beside the bound, and there is one for each key.
type loads[K comparable, V any] struct {
	mu    sync.Mutex
	byKey map[K]*flight[V]
}

// A flight is one call of a function that loads. All but done are written under the lock, before done is closed.
type flight[V any] struct {
	done    chan struct{}
	value   V // of this flight alone
	err     error
	valid   bool // value and err are for all who wait
	stale   bool // the key was deleted meanwhile, so the value is not kept
	waiting int
}

// forget makes what is being loaded for a key stale. It is called before a shard is locked. There may be no loads at all.
func (l *loads[K, V]) forget(k *K) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.byKey[*k]; f != nil {
		f.stale = true
	}
}

// forgetAll is forget for all keys.
func (l *loads[K, V]) forgetAll() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.byKey {
		f.stale = true
	}
}
