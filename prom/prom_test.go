package prom_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/metrics"
	"github.com/coppice-go/coppice/prom"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

// everything returns a Set with a container of each type.
func everything() *metrics.Set {
	set := new(metrics.Set)
	set.Add("arena", metrics.Func(func() arena.Stats { return arena.Stats{} }))
	set.Add("cache", metrics.Func(func() cache.Stats { return cache.Stats{Hits: 1 << 60} }))
	set.Add("indexed", metrics.Func(func() hashmap.IndexedStats { return hashmap.IndexedStats{} }))
	set.Add("map", metrics.Func(func() hashmap.Stats { return hashmap.Stats{} }))
	set.Add("slab", metrics.Func(func() slab.Stats { return slab.Stats{} }))
	set.Add("symbols", metrics.Func(func() symbols.Stats { return symbols.Stats{} }))
	set.Add("texts", metrics.Func(func() hashmap.TextsStats { return hashmap.TextsStats{} }))
	set.Add("tree", metrics.Func(func() btree.Stats { return btree.Stats{} }))
	return set
}

// TestLint verifies that all metrics pass promtool's lint and a pedantic registry, which rejects
// metrics that were not described.
func TestLint(t *testing.T) {
	s := store.Must(store.New[[8]byte](store.Options{Name: "linted"}))
	defer s.Close()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(prom.NewCollector(everything()))
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(families), len(metrics.All()); got != want {
		t.Errorf("%d metrics are collected, and %d are known", got, want)
	}
}

// A second collector in the same registry would report the memory accounts twice, so its
// registration must fail.
func TestOneCollector(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prom.NewCollector(nil))
	if err := registry.Register(prom.NewCollector(everything())); err == nil {
		t.Error("a second collector is accepted")
	}
}

func TestCollect(t *testing.T) {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	c.Set(1, 1)
	c.Get(1)
	c.Get(2)
	set := new(metrics.Set)
	collector := prom.NewCollector(set)
	set.Add(`a "cache"`, metrics.Cache(c))
	if err := testutil.CollectAndCompare(collector, strings.NewReader(`
# HELP coppice_cache_hits_total Look-ups that found a value.
# TYPE coppice_cache_hits_total counter
coppice_cache_hits_total{container="a \"cache\""} 1
# HELP coppice_cache_entries Entries held, including expired ones that were not removed yet.
# TYPE coppice_cache_entries gauge
coppice_cache_entries{container="a \"cache\""} 1
`), "coppice_cache_hits_total", "coppice_cache_entries"); err != nil {
		t.Error(err)
	}
	set.Remove(`a "cache"`)
	if n := testutil.CollectAndCount(collector, "coppice_cache_hits_total"); n != 0 {
		t.Errorf("after Remove there are %d series", n)
	}
}

// scrape reads the metrics page in the format that the Accept header requests.
func scrape(t *testing.T, url, accept string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("status %s, %v: %s", response.Status, err, text)
	}
	return string(text)
}

// serve starts a server for the metrics of a Set and returns its URL. If a scrape fails, the server
// returns an HTTP error.
func serve(t *testing.T, set *metrics.Set) (url string) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(prom.NewCollector(set))
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	t.Cleanup(server.Close)
	return server.URL
}

// In OpenMetrics, the name of a counter has no suffix _total in its TYPE line. Without the suffix
// it must not be equal to the name of another metric.
func TestOpenMetrics(t *testing.T) {
	text := scrape(t, serve(t, everything()), "application/openmetrics-text")
	seen := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(text, -1) {
		if seen[match[1]] {
			t.Errorf("%s is there twice", match[1])
		}
		seen[match[1]] = true
	}
	if !seen["coppice_cache_hits"] || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("the page is not OpenMetrics:\n%s", text)
	}
}

// containers holds the containers of a part of a program that starts and ends while metrics are
// scraped.
type containers struct {
	mu      sync.Mutex
	tree    *btree.Map[uint64, uint64] // guarded by mu
	cache   *cache.Cache[uint64, uint64]
	sharded *hashmap.Sharded[uint64, uint64]
	symbols *symbols.Table
	records *store.Store[[8]byte]
}

func begin(set *metrics.Set) *containers {
	c := &containers{
		tree:    btree.Must(btree.New[uint64, uint64](btree.Options{})),
		cache:   cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20, Shards: 1})),
		sharded: hashmap.Must(hashmap.NewSharded[uint64, uint64](hashmap.Options{})),
		symbols: symbols.Must(symbols.New(symbols.Options{Max: 1 << 10})),
		records: store.Must(store.New[[8]byte](store.Options{Max: 1 << 10})),
	}
	set.Add("tree", metrics.Locked(&c.mu, c.tree))
	set.Add("cache", metrics.Cache(c.cache))
	set.Add("sharded", metrics.Sharded(c.sharded))
	set.Add("symbols", metrics.Symbols(c.symbols))
	return c
}

func (c *containers) work() {
	for i := range uint64(200) {
		c.mu.Lock()
		c.tree.Set(i, i)
		c.mu.Unlock()
		_ = c.cache.Set(i, i)
		c.cache.Get(i)
		c.sharded.Set(i, i)
		c.symbols.Intern(string(rune('a' + i)))
		c.records.New()
	}
}

func (c *containers) end(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range []func() error{c.tree.Close, c.cache.Close, c.sharded.Close, c.symbols.Close, c.records.Close} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
}

// TestScrapeWhileContainersClose verifies that every scrape is complete while containers are
// created, used and closed.
func TestScrapeWhileContainersClose(t *testing.T) {
	set := new(metrics.Set)
	url := serve(t, set)
	var over atomic.Bool
	var scrapers sync.WaitGroup
	for range 2 {
		scrapers.Go(func() {
			for !over.Load() {
				scrape(t, url, "text/plain")
			}
		})
	}
	for range 5 {
		c := begin(set)
		c.work()
		if text := scrape(t, url, "text/plain"); !strings.Contains(text, `coppice_btree_entries{container="tree"} 200`) {
			t.Errorf("the page lacks the tree:\n%s", text)
		}
		c.end(t)
		if text := scrape(t, url, "text/plain"); !strings.Contains(text, `coppice_btree_entries{container="tree"} 0`) {
			t.Errorf("the closed tree is not empty:\n%s", text)
		}
		for _, name := range []string{"tree", "cache", "sharded", "symbols"} {
			set.Remove(name)
		}
	}
	over.Store(true)
	scrapers.Wait()
}
