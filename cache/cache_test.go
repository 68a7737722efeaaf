package cache

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

func TestOpenRefuses(t *testing.T) {
	type link struct{ Next *int }
	for want, err := range map[string]func() error{
		"cache.New: 4096 bytes are too few; with 1 shards a cache takes at least 13": func() error { _, err := New[uint64, uint64](Options{MaxBytes: 4096}); return err },
		"cache.New: 300000 bytes are too few; with 8 shards":                         func() error { _, err := New[uint64, uint64](Options{MaxBytes: 300_000, Shards: 8}); return err },
		"cache.New: invalid MaxBytes -1: must be positive":                           func() error { _, err := New[uint64, uint64](Options{MaxBytes: -1}); return err },
		"cache.New: invalid Shards 3: must be 0 or a power of two up to 65536":       func() error { _, err := New[uint64, uint64](Options{MaxBytes: 1 << 20, Shards: 3}); return err },
		"cache.New: negative ExpireAfterAccess -1s; use 0 to": func() error {
			_, err := New[uint64, uint64](Options{MaxBytes: 1 << 20, ExpireAfterAccess: -time.Second})
			return err
		},
		"cache.New: TTL and ExpireAfterAccess are both set": func() error {
			_, err := New[uint64, uint64](Options{MaxBytes: 1 << 20, ExpireAfterAccess: 1, TTL: 1})
			return err
		},
		"cache.New: negative TTL -1s; use 0 for":                                                         func() error { _, err := New[uint64, uint64](Options{MaxBytes: 1 << 20, TTL: -time.Second}); return err },
		"cache.New: cache.link.Next is a *int, a pointer that the collector would not see; use a number": func() error { return refused[link, int]() },
		"cache.New: [2]string[0] is a string, a pointer that the collector would not see; use an array of bytes, or make all of the value a string": func() error {
			return refused[int, [2]string]()
		},
		"cache.New: []int is a []int, a pointer that the collector would not see; use an array, or make all of the value a []byte": func() error {
			return refused[int, []int]()
		},
		"bytes are too many; a cache has at most": func() error { _, err := New[uint64, uint64](Options{MaxBytes: 1 << 62}); return err },
	} {
		if got := err(); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v, want %q", got, want)
		}
	}
	if said := panics.Of(func() { Must(New[uint64, uint64](Options{MaxBytes: 4096})) }); !strings.HasPrefix(said, "cache.New: 4096 bytes are too few") {
		t.Errorf("New panics with %q", said)
	}
}

// refused returns the error that New returns for the types K and V. It calls formOf instead of New,
// because the compiler would otherwise instantiate Cache with all its methods.
func refused[K, V any]() error {
	_, _, err := formOf("cache.New", reflect.TypeFor[K](), reflect.TypeFor[V]())
	return err
}

// The error of New states the minimum of MaxBytes. TestLeastBytes verifies that this minimum is
// sufficient, and that one byte less is not, for several numbers of shards.
func TestLeastBytes(t *testing.T) {
	for shards := 1; shards <= 64; shards *= 4 {
		if _, err := New[uint64, uint64](Options{MaxBytes: least[uint64, uint64](shards) - 1, Shards: shards}); err == nil {
			t.Errorf("%d shards: one byte less than the least is enough", shards)
		}
		c := opened[uint64, uint64](t, least[uint64, uint64](shards), Options{Shards: shards})
		for i := range uint64(10_000) {
			check(t, c.Set(i, i))
		}
		if n := c.Len(); n < 2000*shards && n < 10_000 {
			t.Errorf("%d shards have room for %d entries", shards, n)
		}
	}
}

