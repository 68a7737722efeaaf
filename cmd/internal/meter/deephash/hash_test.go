package deephash

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

type pair struct{ a, b *int }

type list struct {
	value int
	next  *list
}

type locked struct {
	mu sync.Mutex
	n  int
}

type drawn struct {
	nodes slab.Slab[list]
	more  *slab.Slab[list]
	n     int
}

// kept contains one of each container type, and of each allocator with memory outside the Go heap.
type kept struct {
	entries *hashmap.Map[string, int]
	sorted  *btree.Map[string, int]
	names   *symbols.Table
	cached  *cache.Cache[string, int]
	records *store.Store[int]
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newKept(t *testing.T, names ...string) *kept {
	k := &kept{
		must(hashmap.New[string, int](hashmap.Options{})), must(btree.New[string, int](btree.Options{})), must(symbols.New(symbols.Options{})),
		must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20})), must(store.New[int](store.Options{})),
	}
	t.Cleanup(func() {
		for _, c := range []io.Closer{k.entries, k.sorted, k.names, k.cached, k.records} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	for i, name := range names {
		k.entries.Set(name, i)
		k.sorted.Set(name, i)
		k.names.Intern(name)
		if err := k.cached.Set(name, i); err != nil {
			t.Fatal(err)
		}
		k.records.Alloc(i)
	}
	return k
}

type empty struct{}

type nested []nested

func TestEqual(t *testing.T) {
	one := 1
	var places struct {
		a  empty
		in int
		b  empty
	}
	mu := locked{n: 1}
	mu.mu.Lock()
	used := drawn{more: new(slab.Slab[list]), n: 1}
	used.nodes.New()
	capacity := append(make([]int, 0, 100), 1, 2)
	shared, other := []string{"x"}, []string{"x"}
	e := []any{1}
	for name, p := range map[string][2]any{
		"nothing":         {nil, nil},
		"NaN":             {math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) ^ 1<<63 ^ 3)},
		"complex NaN":     {complex(math.NaN(), 1), complex(math.Float64frombits(0x7ff8000000000002), 1)},
		"capacity":        {capacity, []int{1, 2}},
		"locks":           {&mu, &locked{n: 1}},
		"allocators":      {&used, &drawn{n: 1}},
		"containers":      {newKept(t, "ash", "elm"), newKept(t)},
		"funcs and chans": {outsideOf(&one), outside{}},
		"empty":           {[2]*empty{&places.a, &places.a}, [2]*empty{&places.a, &places.b}},
		"errors":          {fmt.Errorf("a: %w", os.ErrClosed), fmt.Errorf("a: %w", os.ErrClosed)},
		"joined errors":   {errors.Join(os.ErrClosed, errors.New("x")), errors.Join(os.ErrClosed, errors.New("x"))},
		"shared slices":   {[][]string{shared, shared}, [][]string{shared, other}},
		"shared any":      {[][]any{e, e, nil}, [][]any{e, {1}, nil}},
		"then pointers":   {[]any{[]any{e, e}, &one}, []any{[]any{e, []any{1}}, new(int(1))}},
		"NaN keys":        {map[float64]int{math.NaN(): 1, math.Float64frombits(0x7ff8000000000002): 2}, map[float64]int{math.NaN(): 2, math.Float64frombits(0x7ff8000000000002): 1}},
		"pointer keys":    {map[*int]string{new(int(1)): "a", new(int(2)): "b"}, map[*int]string{new(int(2)): "b", new(int(1)): "a"}},
	} {
		if a, b := hashOf(p[0]), hashOf(p[1]); a != b {
			t.Errorf("%s: %x and %x", name, a, b)
		}
	}
}

// TestVectors verifies that an inline.Vec has the same hash as a slice of its elements. It does not
// call Hash, because the type names of values in interfaces are hashed too.
func TestVectors(t *testing.T) {
	type vec = inline.Vec[string, [2]string]
	var inside, spilled vec
	inside.Append("a")
	for _, s := range []string{"a", "b", "c"} {
		spilled.Append(s)
	}
	h := NewDeepHasher("")
	hash := func(v any) uint64 {
		h.state, h.met = 0, map[string][]string{}
		h.value(reflect.ValueOf(v), h.plan(reflect.TypeOf(v)))
		return h.state
	}
	a := hash(struct{ a, b, c []string }{[]string{"a"}, []string{"a", "b", "c"}, nil})
	b := hash(struct{ a, b, c vec }{inside, spilled, vec{}})
	if a != b {
		t.Errorf("slices have %x, vectors %x", a, b)
	}
}

