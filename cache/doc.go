// Package cache implements a cache with a memory limit. Its memory is outside the Go heap, so the
// garbage collector never scans it. The cache evicts the entries that are least likely to be used
// again, and removes entries that have expired.
//
//	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 256 << 20})) // limit for all memory
//	defer c.Close()
//	c.Set("ulm", page)
//	page, ok := c.Get("ulm")                    // a copy
//	room, ok = cache.AppendGet(c, room[:0], "ulm")
//
// # Entries can disappear
//
// Any entry may be gone at the next Get, even if the Cache does not seem to be full.
//
// # Costs
//
//   - A Cache must be closed: the collector does not track its memory.
//   - With Options.RefreshAfterWrite, GetOrLoad starts a goroutine for each key that it reloads.
//     Close waits for them.
//   - Keys and values are copied in and out. They contain no pointers; a key may be a string, and a
//     value a string or a []byte. Get of a string or []byte allocates the copy; AppendGet does not.
//   - An entry whose key and value are uint64 uses 38 bytes in a full Cache: 8 each for the key and
//     the value, 8 for its header, and about 14 for the table and the ghost queue. An entry with a
//     string uses 8 bytes more, and its size is rounded up to a multiple of 8. A time to live adds
//     8 bytes, and RefreshAfterWrite adds 8 more.
//   - If an entry is deleted, or replaced by an entry of a different size, its memory is reused
//     only when it reaches the end of the queue, as in every log. If most entries are deleted
//     explicitly, use a map.
//   - An entry must fit into the main queue of a shard, about eight tenths of the shard. With 64
//     MiB and eight shards that is 6 MiB.
//   - If entries become much smaller than before, the table must grow. Until the main queue has
//     freed memory for the larger table, the Cache holds fewer entries than its size would allow.
//   - Save and OpenFile let the entries survive a restart. OpenFile costs a Set for each entry; the
//     file is not mapped.
//   - SetMaximum changes the limit while the program runs. It copies the shards one at a time, and
//     calls for a shard wait while it is copied.
//   - A key that is not equal to itself, such as NaN, is never found, and Set with such a key
//     stores nothing. A nil slice is stored as an empty slice, which Get returns as a slice that is
//     not nil.
//
// # When to use something else
//
// If nothing may be evicted, use a map with a lock, which finds a key faster, or package store,
// which keeps records without keys. If values have pointers, use a cache on the Go heap, such as
// otter. docs/decisions/0033 has measurements.
//
// # Known weaknesses
//
//   - If the requested keys are in a moving window of nine tenths of the cache size, the hit ratio
//     is 2.4 points lower than with LRU. If all requests follow this pattern, the hit ratio of
//     freecache or fastcache is slightly higher. TestHitRatioOfTheBest contains this trace. It also
//     contains the traces for which the hit ratio is at most two points lower than the best of LRU,
//     S3-FIFO, W-TinyLFU and ARC: Zipf distributions, scans, loops, a shifting set, and a window of
//     half the cache size.
//   - To adapt to a new request pattern, the policy needs about as many evictions as there are
//     entries. If the popular keys change, a cache that evicts the oldest entries has a hit ratio
//     that is a point higher.
//   - Compared with fastcache, no difference in CPU time per request is proven
//     (docs/benchmarking/caches.md). fastcache misses more on three out of four traces.
//   - A Cache takes longer to find a key than a map with a lock, because it has two cache misses
//     and copies the value.
//
// # Concurrency
//
// Any number of goroutines may use a Cache. Each shard has a lock. Get and AppendGet acquire it for
// reading, and write two counters; changes to the shard acquire it exclusively. A goroutine that
// must wait for the lock polls it for about 20 µs before it sleeps (lock.go). All and Stats visit
// the shards one at a time. The functions passed to GetOrLoad and OnDeletion run without a lock.
// With Options.RefreshAfterWrite, the function passed to GetOrLoad also runs in a goroutine of its
// own. The function passed to Compute runs under the exclusive lock of the shard, and must not use
// the Cache.
//
// # How it works
//
//	hash 63 ......................... 0
//	    | shard |  table and ghost   |
//
//	shard:  index   | table: slots ordered by hash        | ghost: hashes of evicted entries |
//	        log     | brief | small      | main                                              |
//
//	        a queue in the log:  | free | block | block | block | free |
//	                                    ^ tail: oldest          ^ head: next block
//
//	new entry --> brief --> small --> main <-+ used entries go round again
//	                |         |        |  |  |
//	                |         |        |  +--+
//	                v         v        v
//	              evicted: the hash goes to the ghost
//
// The entries of a shard are in three queues, each of which is a ring of blocks in one region of
// memory (ring.go). The blocks are in the order of the queue, so links and free lists are not
// needed, and memory is not fragmented. The eviction policy is S3-FIFO (shard.go cites its source).
// Unlike the original, it inserts new entries into another queue when the statistics of returning
// entries favor that queue (adapt.go). The table with which blocks are found is ordered by hash,
// and grows in place (table.go). The hashes of recently evicted entries are in a table without
// links (ghost.go).
//
// The system supplies memory in pieces of 64 KiB. To enforce the memory limit, each shard counts
// its pieces, and uses no more of them than its share.
package cache

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare; methods of a type may be above it.
//
//	maximum.go  file.go
//	life.go
//	load.go  compute.go  deletion.go
//	cache.go
//	verify.go
//	shard.go                          the policy; the files below do not depend on K and V
//	adapt.go  record.go
//	entry.go
//	ring.go  table.go  ghost.go  memory_unsafe.go  lock.go  flight.go
//	cause.go  options.go
