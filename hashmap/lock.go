package hashmap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A lock is the lock of a shard. Its word records whether the lock is held, whether the shard is
// being changed, and how many changes there were. Readers need not take the lock: a reader that
// finds the same word before and after, with no change in progress, has read a consistent state
// (docs/decisions/0049).
type lock struct {
	word  atomic.Uint64
	queue sync.Mutex // the waiters; one of them polls the word
}

// The bits of a word.
const (
	held     = 1 << iota // the lock is held
	changing             // the holder is changing the shard
	ended                // the shard is closed, permanently
	version              // the lowest bit of the change count
)

// These constants determine how long a waiter polls the word before it sleeps: about 20 µs, as long
// as sleeping and being woken would take. In between it yields the processor to other goroutines,
// one of which may hold the lock, as with GOMAXPROCS=1.
const (
	turns      = 20 // after each, other goroutines may run
	looks      = 50 // per turn
	leastNap   = 50 * time.Microsecond
	longestNap = time.Millisecond
)

// quiet reports whether a word shows that the shard is not being changed.
func quiet(word uint64) bool { return word&(changing|ended) == 0 }

// Lock waits for the lock and takes it, in order to change the shard.
func (l *lock) Lock() {
	if !l.try(held | changing) {
		l.wait(held | changing)
	}
}

// Hold waits for the lock and takes it, in order to read the shard, or to call a function before
// the shard is changed. Readers continue.
func (l *lock) Hold() {
	if !l.try(held) {
		l.wait(held)
	}
}

// Change must be called after Hold, and before the holder of the lock changes the shard.
func (l *lock) Change() { l.word.Store(l.word.Load() | changing) }

// End is called by the holder of the lock after it has closed the shard.
func (l *lock) End() { l.word.Store(l.word.Load() | ended) }

// Unlock releases the lock. If the shard was changed, its version is incremented.
func (l *lock) Unlock() {
	w := l.word.Load()
	if w&changing != 0 {
		w += version
	}
	l.word.Store(w &^ (held | changing))
}

// try takes the lock and sets the given bits of its word, if the lock is free.
func (l *lock) try(bits uint64) bool {
	w := l.word.Load()
	return w&held == 0 && l.word.CompareAndSwap(w, w|bits)
}

// wait takes the lock and sets the given bits of its word, once the lock is free.
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

// pause takes about 20 ns, during which the waiter does not slow the holder down.
func pause() {
	for range 40 {
	}
}
