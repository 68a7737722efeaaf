// Package cache is a cache of bounded memory outside the Go heap, so that the collector never looks
// at it: it evicts what is least worth keeping, and what has lived for its time.
//
//	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 256 << 20})) // bytes, of everything
//	defer c.Close()
//	c.Set("ulm", page)
//	page, ok := c.Get("ulm")                    // a copy
//	room, ok = cache.AppendGet(c, room[:0], "ulm")
//
// # The main danger
//
// A Cache forgets. Whatever was set may be gone at the next Get, also if there seems to be room.
//
// # The price
//
//   - A Cache must be closed: the collector does not know of its memory.
//   - With Options.RefreshAfterWrite, GetOrLoad begins goroutines, one for each key that it loads
//     again. Close waits for them.
//   - Keys and values are copied in and out. They hold no pointers; a key may be a string, and a
//     value a string or a []byte. Get of one of those allocates the copy; AppendGet does not.
//   - An entry of two uint64 takes 38 bytes in a full Cache: 8 each, 8 for its header, and some 14
//     for the table and the ghost. One with texts takes 8 bytes more and is rounded up to 8, one
//     with a time to live 8 more, and 8 more with RefreshAfterWrite.
//   - A block that was deleted, or set again with another size, is used again only when its turn in
//     the queue comes, as in every log. Who mostly deletes should take a map.
//   - An entry must fit into a shard's main queue, eight tenths of a shard or so. With 64 MiB and
//     eight shards that is 6 MiB.
//   - Where entries become much smaller than they were, the table must grow. Until the main queue
//     has made room for that, fewer entries have room than the bytes would allow.
//   - Save and OpenFile let the entries survive a restart. OpenFile costs a Set for each; nothing
//     is mapped.
//   - SetMaximum changes the bound while the program runs. It copies one shard after another, and
//     calls for that shard wait meanwhile.
//   - A key that is not equal to itself, as NaN, is never found, and Set of one keeps nothing. Nil
//     and no bytes are the same value: Get returns bytes that are not nil.
//
// # When to use something else
//
// If nothing must be evicted, a map with a lock finds a key in less time, and package store keeps
// records without keys. If values have pointers, use a cache on the Go heap, such as otter.
// docs/decisions/0033 has figures.
//
// # Where it loses
//
//   - A window of keys that moves and is nine tenths of the cache: its hit ratio is 2.4 points less
//     than that of LRU. If all requests are like that, freecache or fastcache find a little more.
//     TestHitRatioOfTheBest has it, and the traces where the policy comes within two points of the
//     best of LRU, S3-FIFO, W-TinyLFU and ARC: Zipf's law, scans, loops, a set that shifts, and a
//     window of half the cache.
//   - After a change of what is asked for, the policy needs about as many evictions as there are
//     entries to follow. Where other keys become popular, a cache that forgets what is oldest finds
//     a point more.
//   - fastcache takes the same CPU time per request: no difference is proven
//     (docs/benchmarking/caches.md). It misses more on three of four traces.
//   - A Cache finds a key in more time than a map with a lock does, since it has two cache misses
//     and copies.
//
// # Concurrency
//
// Any number of goroutines may use a Cache. Each shard has a lock. Get and AppendGet share it among
// readers, and write two counters; what changes a shard has it alone. A goroutine that finds the
// lock taken tries again for about 20 µs before it sleeps (lock.go). All and Stats look at one
// shard after another. Functions of the caller run without a lock (GetOrLoad and OnDeletion, with
// Options.RefreshAfterWrite in a goroutine of its own too), but for the one of Compute, which has
// the shard alone and must not use the Cache.
//
// # How it works
//
// A shard's entries lie in three queues, which are rings of blocks in one region of memory
// (ring.go): the order of blocks is the order of the queue, so there are no links, no free lists
// and no fragments. The policy is S3-FIFO (shard.go, with its source), which changes where what
// evicted entries do speaks for it (adapt.go). The table that finds blocks is ordered by hash
// (table.go), and grows in its own memory. Hashes of what was evicted lately are in a table without
// links (ghost.go).
//
// The bound is kept by counting pieces of 64 KiB that the system gives: a shard takes no more of
// them than its share.
package cache

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else, but that methods of a type may stand above it.
//
//	maximum.go  file.go
//	life.go
//	load.go  compute.go  deletion.go
//	cache.go
//	verify.go
//	shard.go                          the policy; nothing below knows K and V
//	adapt.go  record.go
//	entry.go
//	ring.go  table.go  ghost.go  memory_unsafe.go  lock.go  flight.go
//	cause.go  options.go