// TestBoundIsNeverExceeded verifies that a Cache never uses more than MaxBytes of system memory and
// Go heap together, whatever entries are added.
func TestBoundIsNeverExceeded(t *testing.T) {
	const bound = 3<<20 + 12345
	c := opened[uint32, []byte](t, bound, Options{Shards: 2, Name: t.Name()})
	r := uint32(1)
	for i := range count(200_000) {
		r = r*1664525 + 1013904223
		size := int(r>>16) % 100
		if i/20_000%2 == 1 {
			size *= 50
		}
		_ = c.Set(r>>8%50_000, make([]byte, size))
		if i%1000 != 0 {
			continue
		}
		stats := c.Stats()
		if stats.Bytes > bound || stats.Bound != bound {
			t.Fatalf("%d bytes, and the bound is %d", stats.Bytes, stats.Bound)
		}
		for _, a := range vmem.Accounts() {
			if a.Name == t.Name() && a.Committed+uint64(c.goBytes(2)) != stats.Bytes {
				t.Fatalf("the system gave %d bytes, and Stats says %d with %d of the Go heap", a.Committed, stats.Bytes, c.goBytes(2))
			}
		}
	}
	if stats := c.Stats(); stats.Bytes < bound-2*vmem.Piece && count(10) == 10 {
		t.Errorf("%d of %d bytes are in use in the end", stats.Bytes, bound)
	}
	check(t, c.verify())
}

// Operations on a Cache do not allocate on the Go heap, so its use of the Go heap never exceeds the
// bytes that it reports.
func TestNothingIsAllocated(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds allocate")
	}
	c := opened[uint64, wide](t, 1<<20, Options{Shards: 1})
	text := opened[string, []byte](t, 1<<20, Options{Shards: 1, TTL: time.Hour})
	parts := opened[padded, wide](t, 1<<20, Options{Shards: 1})
	key, value, room := strings.Repeat("key", 30), make([]byte, 1000), make([]byte, 0, 2000)
	i := uint64(0)
	for name, f := range map[string]func(){
		"Set":       func() { i++; _ = c.Set(i, wide{A: [3]uint64{i}}) },
		"Get":       func() { c.Get(i) },
		"GetOrSet":  func() { i++; c.GetOrSet(i, wide{}) },
		"Delete":    func() { c.Delete(i) },
		"texts":     func() { i++; _ = text.Set(key[:i%90], value[:i%1000]) },
		"AppendGet": func() { i++; AppendGet(text, room[:0], key[:i%90]) },
		"parts":     func() { i++; _ = parts.Set(padded{B: uint32(i)}, wide{}); parts.Get(padded{B: uint32(i)}) },
	} {
		f()
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestTooLarge(t *testing.T) {
	c := opened[string, []byte](t, least[string, []byte](1), Options{})
	check(t, c.Set("a", []byte("before")))
	err := c.Set("a", make([]byte, 1<<20))
	if !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), "cache.Cache.Set: the entry is too large for the cache: it takes 1048") {
		t.Errorf("Set of a megabyte: %v", err)
	}
	if v, ok := c.Get("a"); ok {
		t.Errorf("after a Set that failed the key has the value %q", v)
	}
	if v, ok := c.GetOrSet("a", make([]byte, 1<<20)); ok || len(v) != 1<<20 {
		t.Errorf("GetOrSet returns %d bytes, %t", len(v), ok)
	}
	// An entry of the maximum size is kept until the next entry of that size evicts it.
	largest := int(8*c.shards[0].largest()) - 16 - 1
	for i := range 5 {
		v := make([]byte, largest)
		v[largest-1] = byte(i)
		check(t, c.Set(fmt.Sprint(i), v))
		if got, ok := c.Get(fmt.Sprint(i)); !ok || string(got) != string(v) {
			t.Errorf("the largest entry is not kept: %t", ok)
		}
	}
	if !errors.Is(c.Set("x", make([]byte, largest+8)), ErrTooLarge) {
		t.Error("a larger one is not refused")
	}
}

