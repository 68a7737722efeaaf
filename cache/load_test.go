package cache

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// A loading is a call of GetOrLoad in a separate goroutine. Its load blocks until the test
// determines the result.
type loading struct {
	cancel context.CancelFunc
	value  []byte
	err    error
	done   chan struct{}
	said   string // the panic message
}

// A desk has a Cache, counts its loads, and lets the test determine the result of each load.
type desk struct {
	c     *Cache[string, []byte]
	loads atomic.Int64
	next  chan func(ctx context.Context) ([]byte, error) // each load waits for a function from next, and returns its results
}

func newDesk(t *testing.T) *desk {
	return &desk{c: opened[string, []byte](t, 1<<20, Options{Shards: 1}), next: make(chan func(context.Context) ([]byte, error))}
}

// call starts a GetOrLoad of k, and returns when all goroutines of the synctest bubble are blocked.
func (d *desk) call(k string) *loading {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loading{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.said = fmt.Sprint(p)
			}
		}()
		l.value, l.err = d.c.GetOrLoad(ctx, k, func(ctx context.Context, key string) ([]byte, error) {
			d.loads.Add(1)
			if key != k {
				return nil, fmt.Errorf("%q is to be loaded, and %q was asked for", key, k)
			}
			return (<-d.next)(ctx)
		})
	}()
	synctest.Wait()
	return l
}

func returning(v string, err error) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(v), err }
}

func (l *loading) expect(t *testing.T, want string, err error) {
	t.Helper()
	synctest.Wait()
	select {
	case <-l.done:
	default:
		t.Fatal("the call still waits")
	}
	if string(l.value) != want || !errors.Is(l.err, err) || (err == nil) != (l.err == nil) {
		t.Errorf("%q and %v, want %q and %v", l.value, l.err, want, err)
	}
}

func (d *desk) expectLoads(t *testing.T, want int64) {
	t.Helper()
	if n := d.loads.Load(); n != want {
		t.Errorf("%d loads, want %d", n, want)
	}
}

func TestOneLoadForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		all := []*loading{d.call("k"), d.call("k"), d.call("k")}
		other := d.call("other")
		d.expectLoads(t, 2)
		d.next <- returning("v", nil)
		synctest.Wait()
		d.next <- returning("v", nil)
		for _, l := range append(all, other) {
			l.expect(t, "v", nil)
		}
		for _, l := range all { // each caller has its own copy
			l.expect(t, "v", nil)
			l.value[0]++
			if got, _ := d.c.Get("k"); string(got) != "v" {
				t.Errorf("the value became %q", got)
			}
		}
		d.call("k").expect(t, "v", nil)
		d.expectLoads(t, 2)
		if n := len(d.c.loads.Load().byKey); n != 0 {
			t.Errorf("%d loads are remembered", n)
		}
		if s := d.c.Stats(); s.Hits != 4 || s.Misses != 4 {
			t.Errorf("%+v", s)
		}
	})
}

// If a load fails, all waiting callers receive its error, and nothing is stored.
func TestErrorsOfLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, wrong := newDesk(t), errors.New("wrong")
		a, b := d.call("k"), d.call("k")
		d.next <- returning("", wrong)
		a.expect(t, "", wrong)
		b.expect(t, "", wrong)
		d.expectLoads(t, 1)
		if d.c.Has("k") {
			t.Error("a value was kept that did not come")
		}
		again := d.call("k")
		d.next <- returning("v", nil)
		again.expect(t, "v", nil)
	})
}

// A caller stops waiting when its own context is done. The load continues for the other callers.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		a, b, other := d.call("k"), d.call("k"), d.call("k")
		b.cancel()
		b.expect(t, "", context.Canceled)
		d.next <- returning("v", nil)
		a.expect(t, "v", nil)
		other.expect(t, "v", nil)
		d.expectLoads(t, 1)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if v, err := d.c.GetOrLoad(ended, "k", nil); string(v) != "v" || err != nil {
			t.Errorf("%q, %v: what is there needs no context", v, err)
		}
		if _, err := d.c.GetOrLoad(ended, "none", nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// If a load panics, exits its goroutine, or is canceled, one of the waiting callers starts another
// load. Nothing stays locked.
func TestOthersLoadAnew(t *testing.T) {
	for name, fails := range map[string]func(cancel func()) func(ctx context.Context) ([]byte, error){
		"panic": func(func()) func(context.Context) ([]byte, error) {
			return func(context.Context) ([]byte, error) { panic("broken") }
		},
		"goexit": func(func()) func(context.Context) ([]byte, error) {
			return func(context.Context) ([]byte, error) { runtime.Goexit(); return nil, nil }
		},
		"cancel": func(cancel func()) func(context.Context) ([]byte, error) {
			return func(ctx context.Context) ([]byte, error) { cancel(); return nil, ctx.Err() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				first := d.call("k")
				b, c := d.call("k"), d.call("k")
				d.next <- fails(first.cancel)
				synctest.Wait()
				select {
				case <-first.done:
				default:
					t.Fatal("the first one still waits")
				}
				if name == "panic" != (first.said == "broken") || name == "cancel" != errors.Is(first.err, context.Canceled) {
					t.Errorf("it panicked with %q, and returned %v", first.said, first.err)
				}
				d.expectLoads(t, 2)
				d.next <- returning("v", nil)
				b.expect(t, "v", nil)
				c.expect(t, "v", nil)
				d.expectLoads(t, 2)
			})
		})
	}
}

