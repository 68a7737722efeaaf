package cache

import (
	"sync"
	"testing"
	"time"
)

// Readers share a lock, and a writer holds it exclusively, whether they acquire it by polling or
// after sleeping. With the race detector, the test also verifies that the writes of one writer are
// visible to the next holder of the lock.
func TestLockExcludes(t *testing.T) {
	for _, held := range []time.Duration{0, time.Millisecond} {
		var mu lock
		var all sync.WaitGroup
		writes, rounds := 0, 20_000
		if held > 0 {
			rounds = 20 // the other goroutines fall asleep while one holds the lock
		}
		for range 4 {
			all.Go(func() {
				for range rounds {
					mu.Lock()
					before := writes
					time.Sleep(held)
					writes = before + 1
					mu.Unlock()
				}
			})
			all.Go(func() {
				for range rounds {
					mu.RLock()
					before := writes
					time.Sleep(held)
					if writes != before {
						t.Errorf("a reader saw %d writes, and then %d", before, writes)
					}
					mu.RUnlock()
				}
			})
		}
		all.Wait()
		if writes != 4*rounds {
			t.Errorf("%d writes of %d are there", writes, 4*rounds)
		}
	}
}

// Two readers can hold a lock at the same time.
func TestReadersShareALock(t *testing.T) {
	var mu lock
	mu.RLock()
	second := make(chan bool)
	go func() {
		mu.RLock()
		close(second)
		mu.RUnlock()
	}()
	select {
	case <-second:
	case <-time.After(2 * time.Minute):
		t.Error("the second reader waits for the first")
	}
	mu.RUnlock()
}

// A goroutine polls a lock only for a limited number of attempts and then sleeps, so that waiting
// for a lock that is held for long does not use CPU time.
func TestLooksEnd(t *testing.T) {
	var mu sync.RWMutex
	mu.Lock()
	tries := 0
	if look(&mu, func(mu *sync.RWMutex) bool { tries++; return mu.TryLock() }) {
		t.Error("a lock that is held was taken")
	}
	if tries < 100 || tries > 10_000 {
		t.Errorf("it looked %d times, want about 1,000", tries)
	}
}
