// Package hashmap is a hash map whose memory the collector never looks at: a Swiss table in pages,
// outside the Go heap once it has more than 32 KiB.
//
//	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
//	defer m.Close()
//	m.Set("ulm", 128_000)
//	people, ok := m.Get("ulm")
//
// # The price
//
//   - A Map must be closed: the collector does not know of its memory, once it has more than 32
//     KiB.
//   - Keys and values of a Map hold no pointers. Keys may be strings, whose bytes the Map copies;
//     values may not. [Texts] and [ShardedTexts] hold values that are strings or byte slices, and
//     keys that are structs with strings.
//   - A [Texts] copies values in and out: a Get allocates, AppendGet and View do not.
//   - An [Indexed] keeps values in the Go heap, so that they may have pointers. The collector scans
//     the values, each pointer of them, and follows it; it does not scan keys and buckets. A Get
//     has one more place to wait for.
//   - Keys that are strings are copied when All hands them out. Get and Set copy none that is
//     there, and Values reads none.
//   - encoding/json writes a Map as {}. Encode maps.Collect(m.All()), which needs room for a Go
//     map, and Set what comes back.
//   - One goroutine may change a Map at a time, and no other may read it meanwhile. [Sharded] is
//     for several.
//   - Delete gives room back to later keys, and not to the system. Clear and Close do.
//   - A map that fits into the processor's cache is slower than Go's (docs/decisions/0030 has
//     figures), and the collector does not mind it there.
//
// # When to use something else
//
// A map of less than some ten thousand entries is Go's map. So is one with pointers in its values,
// but for many entries with keys that are strings, or that change while latency counts: then an
// [Indexed] leaves the collector less to scan. A btree.Map keeps keys in order. Numbers for texts
// are a symbols.Table. A map from strings to strings, map[K][]byte, or a map whose keys are structs
// with strings is a [Texts].
//
// # Words
//
//	slot      room for one entry
//	group     eight slots, with a word of eight control bytes, one for each
//	control   the lower seven bits of the hash of a slot's key; or empty; or deleted
//	page      1 to 128 groups, a power of two, in one block of memory
//	block     bytes of the region, of a size that a page can have
//	depth     how many upper bits of the hash all keys of a page share
//
// # How it works
//
// The upper bits of a hash lead through a directory to a page, further bits to a group of it, and
// the control bytes of the group to the few slots that are worth a look (the Swiss table of
// Benzaquen, Evlogimenos, Kulukundis and Perepelitsa, CppCon 2017). A page with too few empty slots
// is replaced by one of twice the size or, once it has its greatest size, by two that share its
// entries (extendible hashing: Fagin, Nievergelt, Pippenger and Strong, 1979; Go's own map does
// both). So the longest Set moves one page, about a thousand entries, however large the Map is.
// Texts of keys are in a heap of their own (internal/texts), and a slot has the number of one.
package hashmap

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	sharded_texts.go
//	texts_file.go
//	texts.go
//	texts_index.go                   strings under strings
//	texts_keys.go                    keys as strings
//	texts_unsafe.go
//	sharded_file.go
//	sharded_all.go
//	sharded_compute.go
//	sharded.go
//	view.go                          look-ups without a lock
//	file.go
//	verify.go
//	indexed.go
//	cells.go                         values in the Go heap
//	map.go
//	put.go
//	grow.go                          pages that become larger, or two
//	iterate.go
//	find.go                          entries of pages, with their types
//	values.go                        loops that read no keys
//	table.go                         the directory and the blocks; knows no types
//	memory_unsafe.go
//	group.go
//	lock.go
//	free_other.go
//	options.go
