package btree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/btree"
)

// These benchmarks compare Map with Go's map and, where order matters, with a sorted slice of the
// map's keys. The benchmarks in workloads/index compare it with other libraries.

// mixed returns n pseudo-random numbers, the same in every run.
func mixed(n int) []uint64 {
	keys := make([]uint64, n)
	x := uint64(1)
	for i := range keys {
		x = x*6364136223846793005 + 1442695040888963407
		keys[i] = x ^ x>>29
	}
	return keys
}

func named(n int) []string {
	keys := make([]string, n)
	for i, k := range mixed(n) {
		keys[i] = fmt.Sprintf("https://example.org/%x", k>>20)
	}
	return keys
}

func BenchmarkMap(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		b.Run(fmt.Sprintf("key=uint64/n=%d", n), func(b *testing.B) { benchmark(b, mixed(n)) })
		b.Run(fmt.Sprintf("key=string/n=%d", n), func(b *testing.B) { benchmark(b, named(n)) })
	}
}

func benchmark[K string | uint64](b *testing.B, keys []K) {
	m := btree.Must(btree.New[K, uint64](btree.Options{}))
	defer m.Close()
	goMap := map[K]uint64{}
	for i, k := range keys {
		m.Set(k, uint64(i))
		goMap[k] = uint64(i)
	}
	sorted := slices.Sorted(slices.Values(keys))
	each := func(name string, f func(k K)) {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				f(keys[i])
				if i += 7919; i >= len(keys) {
					i -= len(keys)
				}
			}
		})
	}
	each("op=get/map=btree", func(k K) { m.Get(k) })
	each("op=get/map=go", func(k K) { _ = goMap[k] })
	each("op=set/map=btree", func(k K) { m.Set(k, 1) })
	each("op=set/map=go", func(k K) { goMap[k] = 1 })
	each("op=churn/map=btree", func(k K) { m.Delete(k); m.Set(k, 1) })
	each("op=churn/map=go", func(k K) { delete(goMap, k); goMap[k] = 1 })
	each("op=range100/map=btree", func(k K) {
		n := 0
		for range m.Ascend(k) {
			if n++; n == 100 {
				break
			}
		}
	})
	each("op=range100/map=sorted-slice", func(k K) {
		i, _ := slices.BinarySearch(sorted, k)
		sum := uint64(0)
		for _, k := range sorted[i:min(i+100, len(sorted))] {
			sum += goMap[k]
		}
	})
	b.Run("op=snapshot", func(b *testing.B) {
		for b.Loop() {
			m.Snapshot().Close()
		}
	})
	b.Run("op=load", func(b *testing.B) {
		for b.Loop() {
			fresh := btree.Must(btree.New[K, uint64](btree.Options{}))
			if err := fresh.AppendSorted(m.All()); err != nil {
				b.Fatal(err)
			}
			fresh.Close()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/entry")
	})
}
