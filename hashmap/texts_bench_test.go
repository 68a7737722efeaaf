package hashmap

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkTexts compares a Texts with Go's map to strings. Get looks up a value and copies it, and
// View does not copy. SetSame sets values that all have the same length, and SetOther values of
// different lengths. Collect runs the garbage collector while only the map is live, and reports the
// number of bytes per entry. Only the map refers to the keys and values.
func BenchmarkTexts(b *testing.B) {
	benchTexts(b, "uint64", func(i uint64) uint64 { return i })
	benchTexts(b, "string", func(i uint64) string { return "key/" + strconv.FormatUint(i, 36) })
}

// A textsContender is a map with string values, given by its operations.
type textsContender[K comparable] struct {
	name      string
	get       func(K) (string, bool)
	view      func(K) int
	set       func(K, string)
	committed func() uint64
	close     func() error
}

func textsContenders[K comparable]() []func() textsContender[K] {
	none := func() uint64 { return 0 }
	return []func() textsContender[K]{
		func() textsContender[K] {
			m := map[K]string{}
			get := func(k K) (string, bool) { v, ok := m[k]; return v, ok }
			return textsContender[K]{"go", get, func(k K) int { return len(m[k]) }, func(k K, v string) { m[k] = v }, none, func() error { m = nil; return nil }}
		},
		func() textsContender[K] {
			m := Must(NewTexts[K, string](Options{}))
			view := func(k K) (n int) {
				m.View(k, func(b []byte) { n = len(b) })
				return n
			}
			return textsContender[K]{"coppice", m.Get, view, m.Set, func() uint64 { return m.Stats().Committed }, m.Close}
		},
	}
}

// textOfLength returns a new string. Its length, 20 to 59 bytes, depends on i.
func textOfLength(i uint64) string { return strings.Repeat("v", int(20+i%40)) }

func benchTexts[K comparable](b *testing.B, name string, key func(uint64) K) {
	for _, n := range counts(b) {
		_, asked := benchKeys(n, key)
		for _, open := range textsContenders[K]() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c := open()
			for i := range uint64(n) {
				c.set(key(i*0x9e3779b97f4a7c15), textOfLength(i))
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			bytes := float64(after.HeapAlloc) - float64(before.HeapAlloc) + float64(c.committed())
			each := func(what string, f func(i int, k K)) {
				b.Run(fmt.Sprintf("%s/%s/%d/%s", what, name, n, c.name), func(b *testing.B) {
					i := 0
					for b.Loop() {
						f(i, asked[i])
						if i++; i == n {
							i = 0
						}
					}
				})
			}
			b.Run(fmt.Sprintf("Collect/%s/%d/%s", name, n, c.name), func(b *testing.B) {
				for b.Loop() {
					runtime.GC()
				}
				b.ReportMetric(bytes/float64(n), "B/entry")
			})
			each("Get", func(_ int, k K) {
				if v, ok := c.get(k); !ok || v == "" {
					b.Fatal("a key is missing")
				}
			})
			each("View", func(_ int, k K) {
				if c.view(k) == 0 {
					b.Fatal("a key is missing")
				}
			})
			values := [8]string{}
			for i := range values {
				values[i] = textOfLength(uint64(5 * i))
			}
			each("SetOther", func(i int, k K) { c.set(k, values[i%8]) })
			each("SetSame", func(_ int, k K) { c.set(k, values[0]) })
			if err := c.close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
