package cache

import (
	"sync"
	"testing"
	"time"
)

// Readers share a lock, and a writer holds it exclusively, whether they got it awake or asleep.
// With -race this also shows that the writes of one are visible to the next.
func TestLockExcludes(t *testing.T) {
	for _, held := range []time.Duration{0, time.Millisecond} {
		var mu lock
		var all sync.WaitGroup
		writes, rounds := 0, 20_000
		if held > 0 {
			rounds = 20 // the others fall asleep meanwhile
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

// Readers do not wait for each other.
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

// After polling for long enough, a goroutine sleeps, so that a lock that is held for long costs no
// CPU time.
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
