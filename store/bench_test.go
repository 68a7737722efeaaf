package store_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

func benchStore[T any](b *testing.B, o store.Options) *store.Store[T] {
	s, err := store.New[T](o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// BenchmarkOp measures the operations that store a record, in a store that fits in the processor
// cache.
func BenchmarkOp(b *testing.B) {
	const records = 10_000
	s := benchStore[node](b, store.Options{})
	b.Run("op=Alloc", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Reset()
			for range records {
				s.Alloc(node{1, 2})
			}
		}
		perRecord(b, records)
	})
	b.Run("op=New", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Reset()
			for range records {
				_, n := s.New()
				n.left = 1
			}
		}
		perRecord(b, records)
	})
	b.Run("op=Make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Reset()
			_, made := s.Make(records)
			for i := range made {
				made[i] = node{1, 2}
			}
		}
		perRecord(b, records)
	})
}

// BenchmarkRead measures reads of a record, and a Delete followed by an Alloc, in a store that fits
// in the processor cache.
func BenchmarkRead(b *testing.B) {
	const records = 10_000
	s := benchStore[node](b, store.Options{})
	s.Make(records)
	b.Run("op=At", func(b *testing.B) {
		b.ReportAllocs()
		sum := store.Ref[node](0)
		for b.Loop() {
			for r := range store.Ref[node](records) {
				sum += s.At(r + 1).left
			}
		}
		perRecord(b, records)
	})
	b.Run("op=Slice", func(b *testing.B) {
		b.ReportAllocs()
		sum := store.Ref[node](0)
		for b.Loop() {
			all := s.Slice()
			for r := range store.Ref[node](records) {
				sum += all[r+1].left
			}
		}
		perRecord(b, records)
	})
	b.Run("op=DelPut", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for r := range store.Ref[node](records) {
				s.Delete(r + 1)
			}
			for range records {
				s.Alloc(node{})
			}
		}
		perRecord(b, records)
	})
	h, err := store.NewHandles[node](store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	handle := h.Alloc(node{})
	b.Run("op=Get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range records {
				if _, ok := h.Get(handle); !ok {
					b.Fatal("lost")
				}
			}
		}
		perRecord(b, records)
	})
}

func perRecord(b *testing.B, records int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
}

// pointers and refs are 64-byte records with two links.
type pointers struct {
	a, b *pointers
	_    [48]byte
}

type refs struct {
	a, b store.Ref[refs]
	_    [56]byte
}

// BenchmarkCollect measures one forced collection while the given number of linked 64-byte records
// is live. It reports the CPU time of the whole process.
func BenchmarkCollect(b *testing.B) {
	for _, live := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("alloc=naive/live=%d", live), func(b *testing.B) {
			all := make([]*pointers, live)
			for i := range all {
				all[i] = new(pointers)
			}
			link(all)
			collect(b)
			runtime.KeepAlive(all)
		})
		b.Run(fmt.Sprintf("alloc=slab/live=%d", live), func(b *testing.B) {
			var s slab.Slab[pointers]
			all := make([]*pointers, live)
			for i := range all {
				all[i] = s.New()
			}
			link(all)
			collect(b)
			runtime.KeepAlive(all)
			runtime.KeepAlive(&s)
		})
		b.Run(fmt.Sprintf("alloc=store/live=%d", live), func(b *testing.B) {
			s := benchStore[refs](b, store.Options{})
			_, all := s.Make(live)
			for i := range all {
				all[i].a, all[i].b = store.Ref[refs](i*7919%live+1), store.Ref[refs](i*104729%live+1)
			}
			collect(b)
		})
	}
}

func link(all []*pointers) {
	for i, p := range all {
		p.a, p.b = all[i*7919%len(all)], all[i*104729%len(all)]
	}
}

func collect(b *testing.B) {
	debug.FreeOSMemory() // sweep the garbage of earlier benchmarks before the measurement
	before, err := machine.OwnUsage()
	if err != nil {
		b.Skip(err)
	}
	n := 0
	for b.Loop() {
		runtime.GC()
		n++
	}
	after, err := machine.OwnUsage()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((after.CPU()-before.CPU()).Nanoseconds())/float64(n), "cpu-ns/GC")
}

// record12 is a 12-byte record, such as a small node or an edge.
type record12 struct{ a, b, c uint32 }

// BenchmarkBulkLoad fills a new store with 100 million 12-byte records, and closes it. All of its
// memory is fresh.
func BenchmarkBulkLoad(b *testing.B) {
	const records, block = 100_000_000, 10_000
	for _, huge := range []struct {
		name string
		mode store.HugePages
	}{{"off", store.HugePagesOff}, {"on", store.HugePagesOn}} {
		for _, way := range []string{"Alloc", "Make"} {
			b.Run(fmt.Sprintf("huge=%s/way=%s", huge.name, way), func(b *testing.B) {
				for b.Loop() {
					s, err := store.New[record12](store.Options{Max: records, HugePages: huge.mode})
					if err != nil {
						b.Fatal(err)
					}
					if way == "Alloc" {
						for i := range uint32(records) {
							s.Alloc(record12{i, i, i})
						}
					} else {
						for range records / block {
							first, made := s.Make(block)
							for i := range made {
								n := uint32(first) + uint32(i)
								made[i] = record12{n, n, n}
							}
						}
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
				perRecord(b, records)
			})
		}
	}
}

// BenchmarkWriter stores 16-byte records in one warm store, from one goroutine and from as many as
// there are processors. It reports wall time.
func BenchmarkWriter(b *testing.B) {
	const records = 4_000_000
	for _, goroutines := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			s := benchStore[[2]int64](b, store.Options{})
			s.Make(records)
			for b.Loop() {
				s.Reset()
				var wg sync.WaitGroup
				for range goroutines {
					wg.Go(func() {
						w := s.Writer()
						defer w.Close()
						for i := range int64(records / goroutines) {
							w.Alloc([2]int64{i, i})
						}
					})
				}
				wg.Wait()
			}
			perRecord(b, records)
		})
	}
}

// BenchmarkClone copies a store of a million 64-byte records and, for comparison, a linked list of
// as many records, both to fresh memory.
func BenchmarkClone(b *testing.B) {
	const records = 1_000_000
	b.Run("alloc=store", func(b *testing.B) {
		s := benchStore[refs](b, store.Options{})
		s.Make(records)
		for b.Loop() {
			clone, err := s.Clone()
			if err != nil {
				b.Fatal(err)
			}
			if err := clone.Close(); err != nil {
				b.Fatal(err)
			}
		}
		perRecord(b, records)
	})
	b.Run("alloc=naive", func(b *testing.B) {
		var list *pointers
		for range records {
			list = &pointers{a: list}
		}
		for b.Loop() {
			var clone *pointers
			for p := list; p != nil; p = p.a {
				c := *p
				c.a = clone
				clone = &c
			}
		}
		perRecord(b, records)
	})
}

// BenchmarkOpen opens a store with default options, stores one record and closes it, as each test
// of a program may do. With -race, the race detector tracks the memory of the store.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := store.New[node](store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Alloc(node{})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
