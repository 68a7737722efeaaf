package cache

import (
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/panics"
)

func TestCompute(t *testing.T) {
	var now clock
	c := opened[string, uint64](t, 1<<20, Options{now: now.now})
	do := func(v uint64, op ComputeOp, wantOld uint64, wantFound bool, want uint64, wantOK bool) {
		t.Helper()
		got, ok := c.Compute("k", func(old uint64, found bool) (uint64, ComputeOp) {
			if old != wantOld || found != wantFound {
				t.Errorf("the old value is %d, %t", old, found)
			}
			return v, op
		})
		if peeked, there := c.Peek("k"); got != want || ok != wantOK || peeked != want || there != wantOK {
			t.Errorf("%d, %t, and then %d, %t", got, ok, peeked, there)
		}
	}
	do(1, CancelOp, 0, false, 0, false)
	do(2, DeleteOp, 0, false, 0, false)
	do(3, UpdateOp, 0, false, 3, true)
	do(4, UpdateOp, 3, true, 4, true)
	do(5, CancelOp, 4, true, 4, true)
	do(6, DeleteOp, 4, true, 0, false)
	check(t, c.SetTTL("k", 7, time.Second))
	now.add(time.Second)
	do(8, DeleteOp, 0, false, 0, false)
	if said := panics.Of(func() { c.Compute("k", func(uint64, bool) (uint64, ComputeOp) { return 0, 9 }) }); said != "cache.Cache.Compute: there is no ComputeOp 9" {
		t.Error(said)
	}
	check(t, c.Set("k", 10))
	if said := panics.Of(func() { c.Compute("k", func(uint64, bool) (uint64, ComputeOp) { panic("broken") }) }); said != "broken" {
		t.Error(said)
	}
	do(11, UpdateOp, 10, true, 11, true)
}

func TestComputeWithoutRoom(t *testing.T) {
	c := opened[string, []byte](t, least[string, []byte](1), Options{})
	check(t, c.Set("k", []byte("v")))
	if v, ok := c.Compute("k", func([]byte, bool) ([]byte, ComputeOp) { return make([]byte, 1<<20), UpdateOp }); ok || v != nil || c.Has("k") {
		t.Errorf("%d bytes, %t", len(v), ok)
	}
}

// Compute is atomic: no other call changes the entry between its read and its write.
func TestComputeIsOneStep(t *testing.T) {
	c := opened[string, uint64](t, 1<<20, Options{})
	var all sync.WaitGroup
	n := count(5000)
	for range 4 {
		all.Go(func() {
			for range n {
				c.Compute("k", func(v uint64, _ bool) (uint64, ComputeOp) { return v + 1, UpdateOp })
			}
		})
	}
	all.Wait()
	if v, _ := c.Get("k"); v != uint64(4*n) {
		t.Errorf("%d, want %d", v, 4*n)
	}
}

// With ExpireAfterAccess, Get restarts the timer of an entry, and Has does not. The deadline of an
// entry with its own TTL is never extended.
func TestExpireAfterAccess(t *testing.T) {
	for _, varies := range []bool{false, true} {
		var now clock
		options := Options{ExpireAfterAccess: 10 * time.Second, now: now.now}
		var set func(k string, ttl time.Duration)
		var get, peek func(k string) bool
		if varies {
			c := opened[string, string](t, 1<<20, options)
			set = func(k string, ttl time.Duration) { check(t, c.SetTTL(k, k, ttl)) }
			get, peek = func(k string) bool { _, ok := c.Get(k); return ok }, c.Has
			check(t, c.Set("used", ""))
			check(t, c.Set("seen", ""))
		} else {
			c := opened[[4]byte, uint64](t, 1<<20, options)
			key := func(k string) [4]byte { return [4]byte([]byte(k)) }
			set = func(k string, ttl time.Duration) { check(t, c.SetTTL(key(k), 1, ttl)) }
			get, peek = func(k string) bool { _, ok := c.Get(key(k)); return ok }, func(k string) bool { return c.Has(key(k)) }
			check(t, c.Set(key("used"), 1))
			check(t, c.Set(key("seen"), 1))
		}
		set("ours", 25*time.Second)
		set("ever", NoExpiry)
		for range 3 {
			now.add(9 * time.Second)
			if !get("used") || !get("ever") {
				t.Error("an entry went that was used")
			}
			if now.now().Sub(time.Unix(1_000_000, 0)) < 10*time.Second && !peek("seen") {
				t.Error("an entry went before its time")
			}
			get("ours")
		}
		if peek("ours") || peek("seen") {
			t.Error("an expired entry is there, which use does not keep")
		}
		now.add(10 * time.Second)
		if get("used") || !get("ever") {
			t.Error("an entry is there that was not used")
		}
	}
	c := opened[string, string](t, 1<<20, Options{ExpireAfterAccess: NoExpiry - 1})
	check(t, c.Set("k", "v"))
	if !c.Has("k") {
		t.Error("an entry with all the time is not there")
	}
}

func TestHas(t *testing.T) {
	var now clock
	c := opened[string, string](t, 1<<20, Options{now: now.now})
	check(t, c.SetTTL("k", "v", time.Second))
	before := c.Stats()
	if !c.Has("k") || c.Has("none") || c.Stats() != before {
		t.Errorf("%+v, before %+v", c.Stats(), before)
	}
	now.add(time.Second)
	if c.Has("k") {
		t.Error("an expired entry is there")
	}
}
