package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// given returns the bytes of memory and of address space that the system has supplied to all caches
// with the given name.
func given(name string) (committed, reserved uint64) {
	for _, a := range vmem.Accounts() {
		if a.Name == name {
			committed, reserved = committed+a.Committed, reserved+a.Reserved
		}
	}
	return committed, reserved
}

// A Cache that is enlarged keeps all entries and their deadlines. A Cache that is made smaller
// releases memory, and keeps about as many entries as a new Cache of that size has.
func TestSetMaximum(t *testing.T) {
	var now clock
	c := opened[uint64, uint64](t, 1<<20, Options{Shards: 4, Name: t.Name(), TTL: time.Hour, now: now.now})
	for i := range uint64(10_000) {
		check(t, c.Set(i, ^i))
	}
	check(t, c.SetTTL(1, 7, time.Second))
	check(t, c.SetTTL(2, 7, NoExpiry))
	now.add(time.Minute)
	if !c.Has(0) || c.Has(1) || c.Len() != 10_000 {
		t.Fatalf("%d entries", c.Len())
	}
	const large, small = 16 << 20, 700_000
	check(t, c.SetMaximum(large))
	check(t, c.verify())
	if s := c.Stats(); s.Len != 9999 || s.Bound != large || s.Expirations != 1 || s.Evictions != 0 {
		t.Errorf("after growth: %+v", s)
	}
	now.add(time.Hour)
	if c.Has(0) || !c.Has(2) {
		t.Error("deadlines are others")
	}
	n := uint64(max(count(300_000), 60_000))
	for i := range n {
		check(t, c.SetTTL(i, ^i, NoExpiry))
	}
	if uint64(c.Len()) != n {
		t.Errorf("%d entries of %d have room after growth", c.Len(), n)
	}
	reserved := uint64(0)
	for i := range 5 {
		check(t, c.SetMaximum(small))
		check(t, c.verify())
		committed, addresses := given(t.Name())
		if s := c.Stats(); s.Bytes > small || s.Bound != small || committed > small {
			t.Errorf("after shrinking: %+v, and the system gave %d bytes", s, committed)
		}
		if i == 0 {
			reserved = addresses
		} else if addresses != reserved {
			t.Errorf("%d bytes of addresses, and %d before", addresses, reserved)
		}
		check(t, c.SetMaximum(large))
	}
	fresh := opened[uint64, uint64](t, small, Options{Shards: 4})
	for i := range n {
		check(t, fresh.Set(i, ^i))
	}
	if a, b := c.Len(), fresh.Len(); a < b*9/10 || a > b*11/10 {
		t.Errorf("%d entries remain, and a new Cache has room for %d", a, b)
	}
	for k, v := range c.All() {
		if v != ^k {
			t.Fatalf("%d is %d", k, v)
		}
	}
}

// When SetMaximum lowers the limit, a Cache keeps used entries in preference to unused ones.
func TestUsedEntriesStayInLessMemory(t *testing.T) {
	c := opened[uint64, uint64](t, 4<<20, Options{Shards: 1})
	for i := range uint64(80_000) {
		check(t, c.Set(i, i))
	}
	for i := uint64(0); i < 80_000; i += 40 {
		c.Get(i)
		c.Get(i)
	}
	check(t, c.SetMaximum(1<<20))
	for i := uint64(0); i < 80_000; i += 40 {
		if !c.Has(i) {
			t.Fatalf("%d was used and is gone, and %d entries have room", i, c.Len())
		}
	}
}

