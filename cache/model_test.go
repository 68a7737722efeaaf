package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A model records what a cache may return: for each key, the value that was set last and the time
// when it expires. A cache may forget entries, but must not return any other value.
type model[K comparable, V any] struct {
	values map[K]V
	ends   map[K]time.Duration // NoExpiry if the value never expires
	now    time.Duration
}

func (m *model[K, V]) set(k K, v V, ttl time.Duration) {
	m.values[k], m.ends[k] = v, NoExpiry
	if ttl < NoExpiry-m.now {
		m.ends[k] = m.now + ttl
	}
}

func (m *model[K, V]) forget(k K) {
	delete(m.values, k)
	delete(m.ends, k)
}

// allows returns an error unless a cache may return v for the key k now.
func (m *model[K, V]) allows(k K, v V, same func(a, b V) bool) error {
	want, ok := m.values[k]
	switch {
	case !ok:
		return fmt.Errorf("%v is %v, and is not there", k, v)
	case !same(v, want):
		return fmt.Errorf("%v is %v, want %v", k, v, want)
	case m.now >= m.ends[k]:
		return fmt.Errorf("%v is found at %s, and its time came at %s", k, m.now, m.ends[k])
	}
	return nil
}

func TestAgainstModel(t *testing.T) {
	t.Run("fixed", func(t *testing.T) {
		againstModel(t, func(i int) uint64 { return uint64(i) }, func(i, _ int) wide { return wide{A: [3]uint64{uint64(i), 2: 1}, B: i%2 > 0} },
			func(a, b wide) bool { return a == b })
	})
	t.Run("text", func(t *testing.T) {
		againstModel(t, func(i int) string { return strings.Repeat("k", i%70) + fmt.Sprint(i) },
			func(i, size int) string { return strings.Repeat("v", size) + fmt.Sprint(i) }, func(a, b string) bool { return a == b })
	})
	t.Run("bytes", func(t *testing.T) {
		againstModel(t, func(i int) padded { return padded{A: uint8(i), C: float64(i)} },
			func(i, size int) []byte { return append(make([]byte, size), fmt.Sprint(i)...) }, func(a, b []byte) bool { return string(a) == string(b) })
	})
}

// againstModel performs random operations on small caches with about a thousand keys, and checks
// the results against a model.
func againstModel[K comparable, V any](t *testing.T, key func(int) K, value func(i, size int) V, same func(a, b V) bool) {
	folder := t.TempDir()
	random.Check(t, func(t *rapid.T) {
		var time clock
		shards := rapid.SampledFrom([]int{1, 2}).Draw(t, "shards")
		ttl := rapid.SampledFrom([]int64{0, 50}).Draw(t, "ttl")
		refresh := rapid.SampledFrom([]int64{0, 20}).Draw(t, "refresh")
		pieces := rapid.Int64Range(0, 4).Draw(t, "more pieces")
		c, err := New[K, V](Options{MaxBytes: least[K, V](shards) + pieces*vmem.Piece, Shards: shards, TTL: 1 * duration(ttl), RefreshAfterWrite: 1 * duration(refresh), now: time.now})
		if err != nil {
			t.Fatal(err)
		}
		s := &session[K, V]{}
		defer func() {
			vmem.FailCommit(-1)
			s.c.Close()
		}()
		s.c, s.clock, s.key, s.value, s.same, s.ttl, s.refresh, s.folder = c, &time, key, value, same, 1*duration(ttl), 1*duration(refresh), folder
		s.model = model[K, V]{values: map[K]V{}, ends: map[K]duration{}}
		t.Repeat(s.actions())
	})
}

type duration = time.Duration

// A session is a cache under test with its model.
type session[K comparable, V any] struct {
	c     *Cache[K, V]
	model model[K, V]
	clock *clock
	key   func(int) K
	value func(i, size int) V
	same  func(a, b V) bool
	n     int

	ttl, refresh duration
	folder       string
}

func (s *session[K, V]) draw(t *rapid.T) (K, V) {
	s.n++
	return s.key(rapid.IntRange(0, 1000).Draw(t, "key")), s.value(s.n, rapid.SampledFrom([]int{0, 3, 30, 300, 3000, 20_000}).Draw(t, "size"))
}

// set records in the model that a call stored v under k for the duration ttl. If err is not nil,
// the call has failed, and the model forgets k.
func (s *session[K, V]) set(t *rapid.T, k K, v V, ttl duration, err error) {
	if !isMemory(err) {
		t.Fatal(err)
	}
	s.model.set(k, v, ttl)
	if err != nil {
		s.model.forget(k)
	}
}

