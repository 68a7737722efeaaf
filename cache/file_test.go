package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// saved saves c to a new file and returns its path. It skips the test if Save is not supported.
func saved[K comparable, V any](t testing.TB, c *Cache[K, V]) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache")
	if err := c.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// reopened opens the Cache saved at path. The Cache is verified and closed when the test ends.
func reopened[K comparable, V any](t testing.TB, path string, bytes int64, o Options) *Cache[K, V] {
	t.Helper()
	o.MaxBytes = bytes
	c, err := OpenFile[K, V](path, o)
	check(t, err)
	t.Cleanup(func() {
		check(t, c.verify())
		check(t, c.Close())
	})
	return c
}

// texts returns a Cache for which SetTTL was called with n keys and values of 0 to 299 bytes. Every
// second entry has a time to live of an hour. Some entries have been used, and some deleted.
func texts(t testing.TB, n int, now func() time.Time) *Cache[string, []byte] {
	c := opened[string, []byte](t, 1<<20, Options{Shards: 2, now: now})
	for i := range n {
		check(t, c.SetTTL(fmt.Sprint("key ", i), []byte(strings.Repeat("v", i%300)), []time.Duration{NoExpiry, time.Hour}[i%2]))
		if i%10 == 0 {
			c.Get(fmt.Sprint("key ", i))
		}
		if i%10 == 7 {
			c.Delete(fmt.Sprint("key ", i/2))
		}
	}
	return c
}

// same returns an error that describes a difference between the entries of a and b, or nil if there
// is none.
func same[K comparable](a, b *Cache[K, []byte]) error {
	for k, v := range a.All() {
		if w, ok := b.Peek(k); !ok || string(v) != string(w) {
			return fmt.Errorf("%v is %q, and %q in the other, %t", k, v, w, ok)
		}
	}
	if a.Len() != b.Len() {
		return fmt.Errorf("%d entries, and %d in the other", a.Len(), b.Len())
	}
	return nil
}

// recordedUses returns the total number of uses that c has recorded for its entries.
func recordedUses(c *Cache[string, []byte]) (uses int) {
	for i := range c.shards {
		for _, r := range c.shards[i].queues() {
			r.each(func(at uint64) uint64 {
				header := c.shards[i].words[at].Load()
				if header&deadBit == 0 {
					uses += int(frequencyOf(header) + header&usedBit>>30)
				}
				return wordsOf(header)
			})
		}
	}
	return uses
}

// A reopened Cache has the saved entries and their recorded uses, whatever its MaxBytes and number
// of shards.
func TestSave(t *testing.T) {
	var now clock
	c := texts(t, 2500, now.now)
	path := saved(t, c)
	for _, shards := range []int{1, 2, 8} {
		// A single shard has room for all entries, so that none is evicted or moved.
		other := reopened[string, []byte](t, path, 8<<20, Options{Shards: shards, now: now.now})
		check(t, same(c, other))
		if before, after := recordedUses(c), recordedUses(other); after != before || before < 100 {
			t.Errorf("%d shards: %d uses are known, and %d were", shards, after, before)
		}
		check(t, other.Set("new", []byte("v")))
		again := reopened[string, []byte](t, saved(t, other), 2<<20, Options{now: now.now})
		check(t, same(other, again))
	}
	small := reopened[string, []byte](t, path, 400_000, Options{Shards: 1, now: now.now})
	if n := small.Len(); n < 1000 || n > 2000 {
		t.Errorf("%d entries have room", n)
	}
	for k, v := range small.All() {
		if w, ok := c.Get(k); !ok || string(v) != string(w) {
			t.Errorf("%s is %q, want %q", k, v, w)
		}
	}
	check(t, c.Save(path)) // replaces the file
	named := opened[wideKey, bool](t, 1<<20, Options{})
	check(t, named.Set(wideKey{1, 2.5}, true))
	check(t, named.Set(wideKey{2, math.NaN()}, true))
	if v, ok := reopened[wideKey, bool](t, saved(t, named), 1<<20, Options{}).Get(wideKey{1, 2.5}); !v || !ok {
		t.Errorf("%t, %t", v, ok)
	}
	if empty := reopened[string, string](t, saved(t, opened[string, []byte](t, 1<<20, Options{})), 1<<20, Options{}); empty.Len() != 0 {
		t.Error("an empty file has entries")
	}
}

type wideKey struct {
	A uint8
	B float64
}

