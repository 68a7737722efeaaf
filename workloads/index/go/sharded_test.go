package main

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/coppice-go/coppice/hashmap"
)

// A shared describes a map for concurrent use. open makes a map and returns its operations.
type shared[K comparable] struct {
	name string
	open func() (get func(K) (uint64, bool), set func(K, uint64), remove func(K), end func() error)
}

// sharedMaps returns hashmap.Sharded and the maps with which it is compared.
func sharedMaps[K comparable]() []shared[K] {
	return []shared[K]{
		{"sharded", func() (func(K) (uint64, bool), func(K, uint64), func(K), func() error) {
			m := hashmap.Must(hashmap.NewSharded[K, uint64](hashmap.Options{}))
			return m.Get, m.Set, func(k K) { m.Delete(k) }, m.Close
		}},
		{"xsync", func() (func(K) (uint64, bool), func(K, uint64), func(K), func() error) {
			m := xsync.NewMap[K, uint64]()
			return m.Load, m.Store, m.Delete, nothing
		}},
		{"rwmutex", func() (func(K) (uint64, bool), func(K, uint64), func(K), func() error) {
			var mu sync.RWMutex
			m := map[K]uint64{}
			get := func(k K) (uint64, bool) { mu.RLock(); v, ok := m[k]; mu.RUnlock(); return v, ok }
			set := func(k K, v uint64) { mu.Lock(); m[k] = v; mu.Unlock() }
			return get, set, func(k K) { mu.Lock(); delete(m, k); mu.Unlock() }, nothing
		}},
		{"syncmap", func() (func(K) (uint64, bool), func(K, uint64), func(K), func() error) {
			var m sync.Map
			get := func(k K) (uint64, bool) {
				v, ok := m.Load(k)
				if !ok {
					return 0, false
				}
				return v.(uint64), true
			}
			return get, func(k K, v uint64) { m.Store(k, v) }, func(k K) { m.Delete(k) }, nothing
		}},
	}
}

// A callMix is a mix of calls, in percent: sets is the share of Sets of keys that are always
// present, and turn is the share of calls that set or delete, with equal probability, keys that
// come and go. All other calls are Gets.
type callMix struct {
	name       string
	sets, turn uint64
}

var mixes = []callMix{{"get", 0, 0}, {"90-10", 10, 0}, {"mixed", 25, 25}}

// callAll performs calls of the given mix until next returns false. The first half of the keys is
// always present, and the other half comes and goes.
func callAll[K comparable](next func() bool, m callMix, seed uint64, keys []K, get func(K) (uint64, bool), set func(K, uint64), remove func(K)) {
	r := seed * 0x9e3779b97f4a7c15
	half := uint64(len(keys) / 2)
	for next() {
		r = r*6364136223846793005 + 1442695040888963407
		at, dice := (r>>32)*half>>32, r>>16&0xffff*100>>16
		switch {
		case dice < m.sets:
			set(keys[at], r)
		case dice < m.sets+m.turn:
			if r>>15&1 == 0 {
				set(keys[half+at], r)
			} else {
				remove(keys[half+at])
			}
		default:
			get(keys[at])
		}
	}
}

func benchShared[K comparable](b *testing.B, name string, key func(uint64) K) {
	for _, n := range []int{1000, 1_000_000} {
		keys, asked := make([]K, 2*n), make([]K, 2*n)
		for i := range keys {
			keys[i], asked[i] = key(uint64(i)*0x9e3779b97f4a7c15), key(uint64(i)*0x9e3779b97f4a7c15)
		}
		for _, mix := range mixes {
			for _, c := range sharedMaps[K]() {
				b.Run(fmt.Sprintf("%s/%d/%s/%s", name, n, mix.name, c.name), func(b *testing.B) {
					get, set, remove, end := c.open()
					for i, k := range keys {
						if i < n || i%2 == 0 {
							set(k, 1)
						}
					}
					var seeds atomic.Uint64
					b.ResetTimer()
					b.RunParallel(func(pb *testing.PB) { callAll(pb.Next, mix, seeds.Add(1), asked, get, set, remove) })
					b.StopTimer()
					if err := end(); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// BenchmarkSharded compares maps for concurrent use. The strings that are looked up are copies of
// those in the map, as in a program that has read them from elsewhere. A map that is given its own
// string again would only compare pointers. n keys are always present, and n more come and go. The
// flag -cpu sets the number of processors.
func BenchmarkSharded(b *testing.B) {
	benchShared(b, "uint64", func(i uint64) uint64 { return i })
	benchShared(b, "string", func(i uint64) string { return "key/" + strconv.FormatUint(i, 36) })
}

// TestSharedMaps verifies that the same calls leave the same entries in all compared maps.
func TestSharedMaps(t *testing.T) {
	keys := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, m := range mixes {
		var want string
		for i, c := range sharedMaps[uint64]() {
			get, set, remove, end := c.open()
			left := 1000
			callAll(func() bool { left--; return left >= 0 }, m, 1, keys, get, set, remove)
			var got string
			for _, k := range keys {
				v, ok := get(k)
				got += fmt.Sprint(k, v, ok, "\n")
			}
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: %s has\n%s, and %s\n%s", m.name, c.name, got, sharedMaps[uint64]()[0].name, want)
			}
			if err := end(); err != nil {
				t.Error(err)
			}
		}
	}
}