func TestTimeToLive(t *testing.T) {
	var now clock
	c := opened[uint64, string](t, 1<<20, Options{TTL: 10 * time.Second, now: now.now})
	check(t, c.Set(1, "ten"))
	check(t, c.SetTTL(2, "one", time.Second))
	check(t, c.SetTTL(3, "for ever", NoExpiry))
	check(t, c.SetTTL(4, "nearly", NoExpiry-1))
	check(t, c.SetTTL(1000, "none", 0))
	c.GetOrSet(5, "ten")
	expect := func(want ...uint64) {
		t.Helper()
		for k := range uint64(1001) {
			_, ok := c.Get(k)
			if wanted := len(want) > 0 && want[0] == k; ok != wanted {
				t.Errorf("after %s key %d is found: %t", now.now().Sub(time.Unix(1_000_000, 0)), k, ok)
			} else if ok {
				want = want[1:]
			}
		}
	}
	now.add(time.Second - 1)
	expect(1, 2, 3, 4, 5)
	now.add(1)
	if n := c.Len(); n != 5 {
		t.Errorf("Len is %d before any call has met the expired entry", n)
	}
	expect(1, 3, 4, 5)
	if stats := c.Stats(); stats.Expirations != 1 || stats.Len != 4 || stats.Evictions != 0 {
		t.Errorf("%+v", stats)
	}
	check(t, c.Set(1, "again"))
	now.add(9 * time.Second)
	if c.Delete(5) {
		t.Error("Delete says that an entry was there whose time had come")
	}
	if v, ok := c.GetOrSet(1, "later"); !ok || v != "again" {
		t.Errorf("GetOrSet returns %q, %t", v, ok)
	}
	now.add(time.Second)
	if v, ok := c.GetOrSet(1, "later"); ok || v != "later" {
		t.Errorf("GetOrSet returns %q, %t", v, ok)
	}
	now.add(time.Hour * 24 * 365 * 250)
	expect(3, 4)
	check(t, c.SetTTL(6, "beyond all time", NoExpiry-1))
	now.add(time.Hour * 24 * 365 * 30)
	expect(3, 4, 6)
	if n := 0; true {
		for range c.All() {
			n++
		}
		if n != 3 {
			t.Errorf("All yields %d entries", n)
		}
	}
}

// An expired entry is removed when it reaches the end of its queue, even if it is never looked up.
// Its removal is not an eviction, so its hash is not added to the ghost.
func TestExpiredEntriesMakeRoom(t *testing.T) {
	var now clock
	c := opened[uint64, uint64](t, least[uint64, uint64](1), Options{TTL: time.Second, now: now.now})
	n := uint64(1000)
	for round := range uint64(20) {
		for i := range n {
			check(t, c.Set(round*n+i, i))
		}
		now.add(time.Second)
	}
	if stats := c.Stats(); stats.Evictions != 0 || stats.Expirations < 17*n || stats.Expirations > 19*n {
		t.Errorf("%+v", stats)
	}
}

func TestStats(t *testing.T) {
	c := opened[uint64, uint64](t, 1<<20, Options{})
	check(t, c.Set(1, 1))
	c.Get(1)
	c.Get(1)
	c.Get(2)
	c.GetOrSet(1, 1)
	c.GetOrSet(3, 1)
	if s := c.Stats(); s.Hits != 3 || s.Misses != 2 || s.Len != 2 || s.HitRatio() != 0.6 || s.Evictions != 0 {
		t.Errorf("%+v, ratio %v", s, s.HitRatio())
	}
	for i := range uint64(100_000) {
		check(t, c.Set(i, i))
	}
	s := c.Stats()
	if uint64(s.Len)+s.Evictions != 100_001 { // keys 0 to 99,999; key 1 or 3 is included twice if it was evicted before the loop set it again
		if uint64(s.Len)+s.Evictions != 100_000 {
			t.Errorf("%+v: entries and evictions are not all that was set", s)
		}
	}
	c.Clear()
	if again := c.Stats(); again.Len != 0 || again.Hits != s.Hits || again.Evictions != s.Evictions || again.Bytes != s.Bytes {
		t.Errorf("after Reset %+v, before %+v", again, s)
	}
	if (Stats{}).HitRatio() != 0 || (Stats{Misses: 1}).HitRatio() != 0 {
		t.Error("without hits the ratio is not 0")
	}
}

