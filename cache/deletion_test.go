package cache

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// Every value stored in a Cache is either still present, or was reported exactly once to the
// function passed to OnDeletion, together with its key.
func TestWhatGoesIsAnnounced(t *testing.T) {
	defer vmem.FailCommit(-1)
	var now clock
	c := opened[uint64, string](t, least[uint64, string](2), Options{Shards: 2, TTL: 5000, now: now.now})
	there := map[string]uint64{} // the key of each value; no value is set twice
	causes := map[DeletionCause]int{}
	c.OnDeletion(func(e DeletionEvent[uint64, string]) {
		if k, ok := there[e.Value]; !ok || k != e.Key {
			t.Fatalf("%d goes with %.20q, %s; such a value is there under %d, %t", e.Key, e.Value, e.Cause, k, ok)
		}
		delete(there, e.Value)
		causes[e.Cause]++
	})
	r := rand.New(rand.NewPCG(1, 1))
	for i := range count(100_000) {
		k, v := r.Uint64N(3000), fmt.Sprint(i, strings.Repeat(" ", []int{0, 5, 30, 300, 3000}[r.IntN(5)]))
		there[v] = k
		if now.add(1); !anyCall(c, r, k, v) {
			delete(there, v)
		}
		if got, ok := c.Peek(k); there[v] == k && (!ok || got != v) {
			delete(there, v) // the entry found no room
		}
		if n := c.Len(); n != len(there) {
			t.Fatalf("%d entries are there, and %d were put and not announced", n, len(there))
		}
	}
	for k, v := range c.All() {
		if there[v] != k {
			t.Errorf("%.20q is there, and was announced", v)
		}
	}
	for _, why := range []DeletionCause{CauseInvalidation, CauseReplacement, CauseOverflow, CauseExpiration, CauseClear} {
		if causes[why] == 0 {
			t.Errorf("nothing went by %s: %v", why, causes)
		}
	}
	stats := c.Stats()
	if got := uint64(causes[CauseOverflow]); got != stats.Evictions || DeletionCause(9).String() != "unknown" {
		t.Errorf("%d evictions were announced, of %d", got, stats.Evictions)
	}
	before := maps.Clone(causes)
	c.OnDeletion(nil)
	c.Clear()
	if !maps.Equal(before, causes) {
		t.Error("a function is called that was taken away")
	}
}

// anyCall makes a random call, and reports whether it may have stored v under k.
func anyCall(c *Cache[uint64, string], r *rand.Rand, k uint64, v string) bool {
	switch r.IntN(12) {
	case 0:
		c.Delete(k)
		return false
	case 1:
		c.Get(k)
		return false
	case 2:
		_, ok := c.GetOrSet(k, v)
		return !ok
	case 3:
		op := ComputeOp(r.IntN(3))
		c.Compute(k, func(string, bool) (string, ComputeOp) { return v, op })
		return op == UpdateOp
	case 4:
		got, err := c.GetOrLoad(context.Background(), k, func(context.Context, uint64) (string, error) { return v, nil })
		return err == nil && got == v
	case 5:
		return c.SetTTL(k, v, time.Duration(1+r.IntN(1000))) == nil
	case 6:
		switch {
		case r.IntN(500) == 0:
			c.Clear()
		case r.IntN(20) == 0:
			vmem.FailNextCommits(1)
		}
		return false
	}
	return c.Set(k, v) == nil
}

func TestCauses(t *testing.T) {
	var now clock
	c := opened[string, int](t, 1<<20, Options{now: now.now})
	var all []string
	c.OnDeletion(func(e DeletionEvent[string, int]) {
		all = append(all, fmt.Sprint(e.Key, e.Value, " ", e.Cause, " ", e.WasEvicted()))
		if _, ok := c.Get("other"); ok {
			t.Error("something is there that was not put there")
		}
	})
	expect := func(want ...string) {
		t.Helper()
		if fmt.Sprint(all) != fmt.Sprint(want) {
			t.Errorf("%q, want %q", all, want)
		}
		all = nil
	}
	check(t, c.Set("a", 1))
	expect()
	check(t, c.Set("a", 2))
	expect("a1 replacement false")
	c.Delete("a")
	c.Delete("a")
	expect("a2 invalidation false")
	check(t, c.SetTTL("a", 3, 10))
	now.add(10)
	c.Has("a")
	expect()
	c.Get("a")
	expect("a3 expiration true")
	check(t, c.SetTTL("a", 4, 10))
	now.add(10)
	c.Delete("a")
	expect("a4 expiration true")
	check(t, c.SetTTL("a", 5, 10))
	now.add(10)
	check(t, c.Set("a", 6))
	expect("a5 expiration true")
	check(t, c.SetTTL("a", 7, 0))
	expect("a6 invalidation false")
	check(t, c.Set("a", 8))
	c.Clear()
	expect("a8 clear false")
}

// If the function passed to OnDeletion panics, so does the method that removed the entry, and the
// Cache stays usable.
func TestFunctionThatPanics(t *testing.T) {
	c := opened[uint64, uint64](t, least[uint64, uint64](1), Options{})
	check(t, c.Set(1, 1))
	c.OnDeletion(func(DeletionEvent[uint64, uint64]) { panic("broken") })
	for name, f := range map[string]func(){
		"set":     func() { _ = c.Set(1, 2) },
		"delete":  func() { c.Delete(1) },
		"compute": func() { c.GetOrSet(1, 1); c.Compute(1, func(uint64, bool) (uint64, ComputeOp) { return 0, DeleteOp }) },
		"clear":   func() { c.GetOrSet(1, 1); c.Clear() },
	} {
		c.GetOrSet(1, 1)
		if said := panics.Of(f); said != "broken" {
			t.Errorf("%s panics with %q", name, said)
		}
		check(t, c.verify())
		c.Get(1)
	}
	panicked := 0
	for i := range uint64(10_000) {
		if panics.Of(func() { _ = c.Set(i+10, i) }) != "" {
			panicked++
		}
		if v, ok := c.Get(i + 10); !ok || v != i {
			t.Fatalf("%d is %d, %t", i, v, ok)
		}
	}
	if uint64(panicked) > c.Stats().Evictions || panicked < 5000 {
		t.Errorf("%d calls panicked, and %d entries were evicted", panicked, c.Stats().Evictions)
	}
}

// When many goroutines store values, each value is either reported exactly once or present at the
// end.
func TestAnnouncedOnce(t *testing.T) {
	c := opened[uint64, uint64](t, least[uint64, uint64](2), Options{Shards: 2})
	n := uint64(count(20_000))
	seen := make([]atomic.Int32, 4*n)
	c.OnDeletion(func(e DeletionEvent[uint64, uint64]) {
		if e.Value%20000 != e.Key {
			t.Errorf("%d goes with %d", e.Key, e.Value)
		}
		seen[e.Value].Add(1)
	})
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			for i := g; i < 4*n; i += 4 {
				_ = c.Set(i%20000, i)
				c.Get(i / 2 % 20000)
			}
		})
	}
	all.Wait()
	for _, v := range c.All() {
		seen[v].Add(1)
	}
	for v := range seen {
		if n := seen[v].Load(); n != 1 {
			t.Fatalf("%d was announced or is there %d times", v, n)
		}
	}
}
