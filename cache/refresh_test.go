package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// A refresher has a Cache that reloads its values after ten seconds, and lets the test determine
// the result of each load.
type refresher struct {
	c    *Cache[string, string]
	next chan func(ctx context.Context) (string, error) // each load waits for a function from next, and returns its results
	t    *testing.T
}

const refreshAfter = 10 * time.Second

func newRefresher(t *testing.T, o Options) *refresher {
	o.RefreshAfterWrite, o.Shards = refreshAfter, 1
	r := &refresher{c: opened[string, string](t, 1<<20, o), next: make(chan func(context.Context) (string, error)), t: t}
	check(t, r.c.Set("k", "old"))
	return r
}

type contextKey struct{}

// get calls GetOrLoad, which must return want immediately.
func (r *refresher) get(want string) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), contextKey{}, "ours"))
	defer cancel() // must not cancel a background load
	before := time.Now()
	v, err := r.c.GetOrLoad(ctx, "k", func(ctx context.Context, k string) (string, error) {
		if k != "k" || ctx.Value(contextKey{}) != "ours" {
			return "", errors.New("another key or context")
		}
		return (<-r.next)(ctx)
	})
	if v != want || err != nil || time.Since(before) > 0 {
		r.t.Errorf("%q, %v after %v, want %q at once", v, err, time.Since(before), want)
	}
}

// load lets the background load return v and err.
func (r *refresher) load(v string, err error) {
	r.t.Helper()
	r.do(func(ctx context.Context) (string, error) { return v, errors.Join(err, ctx.Err()) })
}

func (r *refresher) do(f func(ctx context.Context) (string, error)) {
	r.t.Helper()
	synctest.Wait()
	select {
	case r.next <- f:
	default:
		r.t.Fatal("nothing is loaded in the background")
	}
	synctest.Wait()
}

// idle verifies that no background load is running.
func (r *refresher) idle() {
	r.t.Helper()
	synctest.Wait()
	select {
	case r.next <- func(context.Context) (string, error) { return "", errors.New("unwanted") }:
		r.t.Error("something is loaded in the background")
	default:
	}
}

// GetOrLoad returns an old value immediately. Its replacement is loaded once for all callers, and
// has a deadline of its own.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefresher(t, Options{TTL: 15 * time.Second})
		time.Sleep(refreshAfter - time.Nanosecond)
		r.get("old")
		r.idle()
		time.Sleep(time.Nanosecond)
		r.c.Get("k")
		r.c.GetOrSet("k", "other")
		r.c.Peek("k")
		r.idle()
		for range 3 {
			r.get("old")
		}
		r.load("new", nil)
		r.idle()
		r.get("new")
		r.idle()
		time.Sleep(refreshAfter)
		r.get("new") // the deadline of the old value has passed
		r.load("newer", nil)
		r.get("newer")
		if s := r.c.Stats(); s.Loads != 2 || s.LoadFailures != 0 || s.Misses != 0 || s.Hits != 9 || s.Expirations != 0 {
			t.Errorf("%+v", s)
		}
		if n := len(r.c.loads.Load().byKey); n != 0 {
			t.Errorf("%d loads are remembered", n)
		}
	})
}

// If a refresh fails, the old value stays until it expires, and the next call tries again.
func TestErrorsOfRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefresher(t, Options{TTL: 15 * time.Second})
		time.Sleep(refreshAfter)
		for i := range uint64(3) {
			r.get("old")
			r.load("wrong", errors.New("wrong"))
			r.idle()
			if s := r.c.Stats(); s.Loads != 0 || s.LoadFailures != i+1 {
				t.Errorf("%+v", s)
			}
		}
		r.get("old")
		time.Sleep(15*time.Second - refreshAfter)
		if r.c.Has("k") {
			t.Error("the old value has not expired")
		}
		// The old value has expired, so a caller waits for the load that is running.
		var all sync.WaitGroup
		all.Go(func() {
			v, err := r.c.GetOrLoad(t.Context(), "k", nil)
			if v != "late" || err != nil {
				t.Errorf("%q, %v", v, err)
			}
		})
		r.load("late", nil)
		all.Wait()
		r.get("late")
	})
}