// A file stores deadlines as wall-clock times. Entries that expire while no Cache is open are
// dropped. Setting the clock back does not extend the lifetime of an entry.
func TestDeadlinesOfFiles(t *testing.T) {
	var now clock
	c := opened[string, string](t, 1<<20, Options{TTL: 10 * time.Second, now: now.now})
	now.add(3 * time.Second)
	check(t, c.Set("ten", "v"))
	check(t, c.SetTTL("one", "v", time.Second))
	check(t, c.SetTTL("ever", "v", NoExpiry))
	check(t, c.SetTTL("nearly ever", "v", NoExpiry-10*time.Second))
	check(t, c.SetTTL("gone", "v", time.Nanosecond))
	now.add(time.Nanosecond)
	path := saved(t, c)
	expect := func(c *Cache[string, string], want ...string) {
		t.Helper()
		n := 0
		for _, k := range []string{"ten", "one", "ever", "nearly ever", "gone"} {
			if c.Has(k) {
				n++
				if n > len(want) || want[n-1] != k {
					t.Errorf("%q is there, want %q", k, want)
				}
			}
		}
		if n != len(want) {
			t.Errorf("%d are there, want %q", n, want)
		}
	}
	for name, c := range map[string]struct {
		later, more time.Duration
		want        []string
	}{
		"at once":           {0, time.Second - time.Nanosecond - 1, []string{"ten", "one", "ever", "nearly ever"}},
		"and one has gone":  {0, time.Second - time.Nanosecond, []string{"ten", "ever", "nearly ever"}},
		"later":             {5 * time.Second, 0, []string{"ten", "ever", "nearly ever"}},
		"much later":        {5 * time.Second, 5*time.Second - 1, []string{"ever", "nearly ever"}},
		"set back":          {-time.Hour, time.Second - time.Nanosecond, []string{"ten", "ever", "nearly ever"}},
		"set back, and ten": {-time.Hour, 10*time.Second - 1, []string{"ever", "nearly ever"}},
	} {
		t.Run(name, func(t *testing.T) {
			var other clock
			other.nanoseconds.Store(now.nanoseconds.Load())
			other.add(c.later)
			opened := reopened[string, string](t, path, 1<<20, Options{now: other.now})
			alive := 0
			for _, k := range []string{"ten", "one", "ever", "nearly ever"} {
				if opened.Has(k) {
					alive++
				}
			}
			if n := opened.Len(); n != alive {
				t.Errorf("%d entries were set, and %d have not expired", n, alive)
			}
			other.add(c.more)
			expect(opened, c.want...)
		})
	}
}

// ExpireAfterAccess also extends the deadlines of entries loaded from a file, unless SetTTL set
// them. A Cache without this option does not extend them.
func TestSlidingDeadlinesOfFiles(t *testing.T) {
	var now clock
	sliding := opened[string, string](t, 1<<20, Options{ExpireAfterAccess: 10 * time.Second, now: now.now})
	check(t, sliding.Set("k", "v"))
	check(t, sliding.SetTTL("fixed", "v", 10*time.Second))
	path := saved(t, sliding)
	again := reopened[string, string](t, path, 1<<20, Options{ExpireAfterAccess: time.Minute, now: now.now})
	plain := reopened[string, string](t, path, 1<<20, Options{now: now.now})
	now.add(9 * time.Second)
	for _, c := range []*Cache[string, string]{again, plain} {
		c.Get("k")
		c.Get("fixed")
	}
	now.add(time.Second)
	if !again.Has("k") || again.Has("fixed") || plain.Has("k") {
		t.Errorf("a use moves a deadline: %t, of SetTTL %t, without the option %t", again.Has("k"), again.Has("fixed"), plain.Has("k"))
	}
}

func TestOpenFileRefuses(t *testing.T) {
	path := saved(t, texts(t, 3000, nil))
	for want, o := range map[string]Options{
		"cache.OpenFile: 0 bytes are too few": {},
		"cache.OpenFile: negative TTL":        {MaxBytes: 1 << 20, TTL: -1},
	} {
		if c, err := OpenFile[string, []byte](path, o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", damage.Closed(c, err), want)
		}
	}
	if c, err := OpenFile[string, uint64](path, Options{MaxBytes: 1 << 20}); !errors.Is(err, ErrMismatch) {
		t.Error(damage.Closed(c, err))
	}
	c, err := OpenFile[string, []byte](filepath.Join(t.TempDir(), "none"), Options{MaxBytes: 1 << 20, Name: "none"})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(damage.Closed(c, err))
	}
	if committed, reserved := given("none"); committed+reserved > 0 {
		t.Errorf("an OpenFile that failed keeps %d bytes, and %d of addresses", committed, reserved)
	}
	defer vmem.FailCommit(-1)
	for n := range 12 { // only the first two commits are essential
		vmem.FailCommit(n)
		c, err := OpenFile[string, []byte](path, Options{MaxBytes: 1 << 20, Shards: 2})
		if n < 2 != errors.Is(err, ErrFull) || n >= 2 && (err != nil || c.verify() != nil || c.Close() != nil) {
			t.Errorf("commit %d fails: %v", n, err)
		}
	}
	var zero Cache[string, []byte]
	if said := panics.Of(func() { _ = zero.Save(path) }); said != "cache.Cache.Save: this is the zero Cache; make one with New" {
		t.Error(said)
	}
}