func TestZeroCache(t *testing.T) {
	var c Cache[uint64, string]
	for where, f := range map[string]func(){
		"cache.Cache.Get": func() { c.Get(1) }, "cache.Cache.Set": func() { _ = c.Set(1, "") }, "cache.Cache.Delete": func() { c.Delete(1) },
		"cache.Cache.GetOrSet": func() { c.GetOrSet(1, "") }, "cache.AppendGet": func() { AppendGet(&c, nil, 1) },
		"cache.Cache.SetTTL": func() { _ = c.SetTTL(1, "", 0) }, "cache.Cache.Has": func() { c.Has(1) },
		"cache.Cache.Compute":    func() { c.Compute(1, func(string, bool) (string, ComputeOp) { return "", CancelOp }) },
		"cache.Cache.OnDeletion": func() { c.OnDeletion(nil) },
	} {
		if said := panics.Of(f); said != where+": this is the zero Cache; make one with New" {
			t.Errorf("%s panics with %q", where, said)
		}
	}
	if stats := c.Stats(); stats.Len != 0 || c.Len() != 0 {
		t.Errorf("%+v", stats)
	}
	c.Clear()
	check(t, c.Close())
}

func TestClosed(t *testing.T) {
	c, err := New[uint64, string](Options{MaxBytes: 1 << 20})
	check(t, err)
	check(t, c.Set(1, "one"))
	check(t, c.Close())
	check(t, c.Close())
	for where, f := range map[string]func(){
		"cache.Cache.Get": func() { c.Get(1) }, "cache.Cache.Set": func() { _ = c.Set(1, "") }, "cache.Cache.Delete": func() { c.Delete(1) },
		"cache.Cache.GetOrSet": func() { c.GetOrSet(1, "") }, "cache.Cache.Clear": c.Clear, "cache.AppendGet": func() { AppendGet(c, nil, 1) },
		"cache.Cache.All": func() {
			for range c.All() {
			}
		},
		"cache.Cache.SetTTL": func() { _ = c.SetTTL(1, "", 0) }, "cache.Cache.Has": func() { c.Has(1) },
		"cache.Cache.Compute":    func() { c.Compute(1, func(string, bool) (string, ComputeOp) { return "", CancelOp }) },
		"cache.Cache.OnDeletion": func() { c.OnDeletion(nil) },
	} {
		if said := panics.Of(f); said != where+": the cache is closed" {
			t.Errorf("%s panics with %q", where, said)
		}
	}
	if stats := c.Stats(); stats.Len != 0 || stats.Bytes > 1<<16 || c.Len() != 0 {
		t.Errorf("%+v", stats)
	}
	for _, a := range vmem.Accounts() {
		if strings.HasPrefix(a.Name, "cache.Cache[uint64,string]") {
			t.Errorf("%d bytes are still there: %s", a.Committed, a.Name)
		}
	}
}

// Named string and byte slice types behave like their underlying types.
func TestNamedTypes(t *testing.T) {
	type name string
	type text string
	type blob []byte
	type octet uint8
	a := opened[name, text](t, 1<<20, Options{})
	b := opened[name, blob](t, 1<<20, Options{})
	d := opened[uint32, []octet](t, 1<<20, Options{})
	check(t, a.Set("k", "v"))
	check(t, b.Set("k", blob("v")))
	check(t, d.Set(1, []octet{5}))
	if v, ok := a.Get("k"); !ok || v != "v" {
		t.Error(v, ok)
	}
	if v, ok := b.Get("k"); !ok || string(v) != "v" || cap(v) > 8 {
		t.Error(v, ok)
	}
	if v, ok := d.Get(1); !ok || len(v) != 1 || v[0] != 5 {
		t.Error(v, ok)
	}
	if v, ok := AppendGet(a, []byte("x"), "k"); !ok || string(v) != "xv" {
		t.Error(v, ok)
	}
	if v, ok := AppendGet(b, nil, "none"); ok || v != nil {
		t.Error(v, ok)
	}
}

