package cache

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// Many goroutines perform all operations concurrently. Each byte of a value is derived from its
// key, so that a wrong value is detected.
func TestManyGoroutines(t *testing.T) {
	c := opened[uint32, []byte](t, 1<<20, Options{Shards: 4, TTL: time.Millisecond})
	value := func(k uint32, n int) []byte {
		v := make([]byte, 8+n)
		for i := range v {
			v[i] = byte(k)
		}
		return v
	}
	right := func(k uint32, v []byte) {
		for _, b := range v {
			if b != byte(k) {
				t.Errorf("the value of %d is %v", k, v)
				return
			}
		}
	}
	var all sync.WaitGroup
	for g := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			var room []byte
			for i := range count(20_000) {
				k, n := uint32(r.IntN(3000)), r.IntN(400)
				switch r.IntN(10) {
				case 0, 1:
					if err := c.Set(k, value(k, n)); err != nil {
						t.Error(err)
					}
				case 2:
					_ = c.SetTTL(k, value(k, n), time.Duration(n)*time.Microsecond)
				case 3:
					v, _ := c.GetOrSet(k, value(k, n))
					right(k, v)
				case 4:
					c.Delete(k)
				case 5:
					if room, _ = AppendGet(c, room[:0], k); len(room) > 0 {
						right(k, room)
					}
				default:
					v, _ := c.Get(k)
					right(k, v)
				}
				switch {
				case i%5000 == 4999 && g == 0:
					c.Clear()
				case i%2000 == 1999:
					for k, v := range c.All() {
						right(k, v)
					}
					if s := c.Stats(); s.Bytes > s.Bound {
						t.Errorf("%+v", s)
					}
				}
			}
		})
	}
	all.Wait()
}

// A call that runs concurrently with Close either completes or panics with the message that the
// cache is closed.
func TestCloseMeanwhile(t *testing.T) {
	for range 20 {
		c, err := New[uint64, uint64](Options{MaxBytes: 1 << 20, Shards: 2})
		check(t, err)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				said := panics.Of(func() {
					for i := range uint64(100_000) {
						c.Get(i)
						_ = c.Set(i, i)
					}
				})
				if said != "" && said != "cache.Cache.Get: the cache is closed" && said != "cache.Cache.Set: the cache is closed" {
					t.Error(said)
				}
			})
		}
		check(t, c.Close())
		all.Wait()
	}
}

// All yields each entry that is present throughout the loop exactly once, even while other entries
// are added and removed and tables grow.
func TestAllMeanwhile(t *testing.T) {
	c := opened[uint64, uint64](t, 64<<20, Options{Shards: 2})
	for i := range uint64(3000) {
		check(t, c.Set(i, -i))
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		for i := range uint64(count(500_000)) { // too few entries to fill the log
			_ = c.Set(3000+i%40_000, -(3000 + i%40_000))
			c.Delete(3000 + i/2%40_000)
		}
	})
	for range count(20) {
		seen := map[uint64]int{}
		for k, v := range c.All() {
			if v != -k {
				t.Fatalf("%d is %d", k, v)
			}
			seen[k]++
		}
		for i := range uint64(3000) {
			if seen[i] != 1 {
				t.Fatalf("%d came %d times", i, seen[i])
			}
		}
	}
}

// Whichever commit fails, a Cache continues with the memory that it has, or reports that it has
// none.
func TestNthCommitFails(t *testing.T) {
	defer vmem.FailCommit(-1)
	value := make([]byte, 500)
	for n := range 16 {
		vmem.FailCommit(n)
		c, err := New[string, []byte](Options{MaxBytes: 1 << 20, Shards: 2})
		if err != nil {
			if n >= 2 || !isMemory(err) {
				t.Fatalf("commit %d fails: %v", n, err)
			}
			continue
		}
		failed := 0
		for i := range 4000 {
			k := fmt.Sprint(i % 3500)
			err := c.Set(k, value[:i%500])
			if !isMemory(err) {
				t.Fatal(err)
			}
			v, ok := c.Get(k)
			if err != nil {
				failed++
			}
			if ok != (err == nil) || len(v) > 0 && len(v) != i%500 {
				t.Fatalf("commit %d fails: Set says %v, and Get %t, %d bytes", n, err, ok, len(v))
			}
		}
		check(t, c.verify())
		if s := c.Stats(); s.Len == 0 && n > 4 || failed > 0 && n > 4 {
			t.Errorf("commit %d fails: %d Sets failed, and %+v", n, failed, s)
		}
		vmem.FailCommit(-1)
		for i := range 12_000 {
			check(t, c.Set(fmt.Sprint(i), value))
		}
		if s := c.Stats(); s.Bytes < s.Bound*8/10 {
			t.Errorf("commit %d failed: later %d of %d bytes are in use", n, s.Bytes, s.Bound)
		}
		check(t, c.verify())
		check(t, c.Close())
	}
}

// A table that has become too small takes memory from the log, wherever the queues of the log are,
// and few entries are lost.
func TestTableGrowsLate(t *testing.T) {
	c := opened[uint32, []byte](t, 1<<20, Options{Shards: 1})
	s := &c.shards[0]
	large, small := make([]byte, 2000), make([]byte, 3)
	for i := range uint32(2000) { // the log is full of large entries
		check(t, c.Set(i, large))
	}
	before := s.indexBytes
	least := 1 << 30
	for i := range uint32(80_000) {
		check(t, c.Set(1_000_000+i, small))
		for range 2 { // only then does the entry enter the main queue
			c.Get(1_000_000 + i)
		}
		if i > 30_000 && i%5000 == 0 {
			least = min(least, c.Len())
			check(t, s.verify())
		}
	}
	if s.indexBytes < 4*before || c.Len() < 15_000 {
		t.Errorf("the index has %d bytes, before %d; %d entries", s.indexBytes, before, c.Len())
	}
	if least < 4_000 {
		t.Errorf("there were only %d entries meanwhile", least)
	}
	for i := range uint32(2000) { // large entries again
		check(t, c.Set(i, large))
	}
	if n := c.Len(); n < 150 {
		t.Errorf("%d large entries have room afterwards", n)
	}
}

// If the table and the log of a shard become full at about the same time, the table does not take
// memory from the log, because the shard would then have room for fewer entries.
func TestTableStaysWhereGrowthIsALoss(t *testing.T) {
	for size := 4; size <= 36; size += 4 {
		c := opened[uint32, []byte](t, least[uint32, []byte](1)+2*vmem.Piece, Options{Shards: 1})
		s := &c.shards[0]
		for i := range uint32(count(60_000)) {
			check(t, c.Set(i, make([]byte, size+int(i/6000)%2*8)))
			c.Get(i)
			c.Get(i)
		}
		if log := s.bound - s.indexBytes; 8*s.main.limit != log {
			t.Errorf("values of %d bytes: blocks end at byte %d of %d, and the index has %d", size, 8*s.main.limit, log, s.indexBytes)
		}
	}
}