// SetMaximum evicts an entry that is too large for the new shards. The table grows as necessary,
// whatever the sizes of the entries are.
func TestSetMaximumOfTexts(t *testing.T) {
	c := opened[string, []byte](t, 2<<20, Options{Shards: 1})
	check(t, c.Set("large", make([]byte, 1<<20)))
	for i := range 10_000 {
		check(t, c.Set(fmt.Sprint(i), make([]byte, i%40)))
	}
	check(t, c.SetMaximum(least[string, []byte](1)+10*vmem.Piece))
	if c.Has("large") || c.Len() < 8000 {
		t.Errorf("the large entry is there: %t, of %d", c.Has("large"), c.Len())
	}
	if err := c.Set("large", make([]byte, 1<<20)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	check(t, c.SetMaximum(4<<20))
	check(t, c.Set("large", make([]byte, 1<<20)))
}

func TestSetMaximumRefuses(t *testing.T) {
	c := opened[uint64, uint64](t, 3<<19, Options{Shards: 8, Name: t.Name()})
	check(t, c.Set(1, 1))
	before, reserved := given(t.Name())
	for bytes, want := range map[int64]string{
		-1:                           "cache.Cache.SetMaximum: -1 bytes are too few; with 8 shards a cache takes at least ",
		0:                            "cache.Cache.SetMaximum: 0 bytes are too few",
		least[uint64, uint64](8) - 1: fmt.Sprint(least[uint64, uint64](8)),
		1 << 60:                      "bytes are too many; a cache has at most ",
	} {
		if err := c.SetMaximum(bytes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	defer vmem.FailCommit(-1)
	for n := range 8 {
		vmem.FailCommit(n)
		if err := c.SetMaximum(2 << 20); !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "cache.Cache.SetMaximum: ") {
			t.Errorf("commit %d fails: %v", n, err)
		}
		vmem.FailCommit(-1)
	}
	committed, addresses := given(t.Name())
	if s := c.Stats(); s.Bound != 3<<19 || committed != before || addresses != reserved || !c.Has(1) {
		t.Errorf("%+v, and the system gave %d bytes, before %d", s, committed, before)
	}
	// If a later commit fails, SetMaximum still succeeds, and the Cache uses the memory that it
	// has.
	for i := range uint64(20_000) {
		check(t, c.Set(i, i))
	}
	vmem.FailCommit(10)
	check(t, c.SetMaximum(2<<20))
	vmem.FailCommit(-1)
	check(t, c.verify())
	var zero Cache[uint64, uint64]
	if said := panics.Of(func() { _ = zero.SetMaximum(1 << 20) }); said != "cache.Cache.SetMaximum: this is the zero Cache; make one with New" {
		t.Error(said)
	}
	closed := Must(New[uint64, uint64](Options{MaxBytes: 1 << 20, Name: "closed"}))
	check(t, closed.Close())
	if said := panics.Of(func() { _ = closed.SetMaximum(1 << 20) }); said != "cache.Cache.SetMaximum: the cache is closed" {
		t.Error(said)
	}
	if committed, addresses := given("closed"); committed != 0 || addresses != 0 {
		t.Errorf("a closed cache has %d bytes, and %d of addresses", committed, addresses)
	}
}

// SetMaximum reports each removed entry exactly once, and no other entry. If the function passed to
// OnDeletion panics, the Cache stays usable and no memory leaks.
func TestSetMaximumAnnounces(t *testing.T) {
	c := opened[uint64, uint64](t, 2<<20, Options{Shards: 2, Name: t.Name()})
	for i := range uint64(40_000) {
		check(t, c.Set(i, ^i))
	}
	var gone sync.Map
	c.OnDeletion(func(e DeletionEvent[uint64, uint64]) {
		if _, twice := gone.LoadOrStore(e.Key, true); twice || e.Cause != CauseOverflow || e.Value != ^e.Key {
			t.Errorf("%+v, twice: %t", e, twice)
		}
	})
	evicted := c.Stats().Evictions
	check(t, c.SetMaximum(1<<20))
	n := uint64(0)
	for i := range uint64(40_000) {
		if _, ok := gone.Load(i); ok == c.Has(i) {
			t.Fatalf("%d is there: %t, and was announced: %t", i, c.Has(i), ok)
		} else if ok {
			n++
		}
	}
	if s := c.Stats(); n == 0 || s.Evictions-evicted != n {
		t.Errorf("%d entries were announced, and %d evicted", n, s.Evictions-evicted)
	}
	c.OnDeletion(func(DeletionEvent[uint64, uint64]) { panic("heard") })
	if said := panics.Of(func() { _ = c.SetMaximum(500_000) }); said != "heard" {
		t.Error(said)
	}
	c.OnDeletion(nil)
	check(t, c.verify())
	if committed, _ := given(t.Name()); committed+uint64(c.goBytes(2)) != c.Stats().Bytes {
		t.Errorf("the system gave %d bytes, and %+v", committed, c.Stats())
	}
	check(t, c.SetMaximum(3<<20))
	check(t, c.Set(1, 1))
}

// While its limit changes, a Cache can be used, and returns only values that were set.
func TestSetMaximumMeanwhile(t *testing.T) {
	c := opened[uint32, []byte](t, 1<<20, Options{Shards: 2, ExpireAfterAccess: time.Minute})
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			for range count(10_000) {
				k := r.Uint32N(5000)
				v, ok := c.Get(k)
				if !ok {
					v, _ = c.GetOrLoad(t.Context(), k, func(context.Context, uint32) ([]byte, error) {
						return fmt.Append(make([]byte, 0, 200), k, strings.Repeat(".", int(k%150))), nil
					})
				}
				if want := fmt.Append(nil, k, strings.Repeat(".", int(k%150))); string(v) != string(want) {
					t.Errorf("%d is %q", k, v)
				}
				if r.IntN(20) == 0 {
					c.Delete(k)
				}
			}
		})
	}
	all.Go(func() {
		for i := range count(300) {
			if err := c.SetMaximum(int64(300_000 + i*7919%700_000)); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for range count(200) {
			for k, v := range c.All() {
				if !strings.HasPrefix(string(v), fmt.Sprint(k)) {
					t.Errorf("%d is %q", k, v)
				}
			}
			if s := c.Stats(); s.Bytes > s.Bound {
				t.Errorf("%+v", s)
			}
		}
	})
	all.Wait()
}
