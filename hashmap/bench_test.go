package hashmap

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// counts returns the map sizes for the benchmarks. The environment variable COPPICE_ENTRIES
// overrides them with a comma-separated list, such as 10000000.
func counts(b *testing.B) []int {
	list := os.Getenv("COPPICE_ENTRIES")
	if list == "" {
		return []int{10_000, 1_000_000}
	}
	var all []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			b.Fatalf("COPPICE_ENTRIES: %q is no count", s)
		}
		all = append(all, n)
	}
	return all
}

// A contender is a map implementation. Its function make creates an empty map and returns the
// operations on it.
type contender[K comparable] struct {
	name string
	make func(n int) (get func(K) (uint64, bool), set func(K, uint64), remove func(K), end func())
}

func contenders[K comparable]() []contender[K] {
	return []contender[K]{
		{"go", func(int) (func(K) (uint64, bool), func(K, uint64), func(K), func()) {
			m := map[K]uint64{}
			get := func(k K) (uint64, bool) { v, ok := m[k]; return v, ok }
			return get, func(k K, v uint64) { m[k] = v }, func(k K) { delete(m, k) }, func() {}
		}},
		{"coppice", func(int) (func(K) (uint64, bool), func(K, uint64), func(K), func()) {
			m := Must(New[K, uint64](Options{}))
			return m.Get, m.Set, func(k K) { m.Delete(k) }, func() { m.Close() }
		}},
	}
}

// benchKeys returns n keys to set, and n of them, chosen at random, to look up. The strings in
// asked are copies, because a program that looks up a key has usually read it elsewhere.
func benchKeys[K comparable](n int, key func(uint64) K) (keys, asked []K) {
	r := uint64(1)
	for i := range n {
		keys = append(keys, key(uint64(i)*0x9e3779b97f4a7c15))
	}
	for range n {
		r = r*6364136223846793005 + 1442695040888963407
		asked = append(asked, key((r>>33)%uint64(n)*0x9e3779b97f4a7c15))
	}
	return keys, asked
}

func benchMap[K comparable](b *testing.B, name string, key func(uint64) K) {
	for _, n := range counts(b) {
		keys, asked := benchKeys(n, key)
		for _, c := range contenders[K]() {
			get, set, remove, end := c.make(n)
			for i, k := range keys {
				set(k, uint64(i))
			}
			run := func(what string, f func(i int)) {
				b.Run(fmt.Sprintf("%s/%s/%d/%s", what, name, n, c.name), func(b *testing.B) {
					i := 0
					for b.Loop() {
						f(i)
						if i++; i == n {
							i = 0
						}
					}
				})
			}
			run("Get", func(i int) {
				if _, ok := get(asked[i]); !ok {
					b.Fatal("a key is missing")
				}
			})
			run("Set", func(i int) { set(asked[i], 1) })
			run("Churn", func(i int) { remove(asked[i]); set(asked[i], 2) })
			end()
			b.Run(fmt.Sprintf("Fill/%s/%d/%s", name, n, c.name), func(b *testing.B) {
				for b.Loop() {
					_, set, _, end := c.make(n)
					for _, k := range keys {
						set(k, 1)
					}
					end()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
			})
		}
	}
}

// BenchmarkMap compares a Map with Go's map. Get looks up a key, Set changes the value of an
// existing key, Churn deletes a key and sets it again, and Fill sets all keys of a new map.
func BenchmarkMap(b *testing.B) {
	benchMap(b, "uint64", func(i uint64) uint64 { return i })
	benchMap(b, "string", func(i uint64) string { return "key/" + strconv.FormatUint(i, 36) })
}

// BenchmarkIndexed compares an Indexed with Go's map. The values are pointers to 64 bytes without
// pointers. Get looks up a key, Set changes the value of an existing key, and Collect runs the
// garbage collector while only the map is live.
func BenchmarkIndexed(b *testing.B) {
	benchIndexed(b, "uint64", func(i uint64) uint64 { return i })
	benchIndexed(b, "string", func(i uint64) string { return "key/" + strconv.FormatUint(i, 36) })
}

type pointed [8]uint64

func benchIndexed[K comparable](b *testing.B, name string, key func(uint64) K) {
	for _, n := range counts(b) {
		usual, m := map[K]*pointed{}, Must(NewIndexed[K, *pointed](Options{}))
		run := func(kind string, get func(K) (*pointed, bool), set func(K, *pointed)) {
			b.Run(fmt.Sprintf("Collect/%s/%d/%s", name, n, kind), func(b *testing.B) {
				for i := range uint64(n) { // keys that only the map refers to
					set(key(i*0x9e3779b97f4a7c15), new(pointed))
				}
				runtime.GC()
				for b.Loop() {
					runtime.GC()
				}
			})
			_, asked := benchKeys(n, key)
			each := func(what string, f func(K)) {
				b.Run(fmt.Sprintf("%s/%s/%d/%s", what, name, n, kind), func(b *testing.B) {
					i := 0
					for b.Loop() {
						f(asked[i])
						if i++; i == n {
							i = 0
						}
					}
				})
			}
			each("Get", func(k K) {
				if v, ok := get(k); !ok || v == nil {
					b.Fatal("a key is missing")
				}
			})
			v := new(pointed)
			each("Set", func(k K) { set(k, v) })
		}
		run("go", func(k K) (*pointed, bool) { v, ok := usual[k]; return v, ok }, func(k K, v *pointed) { usual[k] = v })
		usual = nil
		run("coppice", m.Get, m.Set)
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHugePages measures the effect of Options.HugePages on a look-up and on the longest Set
// while the map is filled.
func BenchmarkHugePages(b *testing.B) {
	for _, n := range counts(b) {
		keys, asked := benchKeys(n, func(i uint64) uint64 { return i })
		for name, huge := range map[string]HugePages{"auto": HugePagesAuto, "off": HugePagesOff} {
			m, err := New[uint64, uint64](Options{HugePages: huge})
			if err != nil {
				b.Fatal(err)
			}
			longest := time.Duration(0)
			for i, k := range keys {
				start := time.Now()
				m.Set(k, uint64(i))
				longest = max(longest, time.Since(start))
			}
			b.Run(fmt.Sprintf("n=%d/huge=%s", n, name), func(b *testing.B) {
				i := 0
				for b.Loop() {
					if _, ok := m.Get(asked[i]); !ok {
						b.Fatal("a key is missing")
					}
					if i++; i == n {
						i = 0
					}
				}
				b.ReportMetric(float64(longest.Microseconds()), "us-longest-set")
			})
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
