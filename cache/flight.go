package cache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// loads are the calls of GetOrLoad that wait for a value. They are on the Go heap, beside the
// bound, and there is one for each key.
type loads[K comparable, V any] struct {
	mu    sync.Mutex
	byKey map[K]*flight[V]

	loaded, failed uint64 // calls that have ended
	closed         bool   // no more are begun in the background
	background     sync.WaitGroup
	panicked       string // what one in the background panicked with, until a caller hears of it
}

// A flight is one call of a function that loads. All but done are written under the lock, before
// done is closed.
type flight[V any] struct {
	done    chan struct{}
	value   V // of this flight alone
	err     error
	valid   bool // value and err are for all who wait
	stale   bool // the key was deleted meanwhile, so the value is not kept
	waiting int

	cancel context.CancelFunc // of a flight in the background; nil if a caller of GetOrLoad waits for it
	stamp  int64              // of the entry that it replaces
}

// loadsIn returns the loads of a Cache, which it makes when they are first wanted.
func loadsIn[K comparable, V any](place *atomic.Pointer[loads[K, V]]) *loads[K, V] {
	if l := place.Load(); l != nil {
		return l
	}
	place.CompareAndSwap(nil, &loads[K, V]{byKey: map[K]*flight[V]{}})
	return place.Load()
}

// forget makes what is being loaded for a key stale. It is called before a shard is locked. There
// may be no loads at all.
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

// counts returns how many calls returned a value, and how many did not.
func (l *loads[K, V]) counts() (loaded, failed uint64) {
	if l == nil {
		return 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loaded, l.failed
}

// close cancels what is loaded in the background, and waits for it. It returns an error if a panic
// of that was heard by no caller.
func (l *loads[K, V]) close() error {
	l.mu.Lock()
	l.closed = true
	for _, f := range l.byKey {
		if f.cancel != nil {
			f.cancel()
		}
	}
	l.mu.Unlock()
	l.background.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panicked != "" {
		return fmt.Errorf("%s", l.heard())
	}
	return nil
}

// heard returns what a flight in the background panicked with, and forgets it.
func (l *loads[K, V]) heard() string {
	said := l.panicked
	l.panicked = ""
	return said
}

// note keeps the first panic of a flight in the background until a caller hears of it.
func (l *loads[K, V]) note(said string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panicked == "" {
		l.panicked = said
	}
}
