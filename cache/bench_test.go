package cache_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cache"
)

// These benchmarks compare a Cache with a map that is protected by a lock and never evicts.
// Comparisons with other libraries are in workloads/caches/peers.

// A rival is an implementation that takes part in the comparison.
type rival struct {
	name  string
	get   func(uint64) (uint64, bool)
	set   func(uint64, uint64)
	close func()
}

func rivals(b *testing.B, entries int) []func() rival {
	return []func() rival{
		func() rival {
			c, err := cache.New[uint64, uint64](cache.Options{MaxBytes: int64(entries)*60 + 1<<20})
			if err != nil {
				b.Fatal(err)
			}
			return rival{"Cache", c.Get, func(k, v uint64) { _ = c.Set(k, v) }, func() { c.Close() }}
		},
		func() rival {
			var mu sync.RWMutex
			m := map[uint64]uint64{}
			return rival{"map",
				func(k uint64) (uint64, bool) {
					mu.RLock()
					defer mu.RUnlock()
					v, ok := m[k]
					return v, ok
				},
				func(k, v uint64) {
					mu.Lock()
					defer mu.Unlock()
					m[k] = v
				},
				func() { m = nil },
			}
		},
	}
}

func filled(r rival, n int) rival {
	for i := range n {
		r.set(uint64(i), uint64(i))
	}
	return r
}

// keys returns a sequence of 1<<20 keys with Zipf-distributed popularity. The parameter of is the
// number of distinct keys to draw from.
func keys(of int) []uint64 {
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.01, 1, uint64(of-1))
	all := make([]uint64, 1<<20)
	for i := range all {
		all[i] = z.Uint64() * 0x9e3779b97f4a7c15
	}
	return all
}

func sizes() []int {
	if testing.Short() {
		return []int{10_000}
	}
	return []int{10_000, 1_000_000}
}

// BenchmarkThere measures Get and Set of existing keys in a single goroutine.
func BenchmarkThere(b *testing.B) {
	for _, n := range sizes() {
		for _, open := range rivals(b, n) {
			r := filled(open(), n)
			each := func(op string, f func(uint64)) {
				b.Run(fmt.Sprintf("n=%d/op=%s/in=%s", n, op, r.name), func(b *testing.B) {
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						f(uint64(i))
						if i += 7919; i >= n {
							i -= n
						}
					}
				})
			}
			each("get", func(k uint64) { r.get(k) })
			each("set", func(k uint64) { r.set(k, k) })
			r.close()
		}
	}
}

// BenchmarkZipf measures concurrent requests for keys with Zipf-distributed popularity. A goroutine
// that misses a key sets it. The cache has room for a tenth of the keys.
func BenchmarkZipf(b *testing.B) {
	const of = 1_000_000
	all := keys(of)
	for _, open := range rivals(b, of/10) {
		r := open()
		b.Run(fmt.Sprintf("in=%s", r.name), func(b *testing.B) {
			var seed sync.Mutex
			start := 0
			b.RunParallel(func(pb *testing.PB) {
				seed.Lock()
				i := start
				start += len(all) / 7
				seed.Unlock()
				for pb.Next() {
					k := all[i%len(all)]
					if _, ok := r.get(k); !ok {
						r.set(k, k)
					}
					i++
				}
			})
		})
		r.close()
	}
}

// BenchmarkAppendGet measures AppendGet with a buffer that is reused.
func BenchmarkAppendGet(b *testing.B) {
	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 16 << 20}))
	defer c.Close()
	name := make([]string, 10_000)
	for i := range name {
		name[i] = fmt.Sprintf("https://example.org/%x", i*7919)
		_ = c.Set(name[i], make([]byte, 200))
	}
	var room []byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		room, _ = cache.AppendGet(c, room[:0], name[i%len(name)])
		i++
	}
}

// BenchmarkEvict sets only new keys, so that every Set evicts an entry once the cache is full.
func BenchmarkEvict(b *testing.B) {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 16 << 20}))
	defer c.Close()
	k := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		k++
		_ = c.Set(k, k)
	}
}

// BenchmarkCollection measures a garbage collection while n entries are live.
func BenchmarkCollection(b *testing.B) {
	for _, n := range sizes() {
		for _, open := range rivals(b, n) {
			r := filled(open(), n)
			runtime.GC()
			b.Run(fmt.Sprintf("n=%d/in=%s", n, r.name), func(b *testing.B) {
				for b.Loop() {
					runtime.GC()
				}
			})
			r.close()
		}
	}
}

// BenchmarkTimed measures Get of an entry with a time to live, which reads the clock.
func BenchmarkTimed(b *testing.B) {
	c, err := cache.New[uint64, uint64](cache.Options{MaxBytes: 16 << 20, TTL: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	_ = c.Set(1, 1)
	for b.Loop() {
		c.Get(1)
	}
}