func TestDiffer(t *testing.T) {
	one, also := 1, 1
	ring := &list{}
	ring.next = ring
	ring2 := &list{next: &list{}}
	ring2.next.next = ring2
	self := nested{nil}
	self[0] = self
	nodes := []*list{{value: 1}, {value: 1}}
	m := map[string]int{}
	for name, p := range map[string][2]any{
		"sharing":       {pair{&one, &one}, pair{&one, &also}},
		"sharing, list": {[]*list{nodes[0], nodes[0]}, nodes},
		"nil slice":     {[]int(nil), []int{}},
		"nil bytes":     {[]byte(nil), []byte{}},
		"nil map":       {map[int]int(nil), map[int]int{}},
		"nil pointer":   {(*int)(nil), new(int)},
		"nil empty":     {(*empty)(nil), &empty{}},
		"nil interface": {[]error{nil}, []error{error((*os.PathError)(nil))}},
		"types":         {int32(1), int64(1)},
		"zeros":         {0.0, math.Copysign(0, -1)},
		"strings":       {[]string{"ab", "c"}, []string{"a", "bc"}},
		"zero bytes":    {"a\x00", "a"},
		"long strings":  {strings.Repeat("x", 80), strings.Repeat("x", 79) + "y"},
		"order":         {[]int{1, 2}, []int{2, 1}},
		"keys":          {map[int]int{1: 2}, map[int]int{2: 1}},
		"maps":          {map[int]int{1: 2, 3: 4}, map[int]int{1: 4, 3: 2}},
		"shared maps":   {[]map[string]int{m, m}, []map[string]int{{}, {}}},
		"pointer keys":  {map[*int]string{&one: "a"}, map[*int]string{&one: "b"}},
		"lengths":       {[][]int{{1}, {}}, [][]int{{}, {1}}},
		"rings":         {ring, ring2},
		"nested":        {self, nested{nested{}}},
		"errors":        {fmt.Errorf("a: %w", os.ErrClosed), fmt.Errorf("a: %w", os.ErrExist)},
		"bools":         {true, false},
		"complex":       {complex(1, 2), complex(2, 1)},
	} {
		if a, b := hashOf(p[0]), hashOf(p[1]); a == b {
			t.Errorf("%s: both are %x", name, a)
		}
	}
	if hashOf(1, 2) == hashOf(2, 1) || hashOf() == hashOf(nil) || hashOf(&one, &one) == hashOf(&one, &also) {
		t.Error("several values: order, count or sharing are not seen")
	}
}

// TestSameEverywhere verifies that the hash does not depend on the process, the machine or the
// version of Go, because coppice compares the hashes of two binaries, which may be built with
// different toolchains. If the hash function is changed on purpose, update the constant.
func TestSameEverywhere(t *testing.T) {
	v := &struct {
		a int
		b string
		c map[string][]any
		d float32
	}{-1, "twelve bytes", map[string][]any{"x": {1, "y", nil}, "z": nil}, 1.5}
	if got, want := hashOf(v), uint64(0x36dde35f7696930e); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}

// TestDepth hashes values that are nested so deeply that a recursion along their links would
// overflow the stack.
func TestDepth(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20)) // a larger stack ends the process
	type box struct{ next any }
	var head *list
	var array, boxes any
	var whole nested
	for i := range 1_000_000 {
		head = &list{i, head}
	}
	for range 100_000 {
		array = []any{array}
		boxes = box{boxes}
		whole = nested{whole}
	}
	for name, v := range map[string]any{"list": head, "arrays": array, "boxes": boxes, "slices": whole} {
		if a, b := hashOf(v), hashOf(v); a != b {
			t.Errorf("%s: %x, then %x", name, a, b)
		}
	}
}

