package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/symbols"
)

// This file tests containers that many goroutines share: hashmap.Sharded, cache.Cache and
// symbols.Table.

// A common is a container that several workers share. The first worker opens it, and the last one
// closes it.
type common[T interface{ Close() error }] struct {
	open func() (T, error)

	mutex sync.Mutex
	users int
	thing T
	err   error
}

// enter returns the container. The first call opens it.
func (c *common[T]) enter() (T, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.users == 0 {
		c.thing, c.err = c.open()
	}
	c.users++
	return c.thing, c.err
}

// leave closes the container if all workers have left.
func (c *common[T]) leave() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.users--; c.users > 0 || c.err != nil {
		return nil
	}
	return c.thing.Close()
}

// shares is a worker that tests a Sharded together with other workers. Each of them uses different
// keys.
type shares struct {
	all    *common[*hashmap.Sharded[string, numbered]]
	mine   uint64
	shared *hashmap.Sharded[string, numbered]
	values [mostShares]uint64 // number of changes of each value, by ID; 0 if it is absent
}

const mostShares = 5_000

// key returns the key for the worker's ID i.
func (w *shares) key(i int) string { return keyOf(uint64(i)*8 + w.mine) }

func (w *shares) round(r *rand.Rand) (n int, err error) {
	if w.shared == nil {
		if w.shared, err = w.all.enter(); err != nil {
			return 0, err
		}
	}
	n = r.IntN(2000)
	for range n {
		i := r.IntN(mostShares)
		v, ok := w.shared.Get(w.key(i))
		if ok != (w.values[i] > 0) || ok && v != numberedOf(uint64(i), w.values[i]) {
			return 0, damaged("entry", uint64(i), v)
		}
		switch r.IntN(3) {
		case 0:
			w.values[i]++
			w.shared.Set(w.key(i), numberedOf(uint64(i), w.values[i]))
		case 1:
			w.shared.Update(w.key(i), func(numbered, bool) numbered {
				w.values[i]++
				return numberedOf(uint64(i), w.values[i])
			})
		case 2:
			if w.shared.Delete(w.key(i)) != ok {
				return 0, fmt.Errorf("deleting entry %d did not say whether it was there", i)
			}
			w.values[i] = 0
		}
	}
	return 2 * n, nil
}

func (w *shares) end() error {
	if w.shared == nil {
		return nil
	}
	w.shared = nil
	return w.all.leave()
}

// caches is a worker that tests a Cache, which may lose entries but must not return wrong ones. All
// workers use the same keys.
type caches struct {
	all    *common[*cache.Cache[string, string]]
	shared *cache.Cache[string, string]
}

const (
	cacheBytes = 2 << 20
	cacheKeys  = 60_000 // an entry takes about 120 bytes in all, so most entries do not fit
	leastEntry = 16     // size in bytes: a header, and a slot in the table
)

func (w *caches) round(r *rand.Rand) (n int, err error) {
	if w.shared == nil {
		if w.shared, err = w.all.enter(); err != nil {
			return 0, err
		}
	}
	n = r.IntN(2000)
	for range n {
		id := uint64(r.ExpFloat64() * cacheKeys / 8)
		v, ok := w.shared.Get(keyOf(id))
		if ok && !hasText(v, id) {
			return 0, damaged("entry", id, v)
		}
		switch {
		case oneIn(r, 16):
			w.shared.Delete(keyOf(id))
		case oneIn(r, 8):
			err = w.shared.SetTTL(keyOf(id), textIn(r, id), time.Millisecond)
		case !ok:
			err = w.shared.Set(keyOf(id), textIn(r, id))
		}
		if err != nil {
			return 0, err
		}
	}
	if s := w.shared.Stats(); s.Bytes > s.Bound || uint64(s.Len)*leastEntry > s.Bound {
		return 0, fmt.Errorf("the cache has %d bytes in %d entries, and may have %d", s.Bytes, s.Len, s.Bound)
	}
	if oneIn(r, 500) {
		w.shared.Clear()
	}
	return 2 * n, nil
}

// textIn returns a value of random length for an ID. hasText reports whether a value belongs to an
// ID.
func textIn(r *rand.Rand, id uint64) string {
	return strconv.FormatUint(id, 10) + "/" + textOf(id+26*r.Uint64N(1<<20))
}

func hasText(v string, id uint64) bool {
	head := strconv.FormatUint(id, 10) + "/"
	if len(v) < len(head) || v[:len(head)] != head {
		return false
	}
	for _, c := range []byte(v[len(head):]) {
		if c != 'a'+byte(id%26) {
			return false
		}
	}
	return true
}

func (w *caches) end() error {
	if w.shared == nil {
		return nil
	}
	w.shared = nil
	return w.all.leave()
}

// names is a worker that tests a Table of symbols with three goroutines, whose results must agree.
// Each worker has its own Table.
type names struct{ table *symbols.Table }

const mostNames = 30_000

func (w *names) round(r *rand.Rand) (int, error) {
	if w.table == nil || w.table.Len() > mostNames {
		if err := w.end(); err != nil {
			return 0, err
		}
		var err error
		if w.table, err = symbols.New(symbols.Options{Name: "soak of symbols"}); err != nil {
			return 0, err
		}
	}
	first, n := r.Uint64N(2*mostNames), r.IntN(1000)
	var got [3][]symbols.Symbol
	var all sync.WaitGroup
	for g := range got {
		all.Go(func() {
			for i := range n {
				got[g] = append(got[g], w.table.Intern(keyOf(first+uint64((i+g*n/3)%n))))
			}
		})
	}
	all.Wait()
	for i := range n {
		key := keyOf(first + uint64(i))
		known, ok := w.table.Lookup(key)
		for g := range got {
			if s := got[g][(i+n-g*n/3)%n]; s != known || !ok || w.table.String(s) != key {
				return 0, fmt.Errorf("%q has the symbols %d and %d, of which the first is %q", key, s, known, w.table.String(s))
			}
		}
	}
	if oneIn(r, 50) {
		w.table.Clear()
	}
	return 3 * n, nil
}

func (w *names) end() error {
	if w.table == nil {
		return nil
	}
	err := errors.Join(w.table.Verify(), w.table.Close())
	w.table = nil
	return err
}
