package metrics_test

import (
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/metrics"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

// show prints the metrics with the given names, without the memory accounts of the process.
func show(set *metrics.Set, names ...string) {
	for _, r := range set.Read() {
		for _, s := range r.Samples {
			for _, name := range names {
				if s.Name == name && r.Kind != "memory" {
					fmt.Println(r.Kind, r.Name, s.Name, s.Value)
				}
			}
		}
	}
}

func Example() {
	sessions := cache.Must(cache.New[uint64, string](cache.Options{MaxBytes: 1 << 20}))
	defer sessions.Close()
	var mu sync.Mutex // guards people
	people := hashmap.Must(hashmap.New[string, uint32](hashmap.Options{}))
	defer people.Close()

	var watched metrics.Set
	watched.Add("sessions", metrics.Cache(sessions))
	watched.Add("people", metrics.Locked(&mu, people))

	_ = sessions.Set(7, "ulm")
	sessions.Get(7)
	sessions.Get(8)
	mu.Lock()
	people.Set("ulm", 128_000)
	mu.Unlock()
	show(&watched, "hits_total", "misses_total", "entries")
	// Output:
	// hashmap people entries 1
	// cache sessions hits_total 1
	// cache sessions misses_total 1
	// cache sessions entries 1
}

func ExampleAll() {
	for _, m := range metrics.All()[:3] {
		fmt.Println(m.Kind, m.Name, m.Counter)
	}
	// Output:
	// memory containers false
	// memory reserved_bytes false
	// memory committed_bytes false
}

func ExampleCache() {
	pages := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20}))
	defer pages.Close()
	var watched metrics.Set
	watched.Add("pages", metrics.Cache(pages))
	pages.Get("index.html")
	show(&watched, "misses_total", "memory_limit_bytes")
	// Output:
	// cache pages misses_total 1
	// cache pages memory_limit_bytes 1.048576e+06
}

func ExampleSharded() {
	counts := hashmap.Must(hashmap.NewSharded[string, int64](hashmap.Options{}))
	defer counts.Close()
	var watched metrics.Set
	watched.Add("counts", metrics.Sharded(counts))
	counts.Set("/", 1)
	show(&watched, "entries")
	// Output: hashmap counts entries 1
}

func ExampleShardedTexts() {
	pages := hashmap.Must(hashmap.NewShardedTexts[string, []byte](hashmap.Options{}))
	defer pages.Close()
	var watched metrics.Set
	watched.Add("pages", metrics.ShardedTexts(pages))
	pages.Set("/", []byte("a page"))
	show(&watched, "entries")
	// Output: hashmap pages entries 1
}

func ExampleSymbols() {
	names := symbols.Must(symbols.New(symbols.Options{}))
	defer names.Close()
	var watched metrics.Set
	watched.Add("names", metrics.Symbols(names))
	names.Intern("if")
	show(&watched, "entries")
	// Output: symbols names entries 1
}

// The lock is held whenever the map is changed, read or closed.
func ExampleLocked() {
	var mu sync.RWMutex
	times := btree.Must(btree.New[int64, uint32](btree.Options{}))
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		times.Close()
	}()
	var watched metrics.Set
	watched.Add("times", metrics.Locked(mu.RLocker(), times))
	mu.Lock()
	times.Set(1700000000, 1)
	mu.Unlock()
	show(&watched, "entries")
	// Output: btree times entries 1
}

// A worker has its own slab, and stores its Stats after each batch.
func ExampleLatest() {
	var nodes slab.Slab[int]
	var latest metrics.Latest[slab.Stats]
	var watched metrics.Set
	watched.Add("nodes", latest.Source())
	for range 2 {
		for range 1000 {
			nodes.New()
		}
		latest.Store(nodes.Stats())
		nodes.Reset()
	}
	show(&watched, "values")
	// Output: slab nodes values 1000
}

func ExampleLatest_Store() {
	var requests arena.Arena
	var latest metrics.Latest[arena.Stats]
	for _, word := range []string{"find", "fix", "prove"} {
		requests.Concat(word, " it")
		latest.Store(requests.Stats()) // the memory of the request, before Reset
		requests.Reset()
	}
	fmt.Println(latest.Load().Used >= uint64(len("prove")), requests.Stats().Used)
	// Output: true 0
}

func ExampleLatest_Load() {
	var latest metrics.Latest[btree.Stats]
	fmt.Println(latest.Load().Len)
	latest.Store(btree.Stats{Len: 41})
	fmt.Println(latest.Load().Len)
	// Output:
	// 0
	// 41
}

func ExampleLatest_Source() {
	var latest metrics.Latest[hashmap.Stats]
	var watched metrics.Set
	watched.Add("people", latest.Source())
	latest.Store(hashmap.Stats{Len: 41})
	show(&watched, "entries")
	// Output: hashmap people entries 41
}

// A pool of slabs, each with its own lock, is reported as the sum of their Stats.
func ExampleFunc() {
	shards := make([]struct {
		sync.Mutex
		slab.Slab[int]
	}, 2)
	var watched metrics.Set
	watched.Add("shards", metrics.Func(func() (sum slab.Stats) {
		for i := range shards {
			shards[i].Lock()
			s := shards[i].Stats()
			shards[i].Unlock()
			sum.Len += s.Len
			sum.Size += s.Size
		}
		return sum
	}))
	shards[0].New()
	shards[1].New()
	show(&watched, "values")
	// Output: slab shards values 2
}

func ExampleSet_Add() {
	var watched metrics.Set
	for _, name := range []string{"pages", "images"} {
		c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20, Name: name}))
		defer c.Close()
		watched.Add(name, metrics.Cache(c))
		c.Get("ulm")
	}
	show(&watched, "misses_total")
	// Output:
	// cache images misses_total 1
	// cache pages misses_total 1
}

// A custom monitor reads a Set. The accounts of the process come last.
func ExampleSet_Read() {
	records := store.Must(store.New[[16]byte](store.Options{Name: "records of ExampleSet_Read"}))
	defer records.Close()
	var watched metrics.Set
	for _, r := range watched.Read() {
		if r.Name == "records of ExampleSet_Read" {
			fmt.Println(r.Kind, r.Samples[0].Name, r.Samples[0].Value)
		}
	}
	// Output: memory containers 1
}

// The container may be read once more during Remove, so it can be closed before or after.
func ExampleSet_Remove() {
	pages := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20}))
	var watched metrics.Set
	watched.Add("pages", metrics.Cache(pages))
	watched.Remove("pages")
	if err := pages.Close(); err != nil {
		fmt.Println(err)
	}
	show(&watched, "entries")
	// Output:
}
