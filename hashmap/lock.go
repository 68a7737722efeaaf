package hashmap

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A lock is that of a shard. Its word says whether somebody has the lock, whether what is locked
// changes, and how often it has changed, so that readers need not take it: who finds the same quiet
// word before and after has read what was there at one moment (docs/decisions/0049).
type lock struct {
	word  atomic.Uint64
	queue sync.Mutex // those who wait; one of them looks at the word
}

// What a word has.
const (
	held     = 1 << iota // somebody has the lock
	changing             // and changes what is locked
	ended                // what was locked is gone, for ever
	version              // the least bit of the count of changes
)

// How long one who waits looks at the word before it sleeps, about 20 µs: as long as it would take
// to sleep and be woken. In between it lets others run, of which one may have the lock, as with
// GOMAXPROCS=1.
const (
	turns      = 20 // after each, others may run
	looks      = 50 // of a turn
	leastNap   = 50 * time.Microsecond
	longestNap = time.Millisecond
)

// quiet tells whether what is locked by a word does not change.
func quiet(word uint64) bool { return word&(changing|ended) == 0 }

// Lock waits until nobody has the lock, and takes it to change what is locked.
func (l *lock) Lock() {
	if !l.try(held | changing) {
		l.wait(held | changing)
	}
}

// Hold waits until nobody has the lock, and takes it to read what is locked, or to call somebody
// before it is changed. Readers go on.
func (l *lock) Hold() {
	if !l.try(held) {
		l.wait(held)
	}
}

// Change is for who has the lock from Hold and is about to change what is locked.
func (l *lock) Change() { l.word.Store(l.word.Load() | changing) }

// End is for who has the lock and has closed what is locked.
func (l *lock) End() { l.word.Store(l.word.Load() | ended) }

// Unlock gives the lock back. What was changed has another version.
func (l *lock) Unlock() {
	w := l.word.Load()
	if w&changing != 0 {
		w += version
	}
	l.word.Store(w &^ (held | changing))
}

// try takes the lock with these bits, if nobody has it.
func (l *lock) try(bits uint64) bool {
	w := l.word.Load()
	return w&held == 0 && l.word.CompareAndSwap(w, w|bits)
}

// wait takes the lock with these bits when nobody has it.
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

// pause takes about 20 ns, in which who looks is not in the way of who works.
func pause() {
	for range 40 {
	}
}
