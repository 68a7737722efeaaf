// Package hashmap implements hash maps whose memory the collector never scans. The maps are Swiss
// tables that are divided into pages. Once the pages exceed 32 KiB, they are outside the Go heap.
//
//	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
//	defer m.Close()
//	m.Set("ulm", 128_000)
//	people, ok := m.Get("ulm")
//
// # Which type to use
//
//	Map            keys without pointers, or strings; values without pointers
//	Texts          keys are strings, or structs with strings; values are strings or byte slices
//	Indexed        keys as in Map; values of any type, on the Go heap
//	Sharded        a Map for several goroutines
//	ShardedTexts   a Texts for several goroutines
//
// # Costs
//
//   - A Map must be closed: the collector does not track its memory once it exceeds 32 KiB.
//   - The keys and values of a Map contain no pointers. Keys may be strings, whose bytes the Map
//     copies, but values may not be strings. For values that are strings or byte slices, and for
//     keys that are structs with strings, use [Texts] or [ShardedTexts].
//   - A [Texts] copies values when they are stored and when they are read: Get allocates memory for
//     the copy, AppendGet and View do not. With a million string keys, each operation takes 1.5 to
//     2 times as long as in Go's map, and with integer keys three to four times as long. A garbage
//     collection takes at most an eighth of the time that it takes with Go's map
//     (docs/benchmarking/maps.md).
//   - An [Indexed] keeps its values on the Go heap, so that they may have pointers. The collector
//     scans the values and follows their pointers; it does not scan keys and buckets. Get has one
//     more cache miss than Get of a Map.
//   - If keys are strings, All copies them. Get, and Set of an existing key, copy no keys. Values
//     does not read keys.
//   - encoding/json writes a Map as {}. To encode a Map, encode maps.Collect(m.All()), which needs
//     memory for a Go map. To decode it, decode a Go map and Set each of its entries.
//   - A Map may be changed by one goroutine at a time, with no concurrent readers. [Sharded] is for
//     several goroutines.
//   - The memory of deleted entries is reused for later keys. Only Clear frees pages, and only
//     Close returns them to the system.
//   - A Map that fits in the processor's cache is slower than Go's map (docs/decisions/0030 has
//     figures). At that size, the collector spends little time on Go's map anyway.
//
// # When to use something else
//
// If most operations delete or set keys, use github.com/cockroachdb/swiss, where these operations
// take 0.6 times as long as in a Map (docs/benchmarking/maps.md also lists the other cases in which
// a Map is slower). In Go's map, they take 0.4 to 0.9 times as long as in a Map. For fewer than
// about ten thousand entries, use Go's map. Use it also for values with pointers, except if there
// are many entries with string keys, or if the entries change while latency matters: in these two
// cases, an [Indexed] leaves the collector less to scan. Use a btree.Map to keep keys in order, and
// a symbols.Table to map strings to numbers. If string keys have common prefixes, like URLs, and
// memory matters more than time, use a btree.Map. For a million URLs, it uses 0.41 times as much
// memory as Go's map, and a Map, which stores whole keys, 0.77 times as much (docs/decisions/0062).
// For a map from strings to strings, a map[K][]byte, or a map whose keys are structs with strings,
// use a [Texts]. For several goroutines with fewer than about ten thousand entries, or with string
// keys and hardly any changes, use the Map of github.com/puzpuzpuz/xsync: a look-up takes about 0.7
// times as long as in a [Sharded] (docs/decisions/0049), but the collector scans the map.
//
// # Terms
//
//	slot      memory for one entry
//	group     eight slots, with a word of eight control bytes, one for each
//	control   the lower seven bits of the hash of a slot's key; or empty; or deleted
//	page      1 to 128 groups, a power of two, in one block of memory
//	block     bytes of the region, of a size that a page can have
//	depth     how many upper bits of the hash all keys of a page share
//
// # How it works
//
//	hash       63                                                7 6        0
//	           +-----------------+-----------------------+--------+----------+
//	           | page ...        |                   ... | group  | tag      |
//	           +-----------------+-----------------------+--------+----------+
//
//	directory                  page: groups of 8 slots
//	+----+                     +---------+---------+-----+---------+
//	| 00 | ---\                | group 0 | group 1 | ... | group 3 |
//	+----+     +--> page A     +---------+---------+-----+---------+
//	| 01 | ---/    depth 1         |
//	+----+                         v
//	| 10 | ------> page B      control bytes             slots 0 to 7
//	+----+         depth 2     +-------------------------+-----+-----+-----+-----+--
//	| 11 | ------> page C      | 3f 80 fe 11 80 80 80 80 | k v |     |     | k v |
//	+----+         depth 2     +-------------------------+-----+-----+-----+-----+--
//	                             80: empty; fe: deleted; other values: tag of the key
//
// The upper bits of a hash select a page through a directory, and further bits select a group of
// the page. The control bytes of the group then select the few slots whose keys must be compared.
// This is the Swiss table of Benzaquen, Evlogimenos, Kulukundis and Perepelitsa (CppCon 2017). If
// too few slots of a page are empty, the page is replaced by a page of twice the size. A page that
// already has the maximum size is replaced by two pages, and its entries are divided between them.
// This is extendible hashing (Fagin, Nievergelt, Pippenger and Strong, 1979); Go's own map does
// both. A Set therefore moves at most one page, about a thousand entries, however large the Map is.
// String keys are in a separate string heap (internal/texts). A slot stores the number that
// identifies its key in this heap.
package hashmap

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	sharded_texts.go
//	texts_file.go
//	texts.go
//	texts_index.go                   maps from strings to byte strings
//	texts_keys.go                    keys encoded as strings
//	texts_unsafe.go
//	sharded_file.go
//	sharded_all.go
//	sharded_compute.go
//	sharded.go
//	view.go                          lock-free look-ups
//	file.go
//	verify.go
//	indexed.go
//	cells.go                         values on the Go heap
//	map.go
//	put.go
//	grow.go                          replacing pages by larger ones or by two
//	iterate.go
//	textloops.go                     loops over string keys
//	find.go                          the typed part of a Map, and searches
//	loops.go                         positions of loops over string keys
//	keys.go                          copies of string keys for loops
//	table.go                         the directory and the blocks; independent of types
//	memory_unsafe.go
//	group.go
//	lock.go
//	free_other.go
//	options.go