// Set and Get copy values. The caller may change its slices without changing the cache, and later
// changes of the cache do not affect a value that Get returned.
func TestCopies(t *testing.T) {
	c := opened[string, []byte](t, least[string, []byte](1), Options{})
	k, v := []byte("key"), []byte("value")
	check(t, c.Set(string(k), v))
	v[0] = 'X'
	got, _ := c.Get("key")
	got[1] = 'X'
	again, _ := c.Get("key")
	if string(again) != "value" {
		t.Errorf("the value became %q", again)
	}
	for i := range 10_000 {
		check(t, c.Set(fmt.Sprint(i), make([]byte, 100)))
	}
	if string(again) != "value" {
		t.Errorf("a copy became %q", again)
	}
}

// TestBytesOfAnEntry verifies the number of bytes per entry that the package documentation states.
func TestBytesOfAnEntry(t *testing.T) {
	const bytes = 4 << 20
	for shards := 1; shards <= 4; shards *= 4 {
		c := opened[uint64, uint64](t, bytes, Options{Shards: shards})
		for i := range uint64(130_000) {
			check(t, c.Set(i, i))
		}
		if each := float64(bytes) / float64(c.Len()); each < 35 || each > 40 {
			t.Errorf("with %d shards an entry costs %.1f bytes", shards, each)
		}
	}
	c := opened[string, string](t, bytes, Options{Shards: 1})
	for i := range 130_000 {
		check(t, c.Set(fmt.Sprintf("%08d", i), "8 bytes."))
	}
	if each := float64(bytes) / float64(c.Len()); each < 43 || each > 54 { // its table grows in larger steps than needed
		t.Errorf("an entry of texts costs %.1f bytes", each)
	}
}

// TestTenMillion sets ten million entries. Almost all of them must fit, every value that is found
// must be correct, and the Go heap must not grow, so that the collector has nothing to scan. The
// test runs only with COPPICE_FULL=1.
func TestTenMillion(t *testing.T) {
	if os.Getenv("COPPICE_FULL") == "" || checks.Enabled {
		t.Skip("takes 400 MB; COPPICE_FULL=1 runs it")
	}
	const n = 10_000_000
	c := opened[uint64, uint64](t, 390<<20, Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range uint64(n) {
		check(t, c.Set(i, ^i))
	}
	runtime.ReadMemStats(&after)
	if more := after.TotalAlloc - before.TotalAlloc; more > 1<<20 {
		t.Errorf("%d bytes of the Go heap were allocated", more)
	}
	if s := c.Stats(); s.Len < n*99/100 || s.Bytes > s.Bound {
		t.Errorf("%+v", s)
	}
	for i := range uint64(n) {
		if v, ok := c.Get(i); ok && v != ^i {
			t.Fatalf("%d is %d", i, v)
		}
	}
}

// Peek finds the same entries as Get, but does not change the statistics.
func TestPeekLeavesNoTrace(t *testing.T) {
	c := opened[uint64, string](t, 1<<20, Options{})
	check(t, c.Set(1, "one"))
	before := c.Stats()
	if v, ok := c.Peek(1); v != "one" || !ok {
		t.Error(v, ok)
	}
	if v, ok := c.Peek(2); v != "" || ok {
		t.Error(v, ok)
	}
	if after := c.Stats(); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
}

// In a testing/synctest bubble, entries expire according to the fake clock of the bubble.
func TestEntriesEndByTheClockOfABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened[uint64, string](t, 1<<20, Options{TTL: time.Hour})
		check(t, c.Set(1, "one"))
		time.Sleep(time.Hour - time.Second)
		if _, ok := c.Get(1); !ok {
			t.Error("an entry went before its time")
		}
		time.Sleep(2 * time.Second)
		if _, ok := c.Get(1); ok {
			t.Error("an entry is there after its time")
		}
	})
}
