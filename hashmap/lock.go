package hashmap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A lock protects a shard. Its word records whether the lock is held, whether the shard is being
// changed, and how often it has been changed. A reader need not acquire the lock. Instead, it loads
// the word before and after it reads the shard. If both words are the same and show no change in
// progress, the reader has seen a consistent state (docs/decisions/0049).
type lock struct {
	word  atomic.Uint64
	queue sync.Mutex // queue of the waiters; its holder polls the word
}

// These are the bits of the word of a lock.
const (
	held     = 1 << iota // the lock is held
	changing             // the holder is changing the shard
	ended                // the shard is closed, permanently
	version              // the lowest bit of the change count
)

// These constants determine how long a goroutine polls the word before it sleeps: about 20 µs, as
// long as it takes to put a goroutine to sleep and to wake it. After each turn of the polling loop,
// the goroutine yields the processor to other goroutines. One of them may hold the lock, and with
// GOMAXPROCS=1 it could not run otherwise.
const (
	turns      = 20 // number of turns; other goroutines may run after each
	looks      = 50 // loads of the word per turn
	leastNap   = 50 * time.Microsecond
	longestNap = time.Millisecond
)

// quiet reports whether word shows that the shard is open and not being changed.
func quiet(word uint64) bool { return word&(changing|ended) == 0 }

// Lock waits until the lock is free and acquires it. The caller may then change the shard. Readers
// wait until Unlock.
func (l *lock) Lock() {
	if !l.try(held | changing) {
		l.wait(held | changing)
	}
}

// Hold waits until the lock is free and acquires it, but does not make readers wait. The caller may
// then read the shard, or call a function of the user. Before it changes the shard, it must call
// Change.
func (l *lock) Hold() {
	if !l.try(held) {
		l.wait(held)
	}
}

// Change makes readers wait, so that the caller, which has called Hold, may change the shard.
func (l *lock) Change() { l.word.Store(l.word.Load() | changing) }

// End records that the shard is closed. The goroutine that holds the lock calls it after it has
// closed the shard.
func (l *lock) End() { l.word.Store(l.word.Load() | ended) }

// Unlock releases the lock. If the shard was changed, Unlock increments its version.
func (l *lock) Unlock() {
	w := l.word.Load()
	if w&changing != 0 {
		w += version
	}
	l.word.Store(w &^ (held | changing))
}

// try acquires the lock if it is free, and sets the given bits of its word. It reports whether it
// has acquired the lock.
func (l *lock) try(bits uint64) bool {
	w := l.word.Load()
	return w&held == 0 && l.word.CompareAndSwap(w, w|bits)
}

// wait waits until the lock is free, acquires it, and sets the given bits of its word.
func (l *lock) wait(bits uint64) {
	l.queue.Lock()
	defer l.queue.Unlock()
	for nap := leastNap; ; nap = min(2*nap, longestNap) {
		for range turns {
			for range looks {
				if l.try(bits) {
					return
				}
				pause()
			}
			runtime.Gosched()
		}
		time.Sleep(nap)
	}
}

// pause waits for about 20 ns. It does not access memory, because that could slow down the
// goroutine that holds the lock.
func pause() {
	for range 40 {
	}
}
