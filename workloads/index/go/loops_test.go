package main

import (
	"testing"

	google "github.com/google/btree"
	tidwall "github.com/tidwall/btree"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/hashmap"
)

// loopEntries is the number of entries in the maps of BenchmarkLoops.
const loopEntries = 100_000

// loopSum is the variable to which the loops add, so that the compiler does not eliminate them.
var loopSum uint64

// BenchmarkLoops compares loops over all entries with those of rival maps, in one run, in ns per
// entry. The keys are inserted in random order into the sorted maps, so that the leaves are as full
// as in practice.
func BenchmarkLoops(b *testing.B) {
	each := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/loopEntries, "ns/entry")
		})
	}
	loopTrees(each)
	loopHashes(each)
}

func loopTrees(each func(string, func())) {
	tree, rival := btree.Must(btree.New[uint64, uint64](btree.Options{})), tidwall.Map[uint64, uint64]{}
	defer tree.Close()
	other := google.NewG(32, func(a, b pair) bool { return a.k < b.k })
	for i := range loopEntries {
		tree.Set(number(i), uint64(i))
		rival.Set(number(i), uint64(i))
		other.ReplaceOrInsert(pair{number(i), uint64(i)})
	}
	least, half := uint64(0), uint64(1)<<63
	each("keys=uint64/loop=all/map=btree", func() {
		for k, v := range tree.All() {
			loopSum += k + v
		}
	})
	each("keys=uint64/loop=all/map=tidwall", func() {
		rival.Scan(func(k, v uint64) bool { loopSum += k + v; return true })
	})
	each("keys=uint64/loop=all/map=google", func() {
		other.Ascend(func(p pair) bool { loopSum += p.k + p.v; return true })
	})
	each("keys=uint64/loop=ascend/map=btree", func() {
		for k, v := range tree.Ascend(least) {
			loopSum += k + v
		}
	})
	each("keys=uint64/loop=ascend/map=tidwall", func() {
		rival.Ascend(least, func(k, v uint64) bool { loopSum += k + v; return true })
	})
	each("keys=uint64/loop=range/map=btree", func() { // half of the entries
		for k, v := range tree.Range(least, half) {
			loopSum += k + v
		}
	})
	each("keys=uint64/loop=range/map=tidwall", func() {
		rival.Ascend(least, func(k, v uint64) bool { loopSum += k + v; return k < half })
	})
	each("keys=uint64/loop=range/map=google", func() {
		other.AscendRange(pair{k: least}, pair{k: half}, func(p pair) bool { loopSum += p.k + p.v; return true })
	})
	each("keys=uint64/loop=backward/map=btree", func() {
		for k, v := range tree.Backward() {
			loopSum += k + v
		}
	})
	each("keys=uint64/loop=backward/map=tidwall", func() {
		rival.Reverse(func(k, v uint64) bool { loopSum += k + v; return true })
	})
	each("keys=uint64/loop=backward/map=google", func() {
		other.Descend(func(p pair) bool { loopSum += p.k + p.v; return true })
	})
	loopHundreds(each, tree, &rival, other)
	loopIters(each, tree, &rival)
}

// A pair is an entry of google/btree, which stores keys without values.
type pair struct{ k, v uint64 }

// loopHundreds measures loops that start at each of a thousand keys and visit a hundred entries.
func loopHundreds(each func(string, func()), tree *btree.Map[uint64, uint64], rival *tidwall.Map[uint64, uint64], other *google.BTreeG[pair]) {
	const entries = 100
	starts := func(f func(from uint64)) {
		for i := range loopEntries / entries {
			f(number(i*entries) >> 1)
		}
	}
	each("keys=uint64/loop=hundred/map=btree", func() {
		starts(func(from uint64) {
			n := 0
			for k, v := range tree.Ascend(from) {
				loopSum += k + v
				if n++; n == entries {
					break
				}
			}
		})
	})
	each("keys=uint64/loop=hundred/map=tidwall", func() {
		starts(func(from uint64) {
			n := 0
			rival.Ascend(from, func(k, v uint64) bool { loopSum += k + v; n++; return n < entries })
		})
	})
	each("keys=uint64/loop=hundred/map=google", func() {
		starts(func(from uint64) {
			n := 0
			other.AscendGreaterOrEqual(pair{k: from}, func(p pair) bool { loopSum += p.k + p.v; n++; return n < entries })
		})
	})
}

// loopIters compares iterators that are objects. google/btree has none.
func loopIters(each func(string, func()), tree *btree.Map[uint64, uint64], rival *tidwall.Map[uint64, uint64]) {
	each("keys=uint64/loop=iter/map=btree", func() {
		for it := tree.Iter(); it.Next(); {
			loopSum += it.Key() + it.Value()
		}
	})
	each("keys=uint64/loop=iter/map=tidwall", func() {
		for it := rival.Iter(); it.Next(); {
			loopSum += it.Key() + it.Value()
		}
	})
	each("keys=uint64/loop=iterback/map=btree", func() {
		it := tree.Iter()
		for ok := it.Last(); ok; ok = it.Prev() {
			loopSum += it.Key() + it.Value()
		}
	})
	each("keys=uint64/loop=iterback/map=tidwall", func() {
		it := rival.Iter()
		for ok := it.Last(); ok; ok = it.Prev() {
			loopSum += it.Key() + it.Value()
		}
	})
}

func loopHashes(each func(string, func())) {
	numbers, goNumbers := hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{})), map[uint64]uint64{}
	defer numbers.Close()
	texts, goTexts := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{})), map[string]uint64{}
	defer texts.Close()
	for i := range loopEntries {
		k, v := number(i), uint64(i)
		numbers.Set(k, v)
		goNumbers[k] = v
		texts.Set(url(i), v)
		goTexts[url(i)] = v
	}
	each("keys=uint64/loop=all/map=hashmap", func() {
		for k, v := range numbers.All() {
			loopSum += k + v
		}
	})
	each("keys=uint64/loop=all/map=go", func() {
		for k, v := range goNumbers {
			loopSum += k + v
		}
	})
	each("keys=string/loop=values/map=hashmap", func() {
		for v := range texts.Values() {
			loopSum += v
		}
	})
	each("keys=string/loop=values/map=go", func() {
		for _, v := range goTexts {
			loopSum += v
		}
	})
	look := func(k string) uint64 { return uint64(k[0]) + uint64(k[len(k)-1]) }
	each("keys=string/loop=bytes/map=hashmap", func() {
		for k := range texts.AllBytes() {
			loopSum += uint64(k[0]) + uint64(k[len(k)-1])
		}
	})
	each("keys=string/loop=all/map=hashmap", func() {
		for k := range texts.All() {
			loopSum += look(k)
		}
	})
	each("keys=string/loop=all/map=go", func() {
		for k := range goTexts {
			loopSum += look(k)
		}
	})
}
