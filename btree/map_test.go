package btree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
)

func openFor[K cmp.Ordered, V any](t testing.TB) *Map[K, V] {
	t.Helper()
	m, err := New[K, V](Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestShapes verifies that the arrays in a node are disjoint, aligned, and inside the node, for
// keys and values of many sizes.
func TestShapes(t *testing.T) {
	for _, m := range []mode{words32, words64, stringed, compared} {
		for _, key := range []uintptr{1, 2, 3, 7, 8, 12, 100, 3000} {
			for _, value := range []uintptr{0, 1, 2, 8, 24, 100, 1000, 5000} {
				s, err := shapeOf(m, key, value, false)
				if err != nil {
					t.Fatal(err)
				}
				r, err := shapeOf(m, key, value, true)
				if err != nil || r.innerCounts != r.innerChildren+4*uintptr(r.innerCap+1) || r.innerCounts%4 != 0 || r.innerCounts+4*uintptr(r.innerCap+1) > r.nodeBytes ||
					r.innerCap < leastEntries || r.innerRefs+r.refBytes*uintptr(r.innerCap) > r.innerChildren {
					t.Errorf("%v %d %d: with counts, %+v, %v", m, key, value, r, err)
				}
				leafs, inners := s.arrays(true), s.arrays(false)
				end := uintptr(headerBytes)
				for _, a := range leafs {
					if a.start < end || s.leafCap < leastEntries {
						t.Errorf("%v %d %d: arrays overlap: %+v", m, key, value, s)
					}
					end = a.start + a.size*uintptr(s.leafCap)
				}
				inner := inners[0].start + inners[0].size*uintptr(s.innerCap)
				if end > s.nodeBytes || s.leafValues%8 != 0 || s.leafBlock%4 != 0 || s.leafBlock < headerBytes+s.keyBytes*uintptr(s.leafCap) || s.leafPlaces%2 != 0 || s.nodeBytes%64 != 0 || inner > s.innerRefs ||
					s.innerRefs+s.refBytes*uintptr(s.innerCap) > s.innerChildren || s.innerChildren%4 != 0 ||
					s.innerChildren+4*uintptr(s.innerCap+1) > s.nodeBytes || s.innerCap < leastEntries {
					t.Errorf("%v %d %d: %+v", m, key, value, s)
				}
			}
		}
	}
	if s, err := shapeOf(stringed, 16, 8, false); err != nil || s.leafPlaces-s.leafBlock != sizeOf[block]() || sizeOf[block]() != blockBytes {
		t.Errorf("a block has %d bytes, %v", sizeOf[block](), err)
	}
	// The largest block holds the maximum contents of a leaf plus an eighth, is rounded up by
	// another eighth, and grows by half because of removed keys.
	if most := mostSkip + mostEntries*(1+longest-wordBytes); most*9/8*9/8*3/2 > math.MaxUint16 {
		t.Errorf("a place of two bytes does not reach all of a block of %d bytes", most)
	}
	if sizeOf[header]() != headerBytes {
		t.Errorf("a header has %d bytes", sizeOf[header]())
	}
	if _, err := shapeOf(words64, 8, 1<<30, false); err == nil {
		t.Error("a value of a gigabyte fits into a node")
	}
}

func orderly[K cmp.Ordered](t *testing.T, keys ...K) {
	t.Helper()
	f, m, ok := formOf(reflect.TypeFor[K]())
	if !ok {
		t.Fatalf("%T has no form", keys)
	}
	for _, a := range keys {
		w := wordOf(&f, &a)
		if m == words32 && w > math.MaxUint32 {
			t.Errorf("the word of %v is %#x", a, w)
		}
		if k := keyOf[K](&f, w); cmp.Compare(k, a) != 0 {
			t.Errorf("%v becomes %v", a, k)
		}
		for _, b := range keys {
			if got, want := cmp.Compare(w, wordOf(&f, &b)), cmp.Compare(a, b); got != want {
				t.Errorf("words of %v and %v compare %d, want %d", a, b, got, want)
			}
		}
	}
}

type celsius float32

func TestWordsAreOrdered(t *testing.T) {
	orderly[int8](t, -128, -1, 0, 1, 127)
	orderly[int16](t, math.MinInt16, -1, 0, 1, math.MaxInt16)
	orderly[int32](t, math.MinInt32, -1, 0, 1, math.MaxInt32)
	orderly[int64](t, math.MinInt64, -1, 0, 1, math.MaxInt64)
	orderly[int](t, math.MinInt, -1, 0, 1, math.MaxInt)
	orderly[uint8](t, 0, 1, 255)
	orderly[uint16](t, 0, 1, 65535)
	orderly[uint32](t, 0, 1, math.MaxUint32)
	orderly[uint64](t, 0, 1, math.MaxUint64)
	orderly[uintptr](t, 0, 1, ^uintptr(0))
	floats := []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -1, -5e-324, math.Copysign(0, -1), 0, 5e-324, 1, math.Inf(1)}
	orderly(t, floats...)
	for _, f := range floats {
		orderly(t, append([]celsius{celsius(f)}, -2, 0, 1)...)
	}
}

func TestWordsOfTexts(t *testing.T) {
	texts := []string{"", "\x00", "\x00\x00", "a", "a\x00", "ab", "abcdef", "abcdefg", "abcdefg\x00", "abcdefgh", "abcdefgz", "abcdeff", "\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff"}
	for _, a := range texts {
		for _, b := range texts {
			for _, start := range []string{"", "x", "https://"} {
				v, w := textWord([]byte(start+a), uint32(len(start))), textWord([]byte(start+b), uint32(len(start)))
				c := cmp.Compare(a, b)
				if v != w && cmp.Compare(v, w) != c || v == w && isWhole(v) && c != 0 || v == greatest {
					t.Errorf("%q and %q: %#x and %#x", a, b, v, w)
				}
			}
			if s := separator([]byte(a), []byte(b)); a < b && (string(s) <= a || string(s) > b || !strings.HasPrefix(b, string(s))) {
				t.Errorf("%q separates %q and %q", s, a, b)
			}
		}
	}
}

// TestSearch searches in arrays of every length, with and without equal words.
func TestSearch(t *testing.T) {
	for room := line; room < 40; room++ {
		for count := range room + 1 {
			words := make([]uint64, room)
			for i := range words {
				words[i] = greatest
				if i < count {
					words[i] = uint64(2*i + 2)
				}
			}
			if count > 1 {
				words[count-1] = greatest
			}
			for w := range uint64(2*count + 4) {
				below := slices.IndexFunc(words[:count], func(x uint64) bool { return x >= w })
				above := slices.IndexFunc(words[:count], func(x uint64) bool { return x > w })
				if got := less(words, count, w); below >= 0 && got != below || below < 0 && got != count {
					t.Fatalf("%d of %d, %d: less = %d", count, room, w, got)
				}
				if got := notAbove(words, count, w); above >= 0 && got != above || above < 0 && got != count {
					t.Fatalf("%d of %d, %d: notAbove = %d", count, room, w, got)
				}
			}
			if got := notAbove(words, count, greatest); got != count {
				t.Fatalf("%d of %d: notAbove of the greatest = %d", count, room, got)
			}
		}
	}
}

func TestNamedStrings(t *testing.T) {
	m := openFor[word, uint64](t)
	m.Set("b", 123)
	m.Set("a", 0)
	if v, ok := m.Get("b"); !ok || v != 123 {
		t.Errorf("Get = %v, %v", v, ok)
	}
	if k, _, ok := m.Min(); k != "a" || !ok {
		t.Errorf("Min = %q, %v", k, ok)
	}
}

// A key that was yielded does not change when the map is changed or closed.
func TestStringsAreCopies(t *testing.T) {
	m := Must(New[string, uint64](Options{}))
	keys, want := []string{}, make([]string, 0, 1000)
	for i := range 1000 {
		want = append(want, fmt.Sprintf("key %04d %s", i, strings.Repeat("x", i%300)))
		m.Set(want[i], uint64(i))
	}
	keys = slices.AppendSeq(keys, maps.Keys(maps.Collect(m.All())))
	for i := range want {
		m.Delete(want[i])
		m.Set(strings.Repeat("y", i%300)+want[i][4:8], uint64(i))
	}
	m.Close()
	slices.Sort(keys)
	if !slices.Equal(keys, want) {
		t.Error("keys have changed")
	}
}

func equally[K any](K, K) int { return 0 }

func TestTypesAreRefused(t *testing.T) {
	type pointing struct{ A struct{ B *int } }
	for _, c := range []struct {
		err  error
		want string
	}{
		{third(layOut[int, pointing]("btree.New", Options{}, nil)), "btree.New: btree.pointing.A.B is a *int, a pointer that the collector would not see; use a number"},
		{third(layOut[int, string]("btree.New", Options{}, nil)), "string is a string"},
		{third(layOut[pointing, int]("btree.NewFunc", Options{}, equally[pointing])), "btree.NewFunc: btree.pointing.A.B"},
		{third(layOut[string, int]("btree.NewFunc", Options{}, equally[string])), "string is a string"},
		{third(layOut[struct{}, int]("btree.NewFunc", Options{}, equally[struct{}])), "have size zero"},
		{second(New[uint64, uint64](Options{Max: -1})), "negative Max"},
		{third(layOut[int64, [math.MaxInt32/32 + 1 - 8]byte]("btree.New", Options{}, nil)), "btree.New: an entry of 67108864 bytes does not fit into a node"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// third returns the error of layOut, which New and NewFunc call first. The test does not call New,
// because a Map takes long to compile for each type, and one with large values makes a large
// binary.
func third[T, U any](_ T, _ U, err error) error { return err }

func TestMaxIsKept(t *testing.T) {
	m, err := New[uint64, uint64](Options{Max: 100, Name: "bounded"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for i := range uint64(100) {
		m.Set(i, i)
	}
	if err := m.TrySet(100, 0); !errors.Is(err, ErrFull) || m.Len() != 100 {
		t.Errorf("%v, %d entries", err, m.Len())
	}
	if err := m.TrySet(99, 0); err != nil {
		t.Error(err)
	}
	open := slices.ContainsFunc(vmem.Accounts(), func(a vmem.Account) bool { return a.Name == "bounded" && a.Committed > 0 })
	if !open {
		t.Error("no account has the name")
	}
}

func TestClosed(t *testing.T) {
	m := Must(New[uint64, uint64](Options{}))
	m.Set(1, 1)
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	var zero Map[uint64, uint64]
	for _, m := range []*Map[uint64, uint64]{m, &zero} {
		for name, f := range map[string]func(){
			"Get": func() { m.Get(1) }, "Has": func() { m.Has(1) }, "Set": func() { m.Set(1, 1) }, "Len": func() { m.Len() }, "All": func() { m.All() },
			"Delete": func() { m.Delete(1) }, "Snapshot": func() { m.Snapshot() }, "Min": func() { m.Min() }, "Clear": func() { m.Clear() },
		} {
			if text := panics.Of(f); !strings.Contains(text, "closed") {
				t.Errorf("%s of a closed map: %q", name, text)
			}
		}
	}
	if err := zero.Close(); err != nil || zero.Stats() != (Stats{}) || m.Stats() != (Stats{}) {
		t.Errorf("%v; the closed map has %+v", err, m.Stats())
	}
}

func TestLoad(t *testing.T) {
	m := openFor[uint64, uint64](t)
	const n = 10_000
	if err := m.AppendSorted(func(yield func(uint64, uint64) bool) {
		for i := range uint64(n) {
			if !yield(i, -i) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(); err != nil || m.Len() != n {
		t.Errorf("%v, %d entries", err, m.Len())
	}
	if s := m.Stats(); s.Nodes > n/(m.view.leafCap-1)+20 {
		t.Errorf("%d entries in %d nodes", n, s.Nodes)
	}
	if err := m.AppendSorted(maps.All(map[uint64]uint64{n - 1: 1})); err == nil || m.Len() != n {
		t.Errorf("a key that is there is loaded: %v", err)
	}
}

// Nodes are almost full after keys were inserted in ascending or descending order.
func TestAscendingKeysFillNodes(t *testing.T) {
	up, down := openFor[uint64, uint64](t), openFor[uint64, uint64](t)
	const n = 20_000
	for i := range uint64(n) {
		up.Set(i, i)
		down.Set(n-i, i)
	}
	for _, m := range []*Map[uint64, uint64]{up, down} {
		if s := m.Stats(); s.Nodes > n*115/100/m.view.leafCap {
			t.Errorf("%d keys in order take %d nodes of %d", n, s.Nodes, m.view.leafCap)
		}
	}
}

// Nodes are about four fifths full after random insertions, and are merged after deletions.
func TestNodesAreFull(t *testing.T) {
	m := openFor[uint64, uint64](t)
	src := choice.Seeded(1)
	keys := make([]uint64, 30_000)
	for i := range keys {
		keys[i] = uint64(src.Intn(1 << 30))
		m.Set(keys[i], 1)
	}
	if s := m.Stats(); s.Nodes > s.Len*100/(79*m.view.leafCap/100)/100*104/100 {
		t.Errorf("%d keys take %d nodes of %d", s.Len, s.Nodes, m.view.leafCap)
	}
	for _, k := range keys[:len(keys)*9/10] {
		m.Delete(k)
	}
	if s := m.Stats(); s.Nodes > 4*s.Len/m.view.leafCap+20 {
		t.Errorf("%d keys that are left take %d nodes of %d", s.Len, s.Nodes, m.view.leafCap)
	}
	for _, k := range keys {
		m.Delete(k)
	}
	if s := m.Stats(); s.Nodes != 1 || s.Height != 0 || s.Len != 0 {
		t.Errorf("an empty map has %+v", s)
	}
}

// A map that grows and shrinks repeatedly uses no more memory than its largest state needed.
func TestChurnKeepsMemory(t *testing.T) {
	m := openFor[string, uint64](t)
	src := choice.Seeded(1)
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	var after Stats
	for round := range rounds {
		for range 5000 {
			m.Set(string(someText(src))+fmt.Sprint(src.Intn(100000)), 1)
		}
		for k := range m.All() {
			if src.Intn(8) > 0 {
				m.Delete(k)
			}
		}
		s := m.Stats()
		if round == 2 {
			after = s
		}
		if round > 2 && (s.Nodes+s.Free > (after.Nodes+after.Free)*5/4 || s.TextBytes > after.TextBytes*5/4) {
			t.Fatalf("round %d: %+v, and it was %+v", round, s, after)
		}
	}
}

// The memory of long keys, which are stored outside the leaves, is freed by Delete and by Clear.
func TestLongKeysGiveBack(t *testing.T) {
	m := openFor[string, uint64](t)
	named := func(i int) string { return strings.Repeat("long ", 50+i%7) + fmt.Sprint(i) }
	var after Stats
	for round := range 6 {
		for i := range 2000 {
			m.Set(named(i), uint64(i))
		}
		if err := m.Verify(); err != nil {
			t.Fatal(err)
		}
		if round == 4 {
			m.Snapshot().Close()
			s := m.Snapshot()
			m.Clear()
			if v, ok := s.Get(named(7)); v != 7 || !ok {
				t.Fatalf("a snapshot has %d, %v", v, ok)
			}
			s.Close()
		}
		for i := range 2000 {
			if v, ok := m.Get(named(i)); ok != (round != 4) || ok && v != uint64(i) {
				t.Fatalf("round %d: key %d is %d, %v", round, i, v, ok)
			}
			m.Delete(named(i))
		}
		if s := m.Stats(); round == 0 {
			after = s
		} else if s.TextBytes > after.TextBytes*5/4 {
			t.Fatalf("round %d: %+v, and it was %+v", round, s, after)
		}
	}
}

// A block contains neither the common prefix of the keys nor the bytes in the search words.
func TestTextsTakeTheirTails(t *testing.T) {
	m := openFor[string, uint64](t)
	for i := range uint64(10_000) {
		m.Set(fmt.Sprintf("https://example.org/a/common/start/%05d/end of it", i*7919%10_000), i)
	}
	if s := m.Stats(); s.TextBytes > 10_000*20 {
		t.Errorf("%d bytes of text for 10,000 keys that end in 14 bytes of their own", s.TextBytes)
	}
	short := openFor[string, uint64](t)
	for i := range uint64(10_000) {
		short.Set(fmt.Sprint(i), i)
	}
	if s := short.Stats(); s.TextBytes > 10_000 {
		t.Errorf("%d bytes of text for keys of at most seven bytes", s.TextBytes)
	}
}

func TestHotCallsDoNotAllocate(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds allocate")
	}
	numbers, strings := openFor[uint64, uint64](t), openFor[string, uint64](t)
	for i := range 1000 {
		numbers.Set(uint64(i), 1)
		strings.Set(fmt.Sprintf("some longer key %d", i), 1)
	}
	for name, f := range map[string]func(){
		"Get": func() { numbers.Get(5) }, "Set": func() { numbers.Set(5, 5) }, "Delete": func() { numbers.Delete(7); numbers.Set(7, 7) },
		"Min": func() { numbers.Min() }, "Get of a string": func() { strings.Get("some longer key 77") },
		"Delete of a string": func() { strings.Delete("some longer key 77"); strings.Set("some longer key 77", 1) },
		"Range": func() {
			for range numbers.Range(100, 900) {
			}
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s costs %v allocations", name, n)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		for range strings.All() {
		}
	}); n > 80 {
		t.Errorf("All of 1000 strings costs %v allocations", n)
	}
}

func TestRacesAreSeen(t *testing.T) {
	if !vmem.GoMemory || runtime.GOARCH == "386" || testing.Short() {
		t.Skip("run with -race")
	}
	out, err := exec.Command("go", "run", "-race", "./testdata/race").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("WARNING: DATA RACE")) {
		t.Errorf("a race gave %v and\n%s", err, out)
	}
}

func TestConformance(t *testing.T) {
	maptest.Run(t, described[float64, uint32](t))
	maptest.Run(t, described[int16, struct{}](t))
	maptest.Run(t, described[int32, [3]byte](t))
	maptest.Run(t, described[uint64, bool](t))
	maptest.Run(t, described[string, uint64](t))
}

func described[K cmp.Ordered, V any](t *testing.T) func() maptest.Map[K, V] {
	dir := t.TempDir()
	var describe func(m *Map[K, V]) maptest.Map[K, V]
	describe = func(m *Map[K, V]) maptest.Map[K, V] {
		d := maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear,
			Close: m.Close, Compare: cmp.Compare[K], Changes: true}
		d.Clone = func() (maptest.Map[K, V], error) {
			c, err := m.Clone()
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		d.Reopen = func() (maptest.Map[K, V], error) {
			path := filepath.Join(dir, "map")
			if err := m.Save(path); err != nil {
				return d, err
			}
			c, err := OpenFile[K, V](path, Options{})
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		return d
	}
	return func() maptest.Map[K, V] { return describe(Must(New[K, V](Options{}))) }
}
