package metrics

import (
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/symbols"
)

// Stats is the constraint for the types that the Stats methods of containers return.
type Stats interface {
	arena.Stats | btree.Stats | cache.Stats | hashmap.IndexedStats | hashmap.Stats | hashmap.TextsStats | slab.Stats | symbols.Stats
}

// A Source reads the Stats of one container, from any goroutine. The functions of this package
// return Sources. A Set rejects the zero Source.
type Source struct {
	kind string
	read func() []Sample
}

// Cache returns a Source that reads a cache, which may be in use. The Source locks the shards one
// at a time. Cache panics if c is nil.
func Cache[K comparable, V any](c *cache.Cache[K, V]) Source {
	if c == nil {
		panic("metrics.Cache: the cache is nil")
	}
	return Func(c.Stats)
}

// Sharded returns a Source that reads a map, which many goroutines may be using. The Source locks
// the shards one at a time. Concurrent calls of Get and Has wait only if they take a lock (see
// [hashmap.Sharded]). Sharded panics if m is nil.
func Sharded[K comparable, V any](m *hashmap.Sharded[K, V]) Source {
	if m == nil {
		panic("metrics.Sharded: the map is nil")
	}
	return Func(m.Stats)
}

// ShardedTexts returns a Source that reads a map, which many goroutines may be using. The Source
// locks the shards one at a time. Only changes to the locked shard have to wait. ShardedTexts
// panics if m is nil.
func ShardedTexts[K comparable, V ~string | ~[]byte](m *hashmap.ShardedTexts[K, V]) Source {
	if m == nil {
		panic("metrics.ShardedTexts: the map is nil")
	}
	return Func(m.Stats)
}

// Symbols returns a Source that reads a table, which may be in use. While the Source reads the
// table, goroutines that add a symbol wait. Symbols panics if t is nil.
func Symbols(t *symbols.Table) Source {
	if t == nil {
		panic("metrics.Symbols: the table is nil")
	}
	return Func(t.Stats)
}

// Locked returns a Source that holds the lock while it reads a container. This must be the lock
// under which the program changes and closes the container. The container must be a hashmap.Map,
// hashmap.Indexed, hashmap.Texts, btree.Map, arena.Arena or slab.Slab. For maps, the RLocker of a
// sync.RWMutex is sufficient. Locked panics if the lock or the container is nil.
func Locked[S Stats](lock sync.Locker, container interface{ Stats() S }) Source {
	if lock == nil || container == nil {
		panic("metrics.Locked: the lock or the container is nil")
	}
	return Func(func() S {
		lock.Lock()
		defer lock.Unlock()
		return container.Stats()
	})
}

// Func returns a Source that calls read. Each monitor calls the function from its own goroutine, so
// calls may be concurrent. A call in progress may continue after Remove. Func panics if read is
// nil.
func Func[S Stats](read func() S) Source {
	if read == nil {
		panic("metrics.Func: the function is nil")
	}
	var of S
	switch any(of).(type) {
	case arena.Stats:
		return from(arenas, any(read).(func() arena.Stats))
	case btree.Stats:
		return from(trees, any(read).(func() btree.Stats))
	case cache.Stats:
		return from(caches, any(read).(func() cache.Stats))
	case hashmap.Stats:
		return from(maps, any(read).(func() hashmap.Stats))
	case hashmap.IndexedStats:
		return from(indexed, any(read).(func() hashmap.IndexedStats))
	case hashmap.TextsStats:
		return from(texts, any(read).(func() hashmap.TextsStats))
	case slab.Stats:
		return from(slabs, any(read).(func() slab.Stats))
	default:
		return from(symbolTables, any(read).(func() symbols.Stats))
	}
}

// from returns a Source that calls read and converts the result with the table.
func from[S any](t table[S], read func() S) Source {
	return Source{t[0].Kind, func() []Sample {
		stats := read()
		return t.samples(&stats)
	}}
}

// A Latest holds the Stats that the owner of a container stored last. It is for containers that
// only one goroutine uses, without a lock. The owner calls Store(m.Stats()) when convenient, for
// example after each batch. The zero Latest is ready to use, and holds zero Stats. Its methods are
// safe for concurrent use. A Latest must not be copied.
type Latest[S Stats] struct {
	stats atomic.Pointer[S]
}

// Store stores the Stats. It allocates a copy, and does not block.
func (l *Latest[S]) Store(stats S) { l.stats.Store(&stats) }

// Load returns the Stats stored last, or zero Stats if none have been stored.
func (l *Latest[S]) Load() (stats S) {
	if last := l.stats.Load(); last != nil {
		return *last
	}
	return stats
}

// Source returns a Source that reports the Stats stored last. The Source keeps l alive, but not the
// container.
func (l *Latest[S]) Source() Source { return Func(l.Load) }
