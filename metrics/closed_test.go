package metrics

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/symbols"
)

// watched contains one container of each kind, and the Set that reports them.
type watched struct {
	set     *Set
	mu      sync.Mutex // guards arena, slab, tree, hash, indexed and one
	arena   *arena.Arena
	slab    *slab.Slab[int]
	tree    *btree.Map[string, int]
	hash    *hashmap.Map[string, int]
	indexed *hashmap.Indexed[string, *int]
	latest  Latest[hashmap.Stats]

	cache   *cache.Cache[string, int]
	sharded *hashmap.Sharded[string, int]
	texts   *hashmap.ShardedTexts[string, string]
	one     *hashmap.Texts[string, string] // guarded by mu
	symbols *symbols.Table
}

var kinds = []string{"arena", "cache", "hash", "indexed", "latest", "one", "sharded", "slab", "symbols", "texts", "tree"}

func watch(set *Set) *watched {
	w := &watched{
		set: set, arena: new(arena.Arena), slab: new(slab.Slab[int]),
		tree:    btree.Must(btree.New[string, int](btree.Options{})),
		hash:    hashmap.Must(hashmap.New[string, int](hashmap.Options{})),
		indexed: hashmap.Must(hashmap.NewIndexed[string, *int](hashmap.Options{})),
		cache:   cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20, Shards: 1})),
		sharded: hashmap.Must(hashmap.NewSharded[string, int](hashmap.Options{})),
		texts:   hashmap.Must(hashmap.NewShardedTexts[string, string](hashmap.Options{})),
		one:     hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{})),
		symbols: symbols.Must(symbols.New(symbols.Options{Max: 1 << 16})),
	}
	for name, source := range map[string]Source{
		"arena": Locked(&w.mu, w.arena), "slab": Locked(&w.mu, w.slab), "tree": Locked(&w.mu, w.tree), "hash": Locked(&w.mu, w.hash),
		"indexed": Locked(&w.mu, w.indexed), "latest": w.latest.Source(),
		"cache": Cache(w.cache), "sharded": Sharded(w.sharded), "texts": ShardedTexts(w.texts), "one": Locked(&w.mu, w.one), "symbols": Symbols(w.symbols),
	} {
		set.Add(name, source)
	}
	return w
}

// fill stores n entries in each container, and then clears the arena, the slab and the symbols.
func (w *watched) fill(n int) {
	for i := range n {
		key := "key " + strconv.Itoa(i)
		w.mu.Lock()
		*arena.New[int](w.arena) = i
		*w.slab.New() = i
		w.tree.Set(key, i)
		w.hash.Set(key, i)
		w.one.Set(key, key)
		w.indexed.Set(key, &i)
		w.latest.Store(w.hash.Stats())
		w.mu.Unlock()
		_ = w.cache.Set(key, i) // fails if the cache is full
		w.cache.Get(key)
		w.sharded.Set(key, i)
		w.texts.Set(key, key)
		w.symbols.Intern(key)
	}
	w.mu.Lock()
	w.arena.Reset()
	w.slab.Reset()
	w.mu.Unlock()
	w.symbols.Clear()
}

func (w *watched) close() error {
	w.mu.Lock()
	err := errors.Join(w.tree.Close(), w.hash.Close(), w.indexed.Close(), w.one.Close())
	w.mu.Unlock()
	return errors.Join(err, w.cache.Close(), w.sharded.Close(), w.texts.Close(), w.symbols.Close())
}

// TestReadWhileOthersClose reads containers of all kinds from several goroutines while they are
// filled, cleared and closed, before and after Remove. With -race, it detects unsynchronized reads.
func TestReadWhileOthersClose(t *testing.T) {
	var set Set
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for !over.Load() {
				set.Read()
			}
		})
	}
	for range 5 {
		w := watch(&set)
		w.fill(300)
		for _, name := range kinds[:4] {
			set.Remove(name)
		}
		if err := w.close(); err != nil {
			t.Error(err)
		}
		set.Read()
		for _, name := range kinds[4:] {
			set.Remove(name)
		}
	}
	over.Store(true)
	readers.Wait()
}

// A closed container is reported as empty, but a closed cache still reports its hits and misses.
func TestClosed(t *testing.T) {
	var set Set
	w := watch(&set)
	w.fill(100)
	before := map[string][]Sample{}
	for _, r := range set.Read() {
		before[r.Name] = r.Samples
	}
	if value(t, before["tree"], "entries") != 100 || value(t, before["hash"], "entries") != 100 || value(t, before["indexed"], "entries") != 100 ||
		value(t, before["sharded"], "entries") != 100 || value(t, before["cache"], "hits_total") != 100 || value(t, before["latest"], "entries") != 100 {
		t.Errorf("before Close there is %v", before)
	}
	w.latest.Store(hashmap.Stats{})
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Read() {
		if r.Kind == "memory" || r.Kind == "arena" || r.Kind == "slab" {
			continue
		}
		if value(t, r.Samples, "entries") != 0 {
			t.Errorf("the closed %s has %v", r.Name, r.Samples)
		}
		if r.Kind == "cache" && value(t, r.Samples, "hits_total") != 100 {
			t.Errorf("the closed cache has forgotten its hits: %v", r.Samples)
		}
	}
}

// Read holds no lock of the Set while it reads a container. Otherwise, a goroutine that calls
// Remove while it holds the lock of the container would deadlock with a monitor that waits for this
// lock.
func TestReadHoldsNoLock(t *testing.T) {
	var set Set
	read := false
	set.Add("map", Func(func() hashmap.Stats {
		if read = set.mu.TryLock(); read {
			set.mu.Unlock()
		}
		return hashmap.Stats{}
	}))
	set.Read()
	if !read {
		t.Error("Read holds the lock of the Set while it reads a container")
	}
}
