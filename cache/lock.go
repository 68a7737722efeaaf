package cache

import (
	"runtime"
	"sync"
)

// A lock is a sync.RWMutex whose callers poll before they sleep. They poll for about as long as it
// takes to put a goroutine to sleep and to wake it. A Get or a Set usually holds the lock for less
// than a microsecond, whereas a sleeping goroutine continues only when a processor is available,
// which takes much longer.
type lock struct{ mu sync.RWMutex }

// A caller polls for about 20 µs in total. After each turn, it yields the processor to other
// goroutines, one of which may hold the lock. With GOMAXPROCS=1, the holder of the lock could
// otherwise not run.
const (
	turns = 20 // after each, other goroutines may run
	looks = 50 // number of attempts per turn
)

// Lock acquires the lock exclusively, and waits until it is available.
func (l *lock) Lock() {
	if !l.mu.TryLock() && !look(&l.mu, (*sync.RWMutex).TryLock) {
		l.mu.Lock()
	}
}

// RLock acquires the lock for reading, and waits until no writer holds the lock or sleeps while it
// waits for the lock.
func (l *lock) RLock() {
	if !l.mu.TryRLock() && !look(&l.mu, (*sync.RWMutex).TryRLock) {
		l.mu.RLock()
	}
}

func (l *lock) Unlock()  { l.mu.Unlock() }
func (l *lock) RUnlock() { l.mu.RUnlock() }

// look calls try repeatedly for about 20 µs, and reports whether it acquired mu.
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

// pause waits for about 20 ns without accessing memory, so that it does not slow down the goroutine
// that holds the lock.
func pause() {
	for range 40 {
	}
}
