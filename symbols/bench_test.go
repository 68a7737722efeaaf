package symbols_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"

	"github.com/coppice-go/coppice/symbols"
)

// guarded is the implementation that programs usually have: a map and a slice protected by one
// lock.
type guarded struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	texts   []string
}

func (g *guarded) intern(text string) uint32 {
	g.mu.RLock()
	n, ok := g.numbers[text]
	g.mu.RUnlock()
	if ok {
		return n
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n, ok := g.numbers[text]; ok {
		return n
	}
	g.texts = append(g.texts, text)
	n = uint32(len(g.texts))
	g.numbers[text] = n
	return n
}

func (g *guarded) text(n uint32) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.texts[n-1]
}

// shared is an implementation with a sync.Map and a slice.
type shared struct {
	numbers sync.Map
	mu      sync.Mutex
	texts   []string
}

func (s *shared) intern(text string) uint32 {
	if n, ok := s.numbers.Load(text); ok {
		return n.(uint32)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.numbers.Load(text); ok {
		return n.(uint32)
	}
	s.texts = append(s.texts, text)
	n := uint32(len(s.texts))
	s.numbers.Store(text, n)
	return n
}

// An interner is one of the compared implementations. open returns an empty instance. If unique is
// set, the implementation has handles instead of numbers, so text is nil.
type interner struct {
	name   string
	open   func() (intern func(string) uint32, text func(uint32) string, close func())
	unique bool
}

var interners = []interner{
	{name: "Table", open: func() (func(string) uint32, func(uint32) string, func()) {
		t := symbols.Must(symbols.New(symbols.Options{}))
		return func(s string) uint32 { return uint32(t.Intern(s)) }, func(n uint32) string { return t.String(symbols.Symbol(n)) }, func() { t.Close() }
	}},
	{name: "map+RWMutex", open: func() (func(string) uint32, func(uint32) string, func()) {
		g := &guarded{numbers: map[string]uint32{}}
		return g.intern, g.text, func() { runtime.KeepAlive(g) }
	}},
	{name: "sync.Map", open: func() (func(string) uint32, func(uint32) string, func()) {
		s := &shared{}
		return s.intern, func(n uint32) string { return s.texts[n-1] }, func() { runtime.KeepAlive(s) }
	}},
	{name: "unique", unique: true, open: func() (func(string) uint32, func(uint32) string, func()) {
		var kept []unique.Handle[string]
		return func(s string) uint32 { kept = append(kept, unique.Make(s)); return 0 }, nil, func() { runtime.KeepAlive(kept) }
	}},
}

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("identifier_%06x", uint64(i)*0x9e3779b97f4a7c15>>40)[:10+i%8] + fmt.Sprint(i)
	}
	return all
}

// queries returns copies of the strings in random order. Copies are necessary because a map that
// compares a string with itself does not read its bytes.
func queries(texts []string) []string {
	all := make([]string, len(texts))
	for i, at := range rand.New(rand.NewPCG(1, 1)).Perm(len(texts)) {
		all[i] = strings.Clone(texts[at])
	}
	return all
}

const (
	few  = 10_000
	many = 1_000_000
)

func sizes() []int {
	if testing.Short() {
		return []int{few}
	}
	return []int{few, many}
}

// BenchmarkNew interns new strings in an empty table.
func BenchmarkNew(b *testing.B) {
	for _, n := range sizes() {
		texts := names(n)
		for _, in := range interners {
			b.Run(fmt.Sprintf("n=%d/with=%s", n, in.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					intern, _, close := in.open()
					for _, s := range texts {
						intern(s)
					}
					close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/text")
			})
		}
	}
}

// BenchmarkThere interns copies of existing strings in random order, both in one goroutine and in a
// goroutine per processor.
func BenchmarkThere(b *testing.B) {
	for _, n := range sizes() {
		texts := names(n)
		asked := queries(texts)
		for _, in := range interners {
			if in.unique {
				continue // measured below, without the slice that collects its handles
			}
			intern, _, close := in.open()
			for _, s := range texts {
				intern(s)
			}
			b.Run(fmt.Sprintf("n=%d/goroutines=1/with=%s", n, in.name), func(b *testing.B) {
				i := 0
				for b.Loop() {
					if i++; i == n {
						i = 0
					}
					intern(asked[i])
				}
			})
			b.Run(fmt.Sprintf("n=%d/goroutines=all/with=%s", n, in.name), func(b *testing.B) {
				var started atomic.Int64
				b.RunParallel(func(pb *testing.PB) {
					i := int(started.Add(1)) * 7919 % n // each goroutine starts elsewhere
					for pb.Next() {
						if i++; i == n {
							i = 0
						}
						intern(asked[i])
					}
				})
			})
			close()
		}
		b.Run(fmt.Sprintf("n=%d/goroutines=1/with=unique", n), func(b *testing.B) {
			kept := make([]unique.Handle[string], n)
			for i, s := range texts {
				kept[i] = unique.Make(s)
			}
			i := 0
			for b.Loop() {
				if i++; i == n {
					i = 0
				}
				_ = unique.Make(asked[i])
			}
			runtime.KeepAlive(kept)
		})
	}
}

// BenchmarkString looks up the strings of random numbers.
func BenchmarkString(b *testing.B) {
	for _, n := range sizes() {
		texts := names(n)
		order := rand.New(rand.NewPCG(1, 1)).Perm(n)
		for _, in := range interners {
			if in.unique {
				continue
			}
			intern, text, close := in.open()
			for _, s := range texts {
				intern(s)
			}
			b.Run(fmt.Sprintf("n=%d/with=%s", n, in.name), func(b *testing.B) {
				i, sum := 0, 0
				for b.Loop() {
					if i++; i == n {
						i = 0
					}
					sum += len(text(uint32(order[i] + 1)))
				}
			})
			close()
		}
	}
}

// BenchmarkCollection measures a forced garbage collection with live symbols, and the heap memory
// per symbol.
func BenchmarkCollection(b *testing.B) {
	for _, n := range sizes() {
		for _, in := range interners {
			if in.unique {
				continue
			}
			b.Run(fmt.Sprintf("n=%d/with=%s", n, in.name), func(b *testing.B) {
				intern, _, close := in.open()
				for i := range n {
					intern(fmt.Sprintf("identifier_%d", i)) // only the table keeps the string alive
				}
				runtime.GC()
				start := time.Now()
				rounds := 0
				for b.Loop() {
					runtime.GC()
					rounds++
				}
				b.ReportMetric(float64(time.Since(start).Microseconds())/float64(rounds), "µs/collection")
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/float64(n), "heap-B/text")
				close()
			})
		}
	}
}

// BenchmarkOpenFile opens a saved table, with and without verification.
func BenchmarkOpenFile(b *testing.B) {
	for _, n := range sizes() {
		t := symbols.Must(symbols.New(symbols.Options{}))
		for i := range n {
			t.Intern(fmt.Sprintf("identifier_%d", i))
		}
		path := filepath.Join(b.TempDir(), "table")
		if err := t.Save(path); err != nil {
			b.Skip(err)
		}
		t.Close()
		for _, verify := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/verify=%t", n, verify), func(b *testing.B) {
				for b.Loop() {
					t, err := symbols.OpenFile(path, symbols.Options{Verify: verify})
					if err != nil {
						b.Fatal(err)
					}
					t.Close()
				}
			})
		}
	}
}
