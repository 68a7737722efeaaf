package metrics

import (
	"slices"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

// A Metric describes a value that a container reports. Metrics can be compared with ==.
type Metric struct {
	Kind    string // of the container: "cache", ...; or "memory" for accounts
	Name    string // name by the conventions of Prometheus: it ends with the unit, or with _total for a counter
	Help    string // one sentence
	Counter bool   // it never decreases while the container is open; otherwise it is a gauge
}

// A Sample is the value of a Metric.
type Sample struct {
	Metric
	Value float64
}

// All returns all Metrics that a Set can have, in a fixed order. A monitor can use it to declare
// its metrics in advance.
func All() []Metric {
	var all []Metric
	for _, t := range []interface{ metrics() []Metric }{
		accounts, arenas, trees, caches, maps, indexed, texts, slabs, symbolTables,
	} {
		for _, m := range t.metrics() {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// A table has a column for each metric of a Stats type.
type table[S any] []column[S]

type column[S any] struct {
	Metric
	value func(*S) float64
}

func (t table[S]) metrics() []Metric {
	all := make([]Metric, 0, len(t))
	for i := range t {
		all = append(all, t[i].Metric)
	}
	return all
}

// samples returns the metrics of stats with their values.
func (t table[S]) samples(stats *S) []Sample {
	all := make([]Sample, 0, len(t))
	for i := range t {
		all = append(all, Sample{t[i].Metric, t[i].value(stats)})
	}
	return all
}

// gauge and counter return a column. Its Kind is set when a table is built.
func gauge[S any](name, help string, value func(*S) float64) column[S] {
	return column[S]{Metric{Name: name, Help: help}, value}
}

func counter[S any](name, help string, value func(*S) float64) column[S] {
	return column[S]{Metric{Name: name, Help: help, Counter: true}, value}
}

func of[S any](kind string, columns ...column[S]) table[S] {
	for i := range columns {
		columns[i].Kind = kind
	}
	return columns
}

var accounts = of("memory",
	gauge("containers", "Open containers of this name.", func(s *store.Total) float64 { return float64(s.Stores) }),
	gauge("reserved_bytes", "Address space reserved, which costs no memory.", func(s *store.Total) float64 { return float64(s.Reserved) }),
	gauge("committed_bytes", "Memory obtained from the system, or from the Go heap for maps of less than 32 KiB.", func(s *store.Total) float64 { return float64(s.Committed) }),
)

var caches = of("cache",
	counter("hits_total", "Look-ups that found a value.", func(s *cache.Stats) float64 { return float64(s.Hits) }),
	counter("misses_total", "Look-ups that found no value.", func(s *cache.Stats) float64 { return float64(s.Misses) }),
	counter("evictions_total", "Entries evicted to make room for others.", func(s *cache.Stats) float64 { return float64(s.Evictions) }),
	counter("expirations_total", "Entries removed because they had expired.", func(s *cache.Stats) float64 { return float64(s.Expirations) }),
	counter("loads_total", "Calls of a function of GetOrLoad that returned a value.", func(s *cache.Stats) float64 { return float64(s.Loads) }),
	counter("load_failures_total", "Calls of a function of GetOrLoad that failed.", func(s *cache.Stats) float64 { return float64(s.LoadFailures) }),
	gauge("entries", "Entries held, including expired ones that were not removed yet.", func(s *cache.Stats) float64 { return float64(s.Len) }),
	gauge("memory_bytes", "Memory in use, inside and outside the Go heap.", func(s *cache.Stats) float64 { return float64(s.Bytes) }),
	gauge("memory_limit_bytes", "Maximum memory, Options.MaxBytes.", func(s *cache.Stats) float64 { return float64(s.Bound) }),
)

var maps = of("hashmap",
	gauge("entries", "Entries held.", func(s *hashmap.Stats) float64 { return float64(s.Len) }),
	gauge("slots", "Entries for which pages have room.", func(s *hashmap.Stats) float64 { return float64(s.Slots) }),
	gauge("pages", "Pages of slots.", func(s *hashmap.Stats) float64 { return float64(s.Pages) }),
	gauge("directory_entries", "Entries of the directory of pages, 12 bytes of Go heap each.", func(s *hashmap.Stats) float64 { return float64(s.Directory) }),
	gauge("page_bytes", "Bytes of pages, free blocks included.", func(s *hashmap.Stats) float64 { return float64(s.PageBytes) }),
	gauge("key_text_bytes", "Bytes of string keys, deleted ones included.", func(s *hashmap.Stats) float64 { return float64(s.TextBytes) }),
	gauge("committed_bytes", "Memory obtained for pages and string keys.", func(s *hashmap.Stats) float64 { return float64(s.Committed) }),
)

// indexed contains the columns of maps, and columns for the values of a hashmap.Indexed.
var indexed = func() table[hashmap.IndexedStats] {
	t := of("hashmap",
		gauge("value_slots", "Values for which chunks have room, of a hashmap.Indexed.", func(s *hashmap.IndexedStats) float64 { return float64(s.ValueSlots) }),
		gauge("value_bytes", "Bytes of the Go heap in chunks of values, of a hashmap.Indexed.", func(s *hashmap.IndexedStats) float64 { return float64(s.ValueBytes) }),
	)
	return withMaps(t, func(s *hashmap.IndexedStats) *hashmap.Stats { return &s.Stats })
}()

// texts contains the columns of maps, and columns for the values of a hashmap.Texts.
var texts = func() table[hashmap.TextsStats] {
	t := of("hashmap",
		gauge("value_text_bytes", "Bytes of values of a hashmap.Texts, deleted ones included.", func(s *hashmap.TextsStats) float64 { return float64(s.ValueBytes) }),
		gauge("dead_value_text_bytes", "Bytes of deleted and replaced values of a hashmap.Texts.", func(s *hashmap.TextsStats) float64 { return float64(s.DeadBytes) }),
	)
	return withMaps(t, func(s *hashmap.TextsStats) *hashmap.Stats { return &s.Stats })
}()

// withMaps appends the columns of maps to a table. The parameter of is a function that returns the
// hashmap.Stats in the table's Stats type.
func withMaps[S any](t table[S], of func(*S) *hashmap.Stats) table[S] {
	for _, c := range maps {
		t = append(t, column[S]{c.Metric, func(s *S) float64 { return c.value(of(s)) }})
	}
	return t
}

var trees = of("btree",
	gauge("entries", "Entries held.", func(s *btree.Stats) float64 { return float64(s.Len) }),
	gauge("height", "Levels of inner nodes.", func(s *btree.Stats) float64 { return float64(s.Height) }),
	gauge("nodes", "Nodes in the tree, or seen by snapshots.", func(s *btree.Stats) float64 { return float64(s.Nodes) }),
	gauge("free_nodes", "Nodes that are free.", func(s *btree.Stats) float64 { return float64(s.Free) }),
	gauge("node_size_bytes", "Size of a node.", func(s *btree.Stats) float64 { return float64(s.NodeBytes) }),
	gauge("key_text_bytes", "Bytes of string keys, freed ones included.", func(s *btree.Stats) float64 { return float64(s.TextBytes) }),
	gauge("committed_bytes", "Memory obtained for nodes and string keys.", func(s *btree.Stats) float64 { return float64(s.Committed) }),
	gauge("snapshots", "Open snapshots.", func(s *btree.Stats) float64 { return float64(s.Snapshots) }),
	gauge("snapshot_nodes", "Nodes that only snapshots see.", func(s *btree.Stats) float64 { return float64(s.HeldNodes) }),
	gauge("snapshot_key_texts", "String keys, or blocks of them, held for snapshots.", func(s *btree.Stats) float64 { return float64(s.HeldTexts) }),
	counter("copied_nodes_total", "Nodes copied for snapshots.", func(s *btree.Stats) float64 { return float64(s.Copies) }),
)

var symbolTables = of("symbols",
	gauge("entries", "Symbols in the table.", func(s *symbols.Stats) float64 { return float64(s.Len) }),
	gauge("text_bytes", "Bytes of text in the Go heap.", func(s *symbols.Stats) float64 { return float64(s.TextBytes) }),
	gauge("index_bytes", "Bytes of the index outside the Go heap.", func(s *symbols.Stats) float64 { return float64(s.IndexBytes) }),
)

var arenas = of("arena",
	gauge("types", "Types with a slab of their own.", func(s *arena.Stats) float64 { return float64(s.Types) }),
	gauge("chunks", "Chunks held.", func(s *arena.Stats) float64 { return float64(s.Chunks) }),
	gauge("used_bytes", "Bytes allocated and not cleared yet.", func(s *arena.Stats) float64 { return float64(s.Used) }),
	gauge("wasted_bytes", "Free bytes that slices skipped, until Reset.", func(s *arena.Stats) float64 { return float64(s.Wasted) }),
	gauge("chunk_bytes", "Bytes of all chunks.", func(s *arena.Stats) float64 { return float64(s.Size) }),
)

var slabs = of("slab",
	gauge("values", "Values allocated since the last Reset.", func(s *slab.Stats) float64 { return float64(s.Len) }),
	gauge("slots", "Values for which chunks have room.", func(s *slab.Stats) float64 { return float64(s.Cap) }),
	gauge("wasted_slots", "Free slots that slices skipped, until Reset.", func(s *slab.Stats) float64 { return float64(s.Wasted) }),
	gauge("chunks", "Chunks held.", func(s *slab.Stats) float64 { return float64(s.Chunks) }),
	gauge("chunk_bytes", "Bytes of all chunks.", func(s *slab.Stats) float64 { return float64(s.Size) }),
)
