package hashmap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A lock is the lock of a shard. Its word records whether the lock is held, whether the shard is
// being changed, and how many changes there were. Readers need not acquire the lock. Instead, a
// reader compares the word before and after it reads the shard. If the word is the same and shows
// no change in progress, the reader has read a consistent state (docs/decisions/0049).
type lock struct {
	word  atomic.Uint64
	queue sync.Mutex // the waiters; one of them polls the word
}

// The bits of the word of a lock.
const (
	held     = 1 << iota // the lock is held
	changing             // the holder is changing the shard
	ended                // the shard is closed, permanently
	version              // the lowest bit of the change count
)

// These constants determine how long a goroutine polls the word before it sleeps: about 20 µs, as
// long as it takes to put a goroutine to sleep and to wake it. After each turn, it yields the
// processor to other goroutines, one of which may hold the lock. With GOMAXPROCS=1, the holder
// could otherwise not run.
const (
	turns      = 20 // after each, other goroutines may run
	looks      = 50 // per turn
	leastNap   = 50 * time.Microsecond
	longestNap = time.Millisecond
)

// quiet reports whether a word shows that the shard is not being changed.
func quiet(word uint64) bool { return word&(changing|ended) == 0 }

// Lock waits until the lock is free and acquires it. Its caller may change the shard, and readers
// wait.
func (l *lock) Lock() {
	if !l.try(held | changing) {
		l.wait(held | changing)
	}
}

// Hold waits until the lock is free and acquires it, but does not stop readers. Its caller may read
// the shard, or call a function before it changes the shard (see Change).
func (l *lock) Hold() {
	if !l.try(held) {
		l.wait(held)
	}
}

// Change records that the shard is being changed, so that readers wait. A goroutine that called
// Hold must call Change before it changes the shard.
func (l *lock) Change() { l.word.Store(l.word.Load() | changing) }

// End marks the shard as closed. The holder of the lock calls it after it has closed the shard.
func (l *lock) End() { l.word.Store(l.word.Load() | ended) }

// Unlock releases the lock. If the shard was changed, its version is incremented.
func (l *lock) Unlock() {
	w := l.word.Load()
	if w&changing != 0 {
		w += version
	}
	l.word.Store(w &^ (held | changing))
}

// try acquires the lock if it is free, and sets the given bits of its word. It reports whether it
// succeeded.
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

// pause waits for about 20 ns without accessing memory, so that it does not slow down the goroutine
// that holds the lock.
func pause() {
	for range 40 {
	}
}
