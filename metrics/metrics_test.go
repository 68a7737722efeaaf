package metrics

import (
	gomaps "maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

// numbered sets the numeric fields of a struct to last+1, last+2 and so on, and returns the last of
// these values.
func numbered(v reflect.Value, last int) int {
	for _, field := range v.Fields() {
		switch field.Kind() {
		case reflect.Struct:
			last = numbered(field, last)
		case reflect.Int:
			last++
			field.SetInt(int64(last))
		case reflect.Uint64:
			last++
			field.SetUint(uint64(last))
		}
	}
	return last
}

// complete verifies that a table contains each numeric field of its Stats exactly once.
func complete[S any](t *testing.T, columns table[S]) {
	t.Helper()
	var stats S
	n := numbered(reflect.ValueOf(&stats).Elem(), 0)
	var values []float64
	for _, s := range columns.samples(&stats) {
		values = append(values, s.Value)
	}
	slices.Sort(values)
	for i := range n {
		if i >= len(values) || values[i] != float64(i+1) || len(values) != n {
			t.Fatalf("%T has %d numbers, and the metrics show %v; each must be shown once", stats, n, values)
		}
	}
}

func TestEachNumberIsShown(t *testing.T) {
	complete(t, accounts)
	complete(t, arenas)
	complete(t, trees)
	complete(t, caches)
	complete(t, maps)
	complete(t, indexed)
	complete(t, slabs)
	complete(t, symbolTables)
}

// Func uses the table that belongs to the type of the Stats.
func TestFunc(t *testing.T) {
	kinds := map[string]Source{
		"arena": Func(func() arena.Stats { return arena.Stats{} }), "btree": Func(func() btree.Stats { return btree.Stats{} }),
		"cache": Func(func() cache.Stats { return cache.Stats{} }), "hashmap": Func(func() hashmap.Stats { return hashmap.Stats{} }),
		"slab": Func(func() slab.Stats { return slab.Stats{} }), "symbols": Func(func() symbols.Stats { return symbols.Stats{} }),
	}
	for kind, source := range kinds {
		if source.kind != kind || len(source.read()) == 0 {
			t.Errorf("%s has the kind %s", kind, source.kind)
		}
	}
	source := Func(func() hashmap.IndexedStats { return hashmap.IndexedStats{Stats: hashmap.Stats{Len: 7}, ValueSlots: 9} })
	if source.kind != "hashmap" || value(t, source.read(), "entries") != 7 || value(t, source.read(), "value_slots") != 9 {
		t.Errorf("an Indexed has %v", source.read())
	}
}

// value returns the value of the metric with the given name.
func value(t *testing.T, samples []Sample, name string) float64 {
	t.Helper()
	for _, s := range samples {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("no metric %s in %v", name, samples)
	return 0
}

// Metric names follow the conventions of Prometheus, and are unique.
func TestAll(t *testing.T) {
	all := All()
	seen := map[string]bool{}
	for _, m := range all {
		full := m.Kind + "_" + m.Name
		if seen[full] {
			t.Errorf("%s is there twice", full)
		}
		seen[full] = true
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`).MatchString(full) || strings.HasSuffix(full, "_total") != m.Counter {
			t.Errorf("%s, counter %t", full, m.Counter)
		}
		if strings.Contains(m.Name, "bytes") && !strings.HasSuffix(m.Name, "_bytes") {
			t.Errorf("%s: the unit must stand at the end", full)
		}
		if !strings.HasSuffix(m.Help, ".") {
			t.Errorf("%s: the help must be a sentence: %q", full, m.Help)
		}
	}
	var set Set
	var stats hashmap.IndexedStats
	set.Add("x", Func(func() hashmap.IndexedStats { return stats }))
	for _, s := range set.Read()[0].Samples {
		if !slices.Contains(all, s.Metric) {
			t.Errorf("All lacks %v", s.Metric)
		}
	}
}

// names returns the kind and the name of each container in s, without the memory accounts.
func names(s *Set) (all []string) {
	for _, r := range s.Read() {
		if r.Kind != "memory" {
			all = append(all, r.Kind+" "+r.Name)
		}
	}
	return all
}

func TestSet(t *testing.T) {
	var s Set
	if got := names(&s); got != nil {
		t.Errorf("the empty set has %v", got)
	}
	zero := func() slab.Stats { return slab.Stats{} }
	s.Add("b", Func(zero))
	s.Add("a", Func(func() arena.Stats { return arena.Stats{} }))
	s.Add("c", Func(zero))
	if got, want := names(&s), []string{"arena a", "slab b", "slab c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !s.Remove("b") || s.Remove("b") {
		t.Error("Remove of a name twice")
	}
	s.Add("b", Func(func() cache.Stats { return cache.Stats{} }))
	if got, want := names(&s), []string{"arena a", "cache b", "slab c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPanics(t *testing.T) {
	var s Set
	var mu sync.Mutex
	var nilStats func() slab.Stats
	s.Add("taken", Func(func() slab.Stats { return slab.Stats{} }))
	for want, f := range map[string]func(){
		"metrics.Set.Add: the name must":           func() { s.Add("", s.sources["taken"]) },
		"metrics.Set.Add: the name must be UTF-8":  func() { s.Add("\xff", s.sources["taken"]) },
		"metrics.Set.Add: the zero Source":         func() { s.Add("x", Source{}) },
		"metrics.Set.Add: there is a container ta": func() { s.Add("taken", s.sources["taken"]) },
		"metrics.Cache: ":                          func() { Cache[int, int](nil) },
		"metrics.Sharded: ":                        func() { Sharded[int, int](nil) },
		"metrics.ShardedTexts: ":                   func() { ShardedTexts[int, string](nil) },
		"metrics.Symbols: ":                        func() { Symbols(nil) },
		"metrics.Func: ":                           func() { Func(nilStats) },
		"metrics.Locked: the lock or the c":        func() { Locked(nil, new(slab.Slab[int])) },
		"metrics.Locked: the lock or ":             func() { Locked[slab.Stats](&mu, nil) },
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := names(&s); !slices.Equal(got, []string{"slab taken"}) {
		t.Errorf("after panics the set has %v", got)
	}
}

func TestLatest(t *testing.T) {
	var l Latest[btree.Stats]
	if l.Load() != (btree.Stats{}) || value(t, l.Source().read(), "entries") != 0 {
		t.Error("the zero Latest has something")
	}
	l.Store(btree.Stats{Len: 3})
	if l.Load().Len != 3 || value(t, l.Source().read(), "entries") != 3 {
		t.Error("Store is not seen")
	}
}

// The name of an account may contain any bytes. Accounts whose names differ only in invalid bytes
// are reported together, because a monitor cannot show these bytes.
func TestAccounts(t *testing.T) {
	for _, name := range []string{"watched \xff", "watched \xfe", "watched a", "watched \xff"} {
		s := store.Must(store.New[[8]byte](store.Options{Name: name}))
		defer s.Close()
		s.Make(1000)
	}
	got := map[string]float64{}
	var none *Set
	for _, r := range none.Read() {
		if strings.HasPrefix(r.Name, "watched") {
			got[r.Name] = value(t, r.Samples, "containers")
			if c := value(t, r.Samples, "committed_bytes"); c < 8000 || value(t, r.Samples, "reserved_bytes") < c {
				t.Errorf("%s: %v", r.Name, r.Samples)
			}
		}
	}
	if want := map[string]float64{"watched \uFFFD": 3, "watched a": 1}; !gomaps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
