package cache

import (
	"runtime"
	"sync"
)

// A lock is a sync.RWMutex whose callers try again for a while before they sleep: for about as long
// as it takes to sleep and be woken. A Get or a Set mostly has the lock for less than a
// microsecond. A goroutine that slept would run again only when a processor finds it, which takes
// far longer.
type lock struct{ mu sync.RWMutex }

// How long a caller looks: about 20 µs. In between it lets others run, of which one may have the
// lock, as with GOMAXPROCS=1.
const (
	turns = 20 // after each, others may run
	looks = 50 // of a turn
)

// Lock waits until nobody has the lock, and takes it.
func (l *lock) Lock() {
	if !l.mu.TryLock() && !look(&l.mu, (*sync.RWMutex).TryLock) {
		l.mu.Lock()
	}
}

// RLock waits until no writer has the lock or waits asleep for it, and takes it for reading.
func (l *lock) RLock() {
	if !l.mu.TryRLock() && !look(&l.mu, (*sync.RWMutex).TryRLock) {
		l.mu.RLock()
	}
}

func (l *lock) Unlock()  { l.mu.Unlock() }
func (l *lock) RUnlock() { l.mu.RUnlock() }

// look tries to take mu for a while, and reports whether it did.
func look(mu *sync.RWMutex, try func(*sync.RWMutex) bool) bool {
	for range turns {
		for range looks {
			if try(mu) {
				return true
			}
			pause()
		}
		runtime.Gosched()
	}
	return false
}

// pause takes about 20 ns, in which who looks is not in the way of who works.
func pause() {
	for range 40 {
	}
}
