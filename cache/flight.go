package cache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// A loads holds the calls to load functions that are in progress, at most one for each key. It is
// on the Go heap, and does not count towards MaxBytes.
type loads[K comparable, V any] struct {
	mu    sync.Mutex
	byKey map[K]*flight[V]

	loaded, failed uint64 // number of calls that returned a value, and number of failed calls
	closed         bool   // no more background loads are started
	background     sync.WaitGroup
	panicked       string // the panic value of a background load, until it is reported to a caller
}

// A flight is one call to a load function. All fields except done are written under the lock of the
// loads, before done is closed.
type flight[V any] struct {
	done    chan struct{}
	value   V // a copy that belongs to this flight
	err     error
	valid   bool // value and err apply to all waiters
	stale   bool // the key was deleted in the meantime, so the value is not stored
	waiting int

	cancel context.CancelFunc // cancels a background call; nil if GetOrLoad calls load itself
	stamp  int64              // stamp of the entry to be replaced
}

// loadsIn returns the loads to which the pointer place refers. The first call creates the loads and
// sets the pointer.
func loadsIn[K comparable, V any](place *atomic.Pointer[loads[K, V]]) *loads[K, V] {
	if l := place.Load(); l != nil {
		return l
	}
	place.CompareAndSwap(nil, &loads[K, V]{byKey: map[K]*flight[V]{}})
	return place.Load()
}

// forget marks the load of a key as stale, if one is in progress, so that its result is not stored.
// It must be called before the shard is locked. l may be nil.
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

// forgetAll is like forget, for all keys.
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

// counts returns the number of calls to load functions that returned a value, and the number of
// calls that failed.
func (l *loads[K, V]) counts() (loaded, failed uint64) {
	if l == nil {
		return 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loaded, l.failed
}

// close cancels background loads, and waits until they have returned. It returns an error if one of
// them has panicked and the panic has not been reported to a caller.
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

// heard returns the message of a background flight's panic that has not been reported yet, and
// clears the message. The result is empty if there was no panic.
func (l *loads[K, V]) heard() string {
	said := l.panicked
	l.panicked = ""
	return said
}

// note stores the message of a background flight's panic until it is reported to a caller. If
// several flights panic before that, only the first message is kept.
func (l *loads[K, V]) note(said string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panicked == "" {
		l.panicked = said
	}
}
