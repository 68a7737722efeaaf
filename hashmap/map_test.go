package hashmap

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
)

func openFor[K comparable, V any](t testing.TB) *Map[K, V] {
	t.Helper()
	m, err := New[K, V](Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// odd is a key with padding, a blank field, a float and a bool.
type odd struct {
	A uint8
	_ uint16
	B float32
	C [2]uint8
	D bool
}

type named string

func TestConformance(t *testing.T) {
	maptest.Run(t, described[uint32, [40]byte](t))
	maptest.Run(t, described[int16, struct{}](t))
	maptest.Run(t, described[[12]byte, [5]byte](t))
	maptest.Run(t, described[odd, uint64](t))
	maptest.Run(t, described[named, [3]bool](t))
}

func described[K comparable, V any](t *testing.T) func() maptest.Map[K, V] {
	dir := t.TempDir()
	var describe func(m *Map[K, V]) maptest.Map[K, V]
	describe = func(m *Map[K, V]) maptest.Map[K, V] {
		d := maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear, Close: m.Close, Changes: true}
		d.Clone = func() (maptest.Map[K, V], error) {
			c, err := m.Clone()
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		d.Reopen = func() (maptest.Map[K, V], error) {
			path := filepath.Join(dir, "map")
			if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
				c, err := m.Clone()
				return describe(c), err
			} else if err != nil {
				return d, err
			}
			c, err := OpenFile[K, V](path, Options{Verify: m.Len()%2 == 0})
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		return d
	}
	return func() maptest.Map[K, V] { return describe(Must(New[K, V](Options{}))) }
}

// TestShardedConformance verifies that a Sharded behaves like a Map, with one exception: All yields
// the value that an entry had when its page was copied.
func TestShardedConformance(t *testing.T) {
	maptest.Run(t, sharded[uint64, uint64])
	maptest.Run(t, sharded[string, uint64])
}

func sharded[K comparable, V any]() maptest.Map[K, V] {
	s := Must(NewSharded[K, V](Options{}))
	return maptest.Map[K, V]{Set: s.Set, Get: s.Get, Len: s.Len, All: s.All, Delete: s.Delete, GetOrSet: s.GetOrSet, Clear: s.Clear, Close: s.Close}
}

func TestNamedStrings(t *testing.T) {
	m := openFor[named, [3]bool](t)
	m.Set("b", [3]bool{true, false, true})
	if v, ok := m.Get("b"); !ok || v != [3]bool{true, false, true} {
		t.Errorf("Get = %v, %v", v, ok)
	}
	for k := range m.All() {
		if k != "b" {
			t.Errorf("All yields %q", k)
		}
	}
}

// TestKeysAreCopies verifies that a key that All has yielded never changes, whatever happens to the
// map.
func TestKeysAreCopies(t *testing.T) {
	m := Must(New[string, uint64](Options{}))
	want, keys := make([]string, 0, 3000), []string(nil)
	for i := range 3000 {
		want = append(want, fmt.Sprintf("key %04d %s", i, strings.Repeat("x", i%300)))
		m.Set(want[i], uint64(i))
	}
	for k := range m.All() {
		keys = append(keys, k)
	}
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

func TestTypesAreRefused(t *testing.T) {
	type pointing struct{ A struct{ B *int } }
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(check[int, pointing]("hashmap.New", 0)), "hashmap.New: hashmap.pointing.A.B is a *int, a pointer that the collector would not see; use a number"},
		{second(check[int, string]("hashmap.New", 0)), "string is a string"},
		{second(check[pointing, int]("hashmap.New", 0)), "hashmap.New: hashmap.pointing.A.B is a *int, which is not a key of fixed size"},
		{second(check[[2]string, int]("hashmap.New", 0)), "is a string, which is not a key of fixed size"},
		{second(New[uint64, uint64](Options{Max: -1})), "negative Max"},
		{second(check[int64, [mostEntryBytes - 7]byte]("hashmap.New", 0)), "an entry of 65537"},
		{second(NewSharded[int, *int](Options{Shards: 0})), "hashmap.NewSharded: *int is a *int"},
		{second(NewSharded[uint64, uint64](Options{Shards: 1000})), "invalid Options.Shards 1000"},
		{second(OpenFile[int, *int]("none", Options{})), "hashmap.OpenFile: *int is a *int"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

// second returns only the error. Most tests call check, which all constructors call first, because
// New takes long to compile for each type.
func second[T any](_ T, err error) error { return err }

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
	if err := errors.Join(m.TrySet(99, 0), m.Reserve(100)); err != nil {
		t.Error(err)
	}
	if err := m.Reserve(101); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	open := slices.ContainsFunc(vmem.Accounts(), func(a vmem.Account) bool { return a.Name == "bounded" && a.Committed > 0 })
	if !open {
		t.Error("no account has the name")
	}
}

// TestMaxIsReached verifies that a Map and a Sharded accept Options.Max entries, whatever their
// hashes.
func TestMaxIsReached(t *testing.T) {
	for _, n := range []int{1, 7, 8, 100, 5_000, 100_000} {
		m, err := New[uint32, [40]byte](Options{Max: n})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSharded[uint64, uint64](Options{Shards: 8, Max: n})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := errors.Join(m.TrySet(uint32(i), [40]byte{}), s.TrySet(uint64(i), 1)); err != nil {
				t.Fatalf("entry %d of %d: %v", i, n, err)
			}
		}
		if err := errors.Join(m.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClosed(t *testing.T) {
	m, s := Must(New[uint64, uint64](Options{})), Must(NewSharded[uint64, uint64](Options{}))
	m.Set(1, 1)
	if err := errors.Join(m.Close(), m.Close(), s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	var zero Map[uint64, uint64]
	var none Sharded[uint64, uint64]
	calls := map[string]func(){
		"of a Sharded": func() { s.Get(1) }, "of a Sharded, Set": func() { s.Set(1, 1) }, "of a Sharded, All": func() {
			for range s.All() {
			}
		},
		"of the zero Sharded": func() { none.Get(1) },
	}
	for which, m := range map[string]*Map[uint64, uint64]{"closed": m, "zero": &zero} {
		for name, f := range map[string]func(){
			"Get": func() { m.Get(1) }, "Has": func() { m.Has(1) }, "Set": func() { m.Set(1, 1) }, "Len": func() { m.Len() }, "All": func() { m.All() },
			"Delete": func() { m.Delete(1) }, "Clear": func() { m.Clear() }, "Reserve": func() { m.Reserve(9) }, "GetOrSet": func() { m.GetOrSet(1, 1) },
			"Update": func() { m.Update(1, func(uint64, bool) uint64 { return 1 }) }, "Save": func() { m.Save("x") },
		} {
			calls[which+" "+name] = f
		}
	}
	for name, f := range calls {
		if text := panics.Of(f); !strings.Contains(text, "the map is closed") && !strings.Contains(text, "was not made by") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if err := errors.Join(zero.Close(), none.Close()); err != nil {
		t.Error(err)
	}
	if m.Stats() != (Stats{}) || zero.Stats() != (Stats{}) || s.Stats() != (Stats{}) || none.Stats() != (Stats{}) {
		t.Error("maps that are closed have something")
	}
}

// TestReserve verifies that Reserve adds all necessary pages at once, so that the pages do not
// change while entries are added.
func TestReserve(t *testing.T) {
	for _, n := range []int{1, 8, 500, 900, 5_000, 200_000} {
		m := openFor[uint64, uint64](t)
		m.Set(1<<40, 1)
		if err := m.Reserve(n + 1); err != nil {
			t.Fatal(err)
		}
		before := m.Stats()
		for i := range uint64(n) {
			m.Set(i, i)
		}
		if after := m.Stats(); after.Pages != before.Pages || after.Slots != before.Slots || after.Slots > 3*n+100 {
			t.Errorf("%d entries: reserved %+v, then %+v", n, before, after)
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestReserveTooMuch verifies that Reserve immediately rejects a number of entries that no memory
// could hold, instead of allocating until all memory is used.
func TestReserveTooMuch(t *testing.T) {
	m := openFor[uint64, uint64](t)
	m.Set(1, 2)
	before := m.Stats()
	for _, n := range []int{math.MaxInt, math.MaxInt - math.MaxInt/4, int(uint64(m.region.Size()) / 16)} {
		vmem.FailCommit(0) // so that a wrong Reserve does not use up this machine's memory
		err := m.Reserve(n)
		vmem.FailCommit(-1)
		if !errors.Is(err, ErrFull) {
			t.Errorf("%d entries: %v", n, err)
		}
		if after := m.Stats(); after != before {
			t.Errorf("%d entries: %+v became %+v", n, before, after)
		}
	}
	if v, ok := m.Get(1); v != 2 || !ok {
		t.Error(v, ok)
	}
}

// TestRefusedMemory verifies that a map does not change if the system refuses memory, even if that
// happens between two pages of the same Set.
func TestRefusedMemory(t *testing.T) {
	numbers, texts := openFor[uint64, uint64](t), openFor[string, uint64](t)
	refused := 0
	n := 60_000
	if testing.Short() {
		n = 8000
	}
	for i := range n {
		vmem.FailCommit(0)
		err := errors.Join(numbers.TrySet(uint64(i), 1), texts.TrySet(text(i), 1))
		vmem.FailCommit(-1)
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		refused++
		if err := errors.Join(numbers.Verify(), texts.Verify()); err != nil {
			t.Fatalf("after %d entries: %v", i, err)
		}
		numbers.Set(uint64(i), 1)
		texts.Set(text(i), 1)
	}
	if err := errors.Join(numbers.Verify(), texts.Verify()); err != nil || numbers.Len() != n || texts.Len() != n {
		t.Errorf("%v, %d and %d entries of %d", err, numbers.Len(), texts.Len(), n)
	}
	if refused < 3 && !vmem.GoMemory {
		t.Errorf("memory was refused %d times", refused)
	}
}

// TestChurnKeepsMemory verifies that insertions and deletions do not use more memory than the map
// needed at its largest. The hash seed does not depend on the other tests that run, because it
// determines the order of All and therefore which keys are deleted.
func TestChurnKeepsMemory(t *testing.T) {
	m, err := open[string, uint64]("hashmap.New", Options{}, random.Seed(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	src := choice.Seeded(1)
	rounds := 30
	if testing.Short() {
		rounds = 8
	}
	var after Stats
	for round := range rounds {
		for range 5000 {
			m.Set(string(someText(src))+fmt.Sprint(src.Intn(100000)), 1)
		}
		s := m.Stats() // before Delete, which may shrink the strings
		for k := range m.All() {
			if src.Intn(8) > 0 {
				m.Delete(k)
			}
		}
		if round == 2 {
			after = s
		}
		if round > 2 && (s.Slots > 3*6000 || s.TextBytes > after.TextBytes*5/4) {
			t.Fatalf("round %d: %+v, and it was %+v", round, s, after)
		}
	}
}

// TestSearchesEnd verifies that many insertions and deletions do not fill the pages with deleted
// slots, which would slow down searches. A search ends at an empty slot, so a page must always have
// some.
func TestSearchesEnd(t *testing.T) {
	m := openFor[uint64, uint64](t)
	for i := range uint64(200_000) {
		m.Set(i, i)
		m.Delete(i - min(i, 700))
	}
	for i := uint64(0); i < uint64(len(m.dir)); i += m.width(m.dir[i]) {
		unused := 0
		for group := range m.dir[i].mask() + 1 {
			control := *controlAt(m.base, m.dir[i].at(), group, m.groupBytes)
			for s := range slots {
				unused += b2i(byteOf(control, s) == empty)
			}
		}
		if least := slots << m.dir[i].log() / 8; unused < least {
			t.Errorf("page %d has %d empty slots of %d", i, unused, slots<<m.dir[i].log())
		}
	}
	if s := m.Stats(); s.Slots > 2048 {
		t.Errorf("700 entries have %+v", s)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
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
		"Get of a string":    func() { strings.Get("some longer key 77") },
		"Delete of a string": func() { strings.Delete("some longer key 77"); strings.Set("some longer key 77", 1) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s costs %v allocations", name, n)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		for range strings.All() {
		}
	}); n > 40 {
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

// TestShardedByMany verifies that no increment is lost when several goroutines update the same keys
// while others read, loop and delete.
func TestShardedByMany(t *testing.T) {
	s := Must(NewSharded[string, uint64](Options{}))
	defer s.Close()
	const goroutines, rounds, keys = 4, 3000, 50
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range rounds {
				s.Update(fmt.Sprint("count ", i%keys), func(v uint64, _ bool) uint64 { return v + 1 })
				s.Set(fmt.Sprint(g, " ", i), uint64(i))
				if v, ok := s.Get(fmt.Sprint(g, " ", i)); !ok || v != uint64(i) {
					t.Errorf("Get = %d, %v", v, ok)
				}
				if i%3 > 0 && !s.Delete(fmt.Sprint(g, " ", i)) {
					t.Error("Delete finds nothing")
				}
				s.GetOrSet("one for all", uint64(g))
			}
		})
	}
	all.Go(func() {
		for range 20 {
			seen := map[string]bool{}
			for k := range s.All() {
				if seen[k] {
					t.Errorf("All yields %q twice", k)
				}
				seen[k] = true
			}
			s.Len()
		}
	})
	all.Wait()
	if want := keys + 1 + goroutines*rounds/3; s.Len() != want {
		t.Errorf("%d entries, want %d", s.Len(), want)
	}
	for i := range keys {
		if v, _ := s.Get(fmt.Sprint("count ", i)); v != goroutines*rounds/keys {
			t.Errorf("count %d is %d", i, v)
		}
	}
}

// TestUpdateThatPanics verifies that a Sharded is not left locked when a callback panics.
func TestUpdateThatPanics(t *testing.T) {
	s := Must(NewSharded[uint64, uint64](Options{}))
	defer s.Close()
	if text := panics.Of(func() { s.Update(1, func(uint64, bool) uint64 { panic("no value") }) }); text != "no value" {
		t.Error(text)
	}
	if _, ok := s.Get(1); ok {
		t.Error("a key without a value is there")
	}
}

// TestLoopsSeeSet verifies that a loop yields the current value of an entry, even if it was set
// during the loop.
func TestLoopsSeeSet(t *testing.T) {
	m := Must(New[uint64, uint64](Options{}))
	defer m.Close()
	for i := range uint64(100) {
		m.Set(i, i)
	}
	first := true
	for k, v := range m.All() {
		if !first && v != 1000 {
			t.Fatalf("key %d is %d after it was set to 1000", k, v)
		}
		for i := range uint64(100) {
			m.Set(i, 1000)
		}
		first = false
	}
}