// If a key changes during a refresh, the loaded value does not replace a value that was set and
// does not bring back a deleted key. It does bring back an evicted key.
func TestChangesDuringRefresh(t *testing.T) {
	for name, c := range map[string]struct {
		change func(c *Cache[string, string])
		want   string
	}{
		"nothing": {func(*Cache[string, string]) {}, "new"},
		"set":     {func(c *Cache[string, string]) { _ = c.Set("k", "set") }, "set"},
		"the same value": {func(c *Cache[string, string]) {
			c.Delete("k")
			_ = c.Set("k", "old")
		}, "old"},
		"set for": {func(c *Cache[string, string]) { _ = c.SetTTL("k", "set", time.Minute) }, "set"},
		"delete":  {func(c *Cache[string, string]) { c.Delete("k") }, ""},
		"clear":   {func(c *Cache[string, string]) { c.Clear() }, ""},
		"compute": {func(c *Cache[string, string]) {
			c.Compute("k", func(string, bool) (string, ComputeOp) { return "computed", UpdateOp })
		}, "computed"},
		"evict": {func(c *Cache[string, string]) {
			for i := 0; c.Has("k"); i++ {
				_ = c.Set(fmt.Sprint(i), strings.Repeat("v", 500))
			}
		}, "new"},
		"maximum": {func(c *Cache[string, string]) { _ = c.SetMaximum(2 << 20) }, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRefresher(t, Options{})
				time.Sleep(refreshAfter)
				r.get("old")
				synctest.Wait()
				c.change(r.c)
				r.load("new", nil)
				if v, ok := r.c.Get("k"); v != c.want || ok != (c.want != "") {
					t.Errorf("%q, %t, want %q", v, ok, c.want)
				}
			})
		})
	}
}

// If a background load panics or exits its goroutine, the old value stays, nothing stays locked,
// and a later call loads again. One caller receives the panic.
func TestPanicsOfRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefresher(t, Options{})
		time.Sleep(refreshAfter)
		r.get("old")
		r.do(func(context.Context) (string, error) { panic("broken") })
		check(t, r.c.Set("other", "v")) // nothing is locked
		said := panics.Of(func() { _, _ = r.c.GetOrLoad(t.Context(), "k", nil) })
		if !strings.HasPrefix(said, "cache.Cache.GetOrLoad: a load in the background panicked: broken\n") || !strings.Contains(said, "TestPanicsOfRefresh") {
			t.Errorf("%q", said)
		}
		r.get("old")
		r.do(func(context.Context) (string, error) { runtime.Goexit(); return "", nil })
		r.get("old")
		r.load("new", nil)
		r.get("new")
		if s := r.c.Stats(); s.Loads != 1 || s.LoadFailures != 2 {
			t.Errorf("%+v", s)
		}
		// The function passed to OnDeletion is also called by background loads. Close reports its
		// panic.
		r.c.OnDeletion(func(DeletionEvent[string, string]) { panic("heard") })
		time.Sleep(refreshAfter)
		r.get("new")
		r.load("newer", nil)
		r.c.OnDeletion(nil)
		if v, _ := r.c.Get("k"); v != "newer" {
			t.Errorf("the value is %q", v)
		}
		if err := r.c.Close(); err == nil || !strings.HasPrefix(err.Error(), "cache.Cache.Close: a load in the background panicked: heard\n") {
			t.Error(err)
		}
	})
}

// Close cancels background loads and waits for them; none is started afterwards.
func TestCloseDuringRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefresher(t, Options{})
		time.Sleep(refreshAfter)
		r.get("old")
		returned := false
		r.do(func(ctx context.Context) (string, error) {
			<-ctx.Done()
			_ = r.c.Set("another", "v") // the Cache still works
			time.Sleep(time.Second)
			returned = true
			return "v", nil
		})
		check(t, r.c.Close())
		if !returned {
			t.Error("a load goes on after Close")
		}
		check(t, r.c.Close())
		again := newRefresher(t, Options{})
		time.Sleep(refreshAfter)
		check(t, again.c.allLoads().close())
		again.get("old")
		again.idle()
	})
}