// A loaded value is not stored if its key was deleted during the load, and does not replace a value
// that was set during the load.
func TestChangesWhileALoadRuns(t *testing.T) {
	for name, change := range map[string]func(c *Cache[string, []byte]){
		"delete":  func(c *Cache[string, []byte]) { c.Delete("k") },
		"no time": func(c *Cache[string, []byte]) { _ = c.SetTTL("k", nil, 0) },
		"clear":   func(c *Cache[string, []byte]) { c.Clear() },
		"compute": func(c *Cache[string, []byte]) {
			c.Compute("k", func([]byte, bool) ([]byte, ComputeOp) { return nil, DeleteOp })
		},
		"set": func(c *Cache[string, []byte]) { _ = c.Set("k", []byte("newer")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				a := d.call("k")
				change(d.c)
				b := d.call("k") // finds the newer value, or starts another load
				d.next <- returning("v", nil)
				synctest.Wait()
				if name == "set" {
					a.expect(t, "v", nil)
					b.expect(t, "newer", nil)
					if v, _ := d.c.Get("k"); string(v) != "newer" {
						t.Errorf("the value is %q", v)
					}
					return
				}
				d.expectLoads(t, 2)
				if d.c.Has("k") && string(a.value) == "v" {
					t.Error("a value was kept that was deleted before it came")
				}
				d.next <- returning("v", nil)
				a.expect(t, "v", nil)
				b.expect(t, "v", nil)
				if !d.c.Has("k") {
					t.Error("the second load was not kept")
				}
			})
		})
	}
}

func TestLoadsThatAreNotKept(t *testing.T) {
	c := opened[string, []byte](t, least[string, []byte](1), Options{})
	large := make([]byte, 1<<20)
	if v, err := c.GetOrLoad(t.Context(), "k", func(context.Context, string) ([]byte, error) { return large, nil }); len(v) != len(large) || err != nil {
		t.Errorf("%d bytes, %v", len(v), err)
	}
	f := opened[float64, int](t, 1<<20, Options{})
	for range 3 {
		if v, err := f.GetOrLoad(t.Context(), math.NaN(), func(context.Context, float64) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Error(v, err)
		}
	}
	closed, err := New[string, []byte](Options{MaxBytes: 1 << 20})
	check(t, err)
	v, err := closed.GetOrLoad(t.Context(), "k", func(context.Context, string) ([]byte, error) {
		return []byte("v"), closed.Close()
	})
	if string(v) != "v" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if said := panics.Of(func() { _, _ = closed.GetOrLoad(t.Context(), "k", nil) }); said != "cache.Cache.GetOrLoad: the cache is closed" {
		t.Error(said)
	}
}

// A load function may call methods of the Cache, and so may the function passed to OnDeletion.
func TestLoadsUseTheCache(t *testing.T) {
	c := opened[string, string](t, 1<<20, Options{Shards: 1})
	heard := 0
	c.OnDeletion(func(e DeletionEvent[string, string]) {
		heard++
		c.Delete("never there")
	})
	load := func(ctx context.Context, k string) (string, error) {
		if len(k) == 0 {
			return "", nil
		}
		rest, err := c.GetOrLoad(ctx, k[1:], func(context.Context, string) (string, error) { return "rest", nil })
		c.Delete(k[1:])
		return k[:1] + rest, err
	}
	if v, err := c.GetOrLoad(t.Context(), "abc", load); v != "arest" || err != nil || heard != 1 {
		t.Errorf("%q, %v, %d deletions", v, err, heard)
	}
}

// Many goroutines load, set and delete a few keys. Each value is its key in decimal, so that a
// wrong value is detected.
func TestManyLoads(t *testing.T) {
	c := opened[uint32, []byte](t, 1<<20, Options{Shards: 2})
	wrong := errors.New("wrong")
	var all sync.WaitGroup
	for g := range uint64(6) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			for range count(5000) {
				k := r.Uint32N(20)
				switch r.IntN(8) {
				case 0:
					c.Delete(k)
				case 1:
					c.Clear()
				case 2:
					_ = c.Set(k, fmt.Append(nil, k))
				default:
					ctx, cancel := context.WithCancel(t.Context())
					v, err := c.GetOrLoad(ctx, k, func(ctx context.Context, k uint32) ([]byte, error) {
						switch r.IntN(6) {
						case 0:
							return nil, wrong
						case 1:
							cancel()
							return nil, ctx.Err()
						case 2:
							runtime.Gosched()
						}
						return fmt.Append(nil, k), nil
					})
					cancel()
					if err == nil && string(v) != fmt.Sprint(k) || err != nil && !errors.Is(err, wrong) && !errors.Is(err, context.Canceled) {
						t.Errorf("%q, %v", v, err)
					}
					if len(v) > 0 {
						v[0] = 'x' // the caller owns the result
					}
				}
			}
		})
	}
	all.Wait()
	if n := len(c.allLoads().byKey); n != 0 {
		t.Errorf("%d loads are remembered", n)
	}
}
