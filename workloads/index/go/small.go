package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/swiss"
	dolt "github.com/dolthub/swiss"
	google "github.com/google/btree"
	"github.com/puzpuzpuz/xsync/v4"
	tidwall "github.com/tidwall/btree"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// A few measures many small maps of one kind. The maps are in a slice and not in closures, so that
// only the maps themselves are measured.
type few struct {
	name string
	run  func(maps, entries int) (string, selfreport.Report, error)
}

// small lists the maps of which a program may have a million.
var small = []few{
	{"map", of(func() map[uint64]uint64 { return map[uint64]uint64{} },
		func(m map[uint64]uint64, k, v uint64) { m[k] = v },
		func(m map[uint64]uint64, k uint64) (uint64, bool) { v, ok := m[k]; return v, ok }, free[map[uint64]uint64])},
	{"swiss", of(func() *swiss.Map[uint64, uint64] { return swiss.New[uint64, uint64](0) },
		(*swiss.Map[uint64, uint64]).Put, (*swiss.Map[uint64, uint64]).Get, free[*swiss.Map[uint64, uint64]])},
	{"dolt", of(func() *dolt.Map[uint64, uint64] { return dolt.NewMap[uint64, uint64](8) },
		(*dolt.Map[uint64, uint64]).Put, (*dolt.Map[uint64, uint64]).Get, free[*dolt.Map[uint64, uint64]])},
	{"xsync", of(func() *xsync.Map[uint64, uint64] { return xsync.NewMap[uint64, uint64]() },
		(*xsync.Map[uint64, uint64]).Store, (*xsync.Map[uint64, uint64]).Load, free[*xsync.Map[uint64, uint64]])},
	{"syncmap", of(func() *sync.Map { return new(sync.Map) },
		func(m *sync.Map, k, v uint64) { m.Store(k, v) },
		func(m *sync.Map, k uint64) (uint64, bool) {
			v, ok := m.Load(k)
			n, _ := v.(uint64)
			return n, ok
		}, free[*sync.Map])},
	{"google", of(func() *google.BTreeG[entry[uint64]] { return google.NewG(32, lessNumber) },
		func(t *google.BTreeG[entry[uint64]], k, v uint64) { t.ReplaceOrInsert(entry[uint64]{k, v}) },
		func(t *google.BTreeG[entry[uint64]], k uint64) (uint64, bool) {
			e, ok := t.Get(entry[uint64]{key: k})
			return e.value, ok
		}, free[*google.BTreeG[entry[uint64]]])},
	{"tidwall", of(func() *tidwall.Map[uint64, uint64] { return new(tidwall.Map[uint64, uint64]) },
		func(m *tidwall.Map[uint64, uint64], k, v uint64) { m.Set(k, v) },
		(*tidwall.Map[uint64, uint64]).Get, free[*tidwall.Map[uint64, uint64]])},
	{"hashmap", of(func() *hashmap.Map[uint64, uint64] {
		return hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{}))
	},
		(*hashmap.Map[uint64, uint64]).Set, (*hashmap.Map[uint64, uint64]).Get, (*hashmap.Map[uint64, uint64]).Close)},
	{"indexed", of(func() *hashmap.Indexed[uint64, uint64] {
		return hashmap.Must(hashmap.NewIndexed[uint64, uint64](hashmap.Options{}))
	},
		(*hashmap.Indexed[uint64, uint64]).Set, (*hashmap.Indexed[uint64, uint64]).Get, (*hashmap.Indexed[uint64, uint64]).Close)},
	{"btree", of(func() *btree.Map[uint64, uint64] { return btree.Must(btree.New[uint64, uint64](btree.Options{})) },
		(*btree.Map[uint64, uint64]).Set, (*btree.Map[uint64, uint64]).Get, (*btree.Map[uint64, uint64]).Close)},
}

func lessNumber(a, b entry[uint64]) bool { return a.key < b.key }

// free leaves a map to the collector.
func free[M any](M) error { return nil }

// of returns a function that measures maps of one kind.
func of[M any](open func() M, set func(M, uint64, uint64), get func(M, uint64) (uint64, bool), end func(M) error) func(int, int) (string, selfreport.Report, error) {
	return func(maps, entries int) (string, selfreport.Report, error) {
		all, figures := make([]M, maps), selfreport.Report{}
		since := selfreport.Start()
		before, resident := live(), selfreport.Resident()
		start := time.Now()
		for i := range all {
			all[i] = open()
			for j := range entries {
				n := i*entries + j
				set(all[i], number(n), uint64(n))
			}
		}
		ops := float64(maps * entries)
		figures["fill_s"] = time.Since(start).Seconds() / ops
		figures["live_bytes"] = float64(live() - before)
		figures["map_bytes"], figures["entry_bytes"] = figures["live_bytes"]/float64(maps), figures["live_bytes"]/ops
		if now := selfreport.Resident(); now > 0 {
			figures["resident_bytes"] = max(now-resident, 1)
		}
		found, sum := 0, uint64(0)
		start = time.Now()
		for n := range maps * entries { // visits all maps once for each entry
			at, j := n%maps, n/maps
			if v, ok := get(all[at*stride%maps], number(at*stride%maps*entries+j)); ok {
				found++
				sum += v
			}
		}
		figures["get_s"] = time.Since(start).Seconds() / ops
		figures["collection_s"] = collect(since)
		for name, v := range since.Report() {
			figures[name] = v
		}
		for _, m := range all {
			if err := end(m); err != nil {
				return "", nil, err
			}
		}
		return fmt.Sprintf("%d maps, %d entries, %d found, sum %d", maps, maps*entries, found, sum), figures, nil
	}
}

// stride is the distance from one map to the next one that is read. It is odd, and the number
// of maps is a power of two, so every map is read.
const stride = 7919

// runSmall measures many maps with the given number of entries each.
func runSmall(strategy string, depth, entries int) (string, selfreport.Report, error) {
	for _, f := range small {
		if f.name == strategy {
			return f.run(maps(depth, entries), entries)
		}
	}
	return "", nil, fmt.Errorf("no small maps of strategy %q", strategy)
}

// maps returns the number of maps with the given number of entries at a depth: at most 2^20,
// and for large maps an eighth of 2^depth.
func maps(depth, entries int) int {
	if entries > few8 {
		depth = max(depth-3, 1)
	}
	return 1 << min(depth, 20)
}

// few8 is the number of entries that fit in one group of Go's map.
const few8 = 8

// smalls returns the names of the small maps.
func smalls() (all []string) {
	for _, f := range small {
		all = append(all, f.name)
	}
	return all
}
