package cache

import (
	"runtime"
	"sync"
)

// A lock is a sync.RWMutex whose callers poll for a while before they sleep: for about as long as
// sleeping and being woken would take. A Get or a Set usually holds the lock for less than a
// microsecond. A sleeping goroutine runs again only when a processor is available, which takes far
// longer.
type lock struct{ mu sync.RWMutex }

// These constants determine how long a caller polls: about 20 µs. In between it yields the
// processor to other goroutines, one of which may hold the lock, as with GOMAXPROCS=1.
const (
	turns = 20 // after each, other goroutines may run
	looks = 50 // per turn
)

// Lock waits for the lock and takes it exclusively.
func (l *lock) Lock() {
	if !l.mu.TryLock() && !look(&l.mu, (*sync.RWMutex).TryLock) {
		l.mu.Lock()
	}
}

// RLock waits until no writer holds the lock or sleeps waiting for it, and takes it for reading.
func (l *lock) RLock() {
	if !l.mu.TryRLock() && !look(&l.mu, (*sync.RWMutex).TryRLock) {
		l.mu.RLock()
	}
}

func (l *lock) Unlock()  { l.mu.Unlock() }
func (l *lock) RUnlock() { l.mu.RUnlock() }

// look tries to take mu for a while, and reports whether it succeeded.
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

// pause takes about 20 ns, during which the waiter does not slow the holder down.
func pause() {
	for range 40 {
	}
}