// TestCyclesEnd verifies that the hashing of cyclic values, and of values with exponentially many
// paths, terminates.
func TestCyclesEnd(t *testing.T) {
	ring := []any{nil, nil}
	ring[0], ring[1] = ring, ring
	tree := []any{}
	for range 50 {
		tree = []any{tree, tree}
	}
	type kids struct{ kids []kids }
	family := kids{make([]kids, 2)}
	family.kids[0], family.kids[1] = family, family
	m := map[string]any{}
	m["m"] = m
	for name, v := range map[string]any{"ring": ring, "tree": tree, "family": family, "map": m} {
		if a, b := hashOf(v), hashOf(v); a != b {
			t.Errorf("%s: %x, then %x", name, a, b)
		}
	}
}

// TestAlikeKeys verifies that the hash of a map is deterministic even if its keys look the same,
// and so do its values up to lookBudget. Only the slice order distinguishes the keys, so it must be
// visited before the map.
func TestAlikeKeys(t *testing.T) {
	var v struct {
		order *[]*list
		of    map[*list]*list
	}
	v.order, v.of = new([]*list), map[*list]*list{}
	for i := range 10 {
		far := &list{value: i}
		for range 2 * lookBudget {
			far = &list{next: far}
		}
		key := new(list)
		v.of[key] = far
		*v.order = append(*v.order, key)
	}
	want := hashOf(&v)
	for range 50 {
		if got := hashOf(&v); got != want {
			t.Fatalf("the hash is %x, then %x", want, got)
		}
	}
}

type two[K, V any] struct {
	key   K
	value V
}

func TestSkipAndFields(t *testing.T) {
	const path = "github.com/coppice-go/coppice/cmd/internal/meter/deephash."
	list := []any{&struct{ l list }{}, two[int, string]{1, "a"}, &locked{}}
	all := map[string][]string{}
	NewDeepHasher("").Hash(all, list)
	delete(all, "struct { l deephash.list }")
	want := map[string][]string{path + "list": {"value", "next"}, path + "two[int,string]": {"key", "value"}, path + "locked": {"mu", "n"}}
	if !maps.EqualFunc(all, want, slices.Equal) {
		t.Errorf("met %v, want %v", all, want)
	}

	h := NewDeepHasher(path + "list.value, " + path + "two[int,string].value,")
	hash := func(v any) uint64 {
		sum, _ := h.Hash(map[string][]string{}, []any{v})
		return sum
	}
	if hash(two[int, string]{1, "a"}) != hash(two[int, string]{1, "b"}) || hash(two[int, string]{1, "a"}) == hash(two[int, string]{2, "a"}) {
		t.Error("not exactly the field value of two is skipped")
	}
	met := map[string][]string{}
	h.Hash(met, list)
	if got := met[path+"two[int,string]"]; !slices.Equal(got, []string{"key", "value"}) {
		t.Errorf("a type with a skipped field has fields %v", got)
	}
}

func TestValuesAreCounted(t *testing.T) {
	for _, c := range []struct {
		value any
		want  uint64
	}{{7, 1}, {[]any{1, "a", true}, 3}, {&list{1, nil}, 3}, {nil, 0}, {make([]byte, 10), 1}} {
		if _, got := NewDeepHasher("").Hash(map[string][]string{}, []any{c.value}); got != c.want {
			t.Errorf("%v: %d values, want %d", c.value, got, c.want)
		}
	}
}

type leaf struct {
	name        string
	from, to    int
	kind        uint8
	left, right *leaf
}

func tree(depth int) *leaf {
	if depth == 0 {
		return nil
	}
	return &leaf{"name", depth, 2 * depth, 3, tree(depth - 1), tree(depth - 1)}
}

// BenchmarkTree measures how many values of a syntax tree are hashed per second.
func BenchmarkTree(b *testing.B) {
	h, root := NewDeepHasher(""), []any{tree(15)}
	met := map[string][]string{}
	var n uint64
	for b.Loop() {
		_, n = h.Hash(met, root)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}

// BenchmarkNumbers measures how many elements of a slice of integers are hashed per second.
func BenchmarkNumbers(b *testing.B) {
	h, root := NewDeepHasher(""), []any{make([]int32, 1e6)}
	met := map[string][]string{}
	var n uint64
	for b.Loop() {
		_, n = h.Hash(met, root)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}
