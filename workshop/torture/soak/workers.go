package main

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"strings"

	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
)

// everyWorker returns the workers of a complete soak test. Each allocator and container has a few
// workers, which run concurrently.
func everyWorker() map[string][]worker {
	shared := newSharedPool()
	shards := &common[*hashmap.Sharded[string, numbered]]{open: func() (*hashmap.Sharded[string, numbered], error) {
		return hashmap.NewSharded[string, numbered](hashmap.Options{Shards: 0, Name: "soak of Sharded", Max: 8 * mostShares})
	}}
	cached := &common[*cache.Cache[string, string]]{open: func() (*cache.Cache[string, string], error) {
		return cache.New[string, string](cache.Options{MaxBytes: cacheBytes, Name: "soak of cache"})
	}}
	return map[string][]worker{
		"store":   {&stores{}, &stores{}, &stores{}},
		"writers": {&writers{}, &writers{}},
		"handles": {&handles{}, &handles{}},
		"slab":    {&slabs{}, &slabs{}, &slabs{}},
		"arena":   {&arenas{}, &arenas{}, &arenas{}},
		"pool":    {&pools{shared: shared}, &pools{shared: shared}, &pools{shared: shared}},
		"inline":  {&vecs{}, &vecs{}},
		"hashmap": {&tables{kind: hashed}, &tables{kind: hashed}},
		"btree":   {&tables{kind: sorted}, &tables{kind: sorted}},
		"sharded": {&shares{all: shards, mine: 0}, &shares{all: shards, mine: 1}},
		"cache":   {&caches{all: cached}, &caches{all: cached}},
		"symbols": {&names{}, &names{}},
	}
}

// seal is the seed for all checksums.
var seal = maphash.MakeSeed()

// sumOf returns the checksum of v. Values store the checksum of their IDs.
func sumOf[T comparable](v T) uint64 { return maphash.Comparable(seal, v) }

// textOf returns the string for an ID. Its length is between 0 and 60.
func textOf(id uint64) string { return strings.Repeat(string(rune('a'+id%26)), int(id%61)) }

// damaged returns an error for a value whose contents differ from those that were written.
func damaged(what string, id uint64, got any) error {
	return fmt.Errorf("%s %d is damaged: %+v", what, id, got)
}

// oneIn returns true with a probability of one in n.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// steps executes one of the given steps, chosen at random. A step that is given several times is
// more likely.
func steps(r *rand.Rand, all ...func(*rand.Rand) (int, error)) (int, error) {
	return all[r.IntN(len(all))](r)
}
