package cache

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// opened returns a Cache that is verified and closed at the end of the test.
func opened[K comparable, V any](t testing.TB, bytes int64, o Options) *Cache[K, V] {
	t.Helper()
	o.MaxBytes = bytes
	c, err := New[K, V](o)
	check(t, err)
	t.Cleanup(func() {
		check(t, c.verify())
		check(t, c.Close())
	})
	return c
}

func (c *Cache[K, V]) verify() error {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		err := error(nil)
		if s.slots != nil {
			err = s.verify()
		}
		s.mu.Unlock()
		if err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
	}
	return nil
}

// least returns the minimum of MaxBytes for a Cache with the given number of shards.
func least[K comparable, V any](shards int) int64 {
	var c Cache[K, V]
	return c.goBytes(shards) + int64(shards)*2<<16
}

// A clock is a fake clock that changes only when a test calls add.
type clock struct{ nanoseconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_000_000, c.nanoseconds.Load()) }

func (c *clock) add(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// isMemory reports whether err is an acceptable result of Set while the system refuses memory: nil
// or ErrFull.
func isMemory(err error) bool { return err == nil || errors.Is(err, ErrFull) }

// count returns n, or a tenth of it under -short and in checked builds, which are slow.
func count(n int) int {
	if testing.Short() || checks.Enabled {
		return n / 10
	}
	return n
}