// A Save that fails, for example because the Cache is closed, leaves the old file unchanged and no
// other file in its folder.
func TestSaveFails(t *testing.T) {
	old := texts(t, 100, nil)
	path := saved(t, old)
	closed := Must(New[string, []byte](Options{MaxBytes: 1 << 20}))
	check(t, closed.Close())
	if said := panics.Of(func() { _ = closed.Save(path) }); said != "cache.Cache.Save: the cache is closed" {
		t.Error(said)
	}
	check(t, same(old, reopened[string, []byte](t, path, 1<<20, Options{})))
	if all, err := os.ReadDir(filepath.Dir(path)); len(all) != 1 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	err := old.Save(filepath.Join(path, "below"))
	if err == nil || !strings.HasPrefix(err.Error(), "cache.Cache.Save: saving ") {
		t.Error(err)
	}
	check(t, old.Set("still", []byte("works")))
	check(t, old.SetMaximum(2<<20)) // the failed Save has left nothing locked
}

// A file that is saved while the Cache is in use has all entries that were present throughout, and
// no value that was never set.
func TestSaveMeanwhile(t *testing.T) {
	c := opened[uint32, []byte](t, 8<<20, Options{Shards: 2})
	value := func(k uint32) []byte { return fmt.Append(nil, k, strings.Repeat(".", int(k%400))) }
	const stay = 4000
	for k := range uint32(stay) {
		check(t, c.Set(k, value(k)))
	}
	path := saved(t, c)
	var all sync.WaitGroup
	done := make(chan struct{})
	for g := range uint64(3) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			for {
				select {
				case <-done:
					return
				default:
				}
				for range 1000 {
					k := stay + r.Uint32N(5000) // these entries have room, so that nothing is evicted
					switch r.IntN(4) {
					case 0:
						c.Delete(k)
					case 1:
						_ = c.Set(k, value(k))
					default:
						c.Get(k % stay)
					}
				}
			}
		})
	}
	for range max(count(20), 5) {
		check(t, c.Save(path))
		other := Must(OpenFile[uint32, []byte](path, Options{MaxBytes: 16 << 20, Shards: 2}))
		for k, v := range other.All() {
			if string(v) != string(value(k)) {
				t.Fatalf("%d is %q", k, v)
			}
		}
		if c.Stats().Evictions == 0 {
			for k := range uint32(stay) {
				if !other.Has(k) {
					t.Fatalf("%d stays and is not in the file", k)
				}
			}
		}
		check(t, other.Close())
	}
	close(done)
	all.Wait()
}

// Save writes a valid file even while SetMaximum, Clear and many Sets run.
func TestSaveWhileAllChanges(t *testing.T) {
	c := opened[uint32, []byte](t, 2<<20, Options{Shards: 2})
	path := saved(t, c)
	var all sync.WaitGroup
	all.Go(func() {
		for i := range uint32(count(100_000)) {
			_ = c.Set(i, make([]byte, i%500))
			if i%20_000 == 19_999 {
				c.Clear()
			}
		}
	})
	all.Go(func() {
		for i := range int64(count(50)) {
			if err := c.SetMaximum(1<<20 + i%2<<20); err != nil {
				t.Error(err)
			}
		}
	})
	for range max(count(20), 5) {
		check(t, c.Save(path))
		other := Must(OpenFile[uint32, []byte](path, Options{MaxBytes: 4 << 20}))
		for k, v := range other.All() {
			if len(v) != int(k%500) {
				t.Fatalf("%d has %d bytes", k, len(v))
			}
		}
		check(t, other.Close())
	}
	all.Wait()
}

// Save does not miss entries that move to the main queue while it writes.
func TestSaveOfEntriesThatMove(t *testing.T) {
	c := opened[uint64, uint64](t, 4<<20, Options{Shards: 1})
	for k := range uint64(5000) {
		check(t, c.Set(k, ^k))
	}
	next, seen := uint64(5000), map[uint64]bool{}
	check(t, c.records(0, func(piece []byte) error {
		for ; len(piece) > 0; piece = piece[32:] {
			p, _, err := split(piece[:32])
			check(t, err)
			k := binary.LittleEndian.Uint64(p.key)
			seen[k] = true
		}
		for range 8000 { // to push all others out of the younger queues
			check(t, c.Set(next, ^next))
			next++
		}
		return nil
	}))
	for k := range uint64(5000) {
		if !seen[k] {
			t.Fatalf("%d is missing, and %d of 5000 are there", k, len(seen))
		}
	}
	if n := c.Stats().Evictions; n > 0 {
		t.Errorf("%d entries were evicted, and the test wants none", n)
	}
}