func (s *session[K, V]) actions() map[string]func(*rapid.T) {
	all := s.looks()
	maps.Copy(all, s.wholes())
	maps.Copy(all, map[string]func(*rapid.T){
		"set": func(t *rapid.T) {
			k, v := s.draw(t)
			s.set(t, k, v, s.c.ttl, s.c.Set(k, v))
		},
		"set many": func(t *rapid.T) {
			from, size := rapid.IntRange(0, 1000).Draw(t, "from"), rapid.IntRange(0, 600).Draw(t, "size")
			for i := range 300 {
				s.n++
				k, v := s.key((from+i)%1000), s.value(s.n, size)
				s.set(t, k, v, s.c.ttl, s.c.Set(k, v))
			}
		},
		"set for": func(t *rapid.T) {
			k, v := s.draw(t)
			ttl := rapid.SampledFrom([]duration{-1, 0, 1, 10, 100, NoExpiry - 1, NoExpiry}).Draw(t, "ttl")
			s.set(t, k, v, ttl, s.c.SetTTL(k, v, ttl))
		},
		"get or set": func(t *rapid.T) {
			k, v := s.draw(t)
			got, ok := s.c.GetOrSet(k, v)
			if ok {
				s.allow(t, k, got)
			} else {
				s.model.set(k, v, s.c.ttl)
			}
		},
		"get": func(t *rapid.T) {
			for range 50 {
				k := s.key(rapid.IntRange(0, 1000).Draw(t, "key"))
				if v, ok := s.c.Get(k); ok {
					s.allow(t, k, v)
				}
			}
		},
		"delete": func(t *rapid.T) {
			k := s.key(rapid.IntRange(0, 1000).Draw(t, "key"))
			end, there := s.model.ends[k]
			if s.c.Delete(k) && (!there || s.model.now >= end) {
				t.Fatalf("%v was deleted, and was not there", k)
			}
			s.model.forget(k)
		},
		"time": func(t *rapid.T) {
			d := rapid.SampledFrom([]duration{1, 10, 60}).Draw(t, "nanoseconds")
			s.clock.add(d)
			s.model.now += d
		},
		"reset": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "chance") == 0 {
				s.c.Clear()
				clear(s.model.values)
				clear(s.model.ends)
			}
		},
		"no memory": func(t *rapid.T) { vmem.FailNextCommits(rapid.IntRange(0, 3).Draw(t, "times")) },
		"":          s.invariants,
	})
	return all
}

// wholes returns the operations that load a value, change the limit, or replace the cache by one
// that is reopened from a file.
func (s *session[K, V]) wholes() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"maximum": func(t *rapid.T) {
			n := len(s.c.shards)
			bytes := least[K, V](n) + int64(n)*rapid.Int64Range(-1, 8).Draw(t, "pieces")*vmem.Piece
			if err := s.c.SetMaximum(bytes); isMemory(err) != (bytes >= least[K, V](n)) || err == nil && s.c.Stats().Bound != uint64(bytes) {
				t.Fatalf("SetMaximum(%d) returns %v, and then there is %+v", bytes, err, s.c.Stats())
			}
		},
		"load": s.load,
		"restart": func(t *rapid.T) {
			path := s.folder + "/cache"
			if err := s.c.Save(path); err != nil {
				t.Skip(err)
			}
			n := rapid.SampledFrom([]int{1, 2}).Draw(t, "shards")
			bytes := least[K, V](n) + rapid.Int64Range(0, 8).Draw(t, "pieces")*vmem.Piece
			c, err := OpenFile[K, V](path, Options{MaxBytes: bytes, Shards: n, TTL: s.ttl, RefreshAfterWrite: s.refresh, now: s.clock.now})
			if err != nil && !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			if err == nil {
				s.c.Close()
				s.c = c
			}
		},
	}
}

// load calls GetOrLoad with a load that may fail, and waits for background loads.
func (s *session[K, V]) load(t *rapid.T) {
	k, v := s.draw(t)
	fails := errors.New("the load fails")
	if rapid.Bool().Draw(t, "works") {
		fails = nil
	}
	loaded := false
	got, err := s.c.GetOrLoad(context.Background(), k, func(context.Context, K) (V, error) {
		loaded = true
		return v, fails
	})
	s.c.allLoads().background.Wait()
	if err != nil && (!loaded || !errors.Is(err, fails)) {
		t.Fatal(err)
	}
	if !loaded || fails != nil && err == nil || !s.same(got, v) {
		s.allow(t, k, got)
	}
	if loaded && fails == nil {
		s.model.set(k, v, s.c.ttl)
	}
}

// looks returns the operations that call Has and Compute.
func (s *session[K, V]) looks() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"has": func(t *rapid.T) {
			k := s.key(rapid.IntRange(0, 1000).Draw(t, "key"))
			if _, ok := s.c.Peek(k); s.c.Has(k) != ok {
				t.Fatalf("Has says %t of %v, and Peek %t", !ok, k, ok)
			}
		},
		"compute": func(t *rapid.T) {
			k, v := s.draw(t)
			op := rapid.SampledFrom([]ComputeOp{CancelOp, UpdateOp, DeleteOp}).Draw(t, "op")
			_, ok := s.c.Compute(k, func(old V, found bool) (V, ComputeOp) {
				if found {
					s.allow(t, k, old)
				}
				return v, op
			})
			if op == UpdateOp {
				s.model.set(k, v, s.c.ttl)
			}
			if op != CancelOp && !ok {
				s.model.forget(k)
			}
		},
	}
}

func (s *session[K, V]) allow(t *rapid.T, k K, v V) {
	if err := s.model.allows(k, v, s.same); err != nil {
		t.Fatal(err)
	}
}

func (s *session[K, V]) invariants(t *rapid.T) {
	if err := s.c.verify(); err != nil {
		t.Fatal(err)
	}
	stats := s.c.Stats()
	if stats.Bytes > stats.Bound || stats.Len != s.c.Len() {
		t.Fatalf("%+v, and Len is %d", stats, s.c.Len())
	}
	seen := map[K]bool{}
	for k, v := range s.c.All() {
		if seen[k] {
			t.Fatalf("All yields %v twice", k)
		}
		seen[k] = true
		s.allow(t, k, v)
	}
	if len(seen) > stats.Len {
		t.Fatalf("All yields %d entries of %d", len(seen), stats.Len)
	}
}
