package main

import (
	"bytes"
	"cmp"

	"github.com/cockroachdb/swiss"
	dolt "github.com/dolthub/swiss"
	google "github.com/google/btree"
	"github.com/puzpuzpuz/xsync/v4"
	tidwall "github.com/tidwall/btree"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/hashmap"
)

// An index contains the functions of a container that maps keys to numbers.
type index[K comparable] struct {
	set    func(K, uint64)
	get    func(K) (uint64, bool)
	remove func(K)
	len    func() int
	each   func(func(K, uint64) bool)
	from   func(K, func(K, uint64) bool) // iterates in key order from a key on; nil if unordered
	close  func() error
	told   bool // whether the index was presized for the number of keys
}

// A strategy creates an index. open(0) creates an index that grows. Any other argument is the
// expected number of keys, for which the index is presized if possible.
type strategy[K comparable] struct {
	name string
	open func(told int) index[K]
}

func nothing() error { return nil }

// hashed returns the strategies for keys of any type.
func hashed[K comparable]() []strategy[K] {
	return []strategy[K]{
		{"map", func(told int) index[K] {
			m := make(map[K]uint64, told)
			return index[K]{
				told: told > 0,
				set:  func(k K, v uint64) { m[k] = v }, get: func(k K) (uint64, bool) { v, ok := m[k]; return v, ok }, remove: func(k K) { delete(m, k) },
				len: func() int { return len(m) }, close: nothing, each: func(f func(K, uint64) bool) {
					for k, v := range m {
						if !f(k, v) {
							return
						}
					}
				},
			}
		}},
		{"swiss", func(told int) index[K] {
			m := swiss.New[K, uint64](told)
			return index[K]{set: m.Put, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: m.All, close: nothing, told: told > 0}
		}},
		{"dolt", func(told int) index[K] {
			m := dolt.NewMap[K, uint64](uint32(max(told, 8)))
			return index[K]{set: m.Put, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Count, close: nothing, told: told > 0,
				each: func(f func(K, uint64) bool) { m.Iter(func(k K, v uint64) bool { return !f(k, v) }) }}
		}},
		{"xsync", func(told int) index[K] {
			m := xsync.NewMap[K, uint64](xsync.WithPresize(told))
			return index[K]{set: m.Store, get: m.Load, remove: m.Delete, len: m.Size, each: m.Range, close: nothing, told: told > 0}
		}},
		{"syncmap", syncmap[K]},
		{"rwmutex", locked[K]},
		{"hashmap", func(told int) index[K] {
			m := hashmap.Must(hashmap.New[K, uint64](hashmap.Options{}))
			must(m.Reserve(told))
			return index[K]{set: m.Set, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: func(f func(K, uint64) bool) { m.All()(f) },
				close: m.Close, told: told > 0}
		}},
		{"small-pages", func(told int) index[K] {
			m := hashmap.Must(hashmap.New[K, uint64](hashmap.Options{HugePages: hashmap.HugePagesOff}))
			must(m.Reserve(told))
			return index[K]{set: m.Set, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: func(f func(K, uint64) bool) { m.All()(f) },
				close: m.Close, told: told > 0}
		}},
		{"sharded", func(told int) index[K] {
			m := hashmap.Must(hashmap.NewSharded[K, uint64](hashmap.Options{}))
			must(m.Reserve(told))
			return index[K]{set: m.Set, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: func(f func(K, uint64) bool) { m.All()(f) },
				close: m.Close, told: told > 0}
		}},
		{"indexed", func(told int) index[K] {
			m := hashmap.Must(hashmap.NewIndexed[K, uint64](hashmap.Options{}))
			must(m.Reserve(told))
			return index[K]{set: m.Set, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: func(f func(K, uint64) bool) { m.All()(f) },
				close: m.Close, told: told > 0}
		}},
	}
}

func must(err error) {
	if err != nil {
		panic(err) // as hashmap.Must does
	}
}

// An entry is the element in libraries that order whole values.
type entry[K any] struct {
	key   K
	value uint64
}

// sorted returns the strategies that order keys by a function.
func sorted[K comparable](compare func(a, b K) int) []strategy[K] {
	less := func(a, b entry[K]) bool { return compare(a.key, b.key) < 0 }
	return []strategy[K]{
		{"google", func(told int) index[K] {
			t := google.NewG(32, less)
			return index[K]{
				set:    func(k K, v uint64) { t.ReplaceOrInsert(entry[K]{k, v}) },
				get:    func(k K) (uint64, bool) { e, ok := t.Get(entry[K]{key: k}); return e.value, ok },
				remove: func(k K) { t.Delete(entry[K]{key: k}) }, len: t.Len, close: nothing,
				each: func(f func(K, uint64) bool) { t.Ascend(func(e entry[K]) bool { return f(e.key, e.value) }) },
				from: func(k K, f func(K, uint64) bool) {
					t.AscendGreaterOrEqual(entry[K]{key: k}, func(e entry[K]) bool { return f(e.key, e.value) })
				},
			}
		}},
		{"tidwall", func(told int) index[K] {
			t := tidwall.NewBTreeGOptions(less, tidwall.Options{NoLocks: true})
			return index[K]{
				set:    func(k K, v uint64) { t.Set(entry[K]{k, v}) },
				get:    func(k K) (uint64, bool) { e, ok := t.Get(entry[K]{key: k}); return e.value, ok },
				remove: func(k K) { t.Delete(entry[K]{key: k}) }, len: t.Len, close: nothing,
				each: func(f func(K, uint64) bool) { t.Scan(func(e entry[K]) bool { return f(e.key, e.value) }) },
				from: func(k K, f func(K, uint64) bool) {
					t.Ascend(entry[K]{key: k}, func(e entry[K]) bool { return f(e.key, e.value) })
				},
			}
		}},
	}
}

// ordered returns the strategies for keys that have a natural order.
func ordered[K cmp.Ordered]() []strategy[K] {
	all := append(hashed[K](), sorted(cmp.Compare[K])[0])
	return append(all,
		strategy[K]{"tidwall", func(told int) index[K] {
			var m tidwall.Map[K, uint64]
			return index[K]{set: func(k K, v uint64) { m.Set(k, v) }, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: m.Scan, from: m.Ascend, close: nothing}
		}},
		strategy[K]{"btree", func(told int) index[K] { return ours(btree.Must(btree.New[K, uint64](btree.Options{}))) }})
}

// identifiers returns the strategies for keys of twelve bytes.
func identifiers() []strategy[[12]byte] {
	compare := func(a, b [12]byte) int { return bytes.Compare(a[:], b[:]) }
	all := append(hashed[[12]byte](), sorted(compare)...)
	return append(all, strategy[[12]byte]{"btree", func(told int) index[[12]byte] {
		return ours(btree.Must(btree.NewFunc[[12]byte, uint64](compare, btree.Options{})))
	}})
}

func ours[K comparable](m *btree.Map[K, uint64]) index[K] {
	return index[K]{set: m.Set, get: m.Get, remove: func(k K) { m.Delete(k) }, len: m.Len, each: func(f func(K, uint64) bool) { m.All()(f) },
		from: func(k K, f func(K, uint64) bool) { m.Ascend(k)(f) }, close: m.Close}
}

// strategies returns the names of all strategies. The floor is only for uint64.
func strategies() (all []string) {
	for _, s := range ordered[string]() {
		all = append(all, s.name)
	}
	return append(all, "floor")
}