// A file stores the age of each value, so that a reopened Cache reloads the value in time, even if
// its RefreshAfterWrite is different. A value whose age was not recorded is treated as new.
func TestRefreshOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefresher(t, Options{})
		plain := opened[string, string](t, 1<<20, Options{})
		check(t, plain.Set("k", "old"))
		time.Sleep(4 * time.Second)
		dated, undated := saved(t, r.c), saved(t, plain)
		for _, c := range []struct {
			path  string
			after time.Duration // time until the value is loaded again
			o     Options
		}{
			{dated, 6 * time.Second, Options{RefreshAfterWrite: refreshAfter}},
			{dated, 5 * time.Second, Options{RefreshAfterWrite: 5 * time.Second}},
			{undated, refreshAfter, Options{RefreshAfterWrite: refreshAfter}},
			{dated, 1000 * time.Second, Options{}},
		} {
			now := time.Now()
			c.o.Shards = 1
			other := reopened[string, string](t, c.path, 1<<20, c.o)
			s := &other.shards[0]
			stamp, at := int64(0), int64(c.after)
			for _, q := range s.queues() {
				q.each(func(at uint64) uint64 { stamp, _ = s.stale(at); return wordsOf(s.words[at].Load()) })
			}
			if c.o.RefreshAfterWrite == 0 {
				at = 0
			}
			if stamp != at {
				t.Errorf("%s, %+v: it is loaded again after %v, want %v", filepath.Base(c.path), c.o, time.Duration(stamp), time.Duration(at))
			}
			if v, ok := other.Get("k"); v != "old" || !ok || time.Since(now) > 0 {
				t.Errorf("%q, %t", v, ok)
			}
		}
	})
}

func TestRefreshRefuses(t *testing.T) {
	for want, o := range map[string]Options{
		"cache.New: negative RefreshAfterWrite -1s; use 0 to":                   {RefreshAfterWrite: -time.Second},
		"cache.New: invalid RefreshAfterWrite 1s: must be less than TTL 1s, or": {RefreshAfterWrite: time.Second, TTL: time.Second},
	} {
		o.MaxBytes = 1 << 20
		if _, err := New[uint64, uint64](o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// GetOrLoad does not allocate if it finds a value that is not old.
func TestRefreshAllocatesNothing(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds allocate")
	}
	c := opened[uint64, uint64](t, 1<<20, Options{RefreshAfterWrite: time.Hour})
	check(t, c.Set(1, 1))
	ctx := context.Background()
	load := func(context.Context, uint64) (uint64, error) { return 2, nil }
	if n := testing.AllocsPerRun(1000, func() { _, _ = c.GetOrLoad(ctx, 1, load) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many goroutines use a Cache whose values are always old. Each value is its key in decimal, so
// that a wrong value is detected. A key that is never deleted is always present.
func TestManyRefreshes(t *testing.T) {
	c := opened[uint32, string](t, 1<<20, Options{Shards: 2, RefreshAfterWrite: 1})
	var all sync.WaitGroup
	wrong := errors.New("wrong")
	check(t, c.Set(1000, "1000"))
	for g := range uint64(6) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			for range count(3000) {
				k := r.Uint32N(10)
				failing := r.IntN(4) == 0
				load := func(ctx context.Context, k uint32) (string, error) {
					if failing {
						return "", wrong
					}
					return fmt.Sprint(k), nil
				}
				switch r.IntN(8) {
				case 0:
					c.Delete(k)
				case 1:
					_ = c.Set(k, fmt.Sprint(k))
				default:
					if v, err := c.GetOrLoad(t.Context(), k, load); err == nil && v != fmt.Sprint(k) || err != nil && !errors.Is(err, wrong) {
						t.Errorf("%d is %q, %v", k, v, err)
					}
					if v, err := c.GetOrLoad(t.Context(), 1000, load); v != "1000" || err != nil {
						t.Errorf("1000 is %q, %v", v, err)
					}
				}
			}
		})
	}
	all.Wait()
	check(t, c.Close())
	if s := c.Stats(); s.Loads == 0 || s.LoadFailures == 0 {
		t.Errorf("%+v", s)
	}
	if n := len(c.allLoads().byKey); n != 0 {
		t.Errorf("%d loads are remembered", n)
	}
}
