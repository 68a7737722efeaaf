package hashmap

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/byvalue"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
	"pgregory.net/rapid"
)

func TestIndexedConformance(t *testing.T) {
	maptest.Run(t, indexed[uint32, string](nil))
	var ints [100]int
	maptest.Run(t, indexed[string](func(i int) *int { return &ints[i%len(ints)] }))
	maptest.Run(t, indexed[[12]byte, [300]byte](nil))
	maptest.Run(t, indexed[odd, struct{}](nil))
	maptest.Run(t, indexed[named](func(i int) any { return i }))
}

func indexed[K comparable, V any](value func(int) V) func() maptest.Map[K, V] {
	return func() maptest.Map[K, V] {
		d := describeIndexed(Must(NewIndexed[K, V](Options{})))
		d.Value = value
		return d
	}
}

func describeIndexed[K comparable, V any](m *Indexed[K, V]) maptest.Map[K, V] {
	return maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear, Close: m.Close, Changes: true,
		Clone: func() (maptest.Map[K, V], error) {
			c, err := m.Clone()
			if err != nil {
				return maptest.Map[K, V]{}, err
			}
			return describeIndexed(c), nil
		}}
}

// An indexedProgram performs the same random operations on an Indexed, whose values are pointers,
// and on Go's map, and compares the results.
type indexedProgram[K comparable] struct {
	t     choice.T
	src   choice.Source
	m     *Indexed[K, *uint64]
	model map[K]uint64
	key   func(choice.Source) K
}

func (p *indexedProgram[K]) step() {
	k, v := p.key(p.src), uint64(p.src.Intn(1000))
	want, there := p.model[k]
	switch op := p.src.Intn(100); {
	case op < 35:
		p.set(k, v)
	case op < 60:
		if got := p.m.Delete(k); got != there {
			p.t.Fatalf("Delete(%v) = %v, want %v", k, got, there)
		}
		delete(p.model, k)
	case op < 75:
		p.look(k)
	case op < 80:
		if got, loaded := p.m.GetOrSet(k, &v); loaded != there || there && *got != want || !there && got != &v {
			p.t.Fatalf("GetOrSet(%v) = %d, %v", k, *got, loaded)
		} else if !there {
			p.model[k] = v
		}
	case op < 85:
		p.m.Update(k, func(old *uint64, ok bool) *uint64 {
			if ok != there || ok != (old != nil) || ok && *old != want {
				p.t.Fatalf("Update(%v) has %v, %v", k, old, ok)
			}
			return &v
		})
		p.model[k] = v
	case op < 92:
		p.changeInLoop()
	case op < 95:
		if err := p.m.Reserve(p.src.Intn(3000)); err != nil {
			p.t.Fatalf("%v", err)
		}
	case op < 97:
		c, err := p.m.Clone()
		if err != nil {
			p.t.Fatalf("%v", err)
		}
		if p.src.Intn(2) > 0 {
			p.m, c = c, p.m
		}
		c.Clear()
		c.Close()
	case op < 98:
		p.m.Clear()
		clear(p.model)
	default:
		for range 300 {
			p.set(p.key(p.src), v)
		}
	}
}

// set sets a key. Sometimes the system refuses memory meanwhile; then the map must not change.
func (p *indexedProgram[K]) set(k K, v uint64) {
	if p.src.Intn(4) == 0 {
		vmem.FailNextCommits(1 + p.src.Intn(3))
	}
	at := p.m.Ptr(k)
	err := p.m.TrySet(k, &v)
	vmem.FailNextCommits(0)
	switch {
	case err == nil:
		p.model[k] = v
		if at != nil && (p.m.Ptr(k) != at || *at != &v) {
			p.t.Fatalf("Set(%v) has moved the value", k)
		}
	case !errors.Is(err, ErrFull):
		p.t.Fatalf("TrySet(%v): %v", k, err)
	default:
		p.agree()
	}
}

func (p *indexedProgram[K]) look(k K) {
	want, there := p.model[k]
	v, ok := p.m.Get(k)
	if ok != there || ok != (v != nil) || ok && *v != want || p.m.Has(k) != there {
		p.t.Fatalf("Get(%v) = %v, %v, want %d, %v", k, v, ok, want, there)
	}
	if at := p.m.Ptr(k); (at != nil) != there || there && *at != v {
		p.t.Fatalf("Ptr(%v) = %v", k, at)
	} else if there {
		next := want + 1
		*at = &next
		p.model[k] = next
	}
}

// changeInLoop changes the map while All runs. All must yield each entry that is present throughout
// exactly once.
func (p *indexedProgram[K]) changeInLoop() {
	stay, seen := maps.Clone(p.model), map[K]bool{}
	for k, v := range p.m.All() {
		if want, there := p.model[k]; !there || *v != want || seen[k] {
			p.t.Fatalf("All yields %v: %d, want %d, %v; twice: %v", k, *v, want, there, seen[k])
		}
		seen[k] = true
		other := p.key(p.src)
		switch p.src.Intn(8) {
		case 0:
			p.m.Delete(other)
			delete(p.model, other)
			delete(stay, other)
			delete(seen, other) // it may be yielded again if it is set again
		case 1:
			p.set(other, 5)
		case 2:
			p.look(k)
		}
		if len(seen) > 20_000 {
			p.t.Fatalf("All does not end")
		}
	}
	for k := range stay {
		if !seen[k] {
			p.t.Fatalf("All does not yield %v", k)
		}
	}
}

// agree compares all entries with the model. It also verifies that the map has exactly one cell for
// each entry, and that unused cells refer to nothing.
func (p *indexedProgram[K]) agree() {
	got := map[K]uint64{}
	for k, v := range p.m.All() {
		got[k] = *v
	}
	if !maps.Equal(got, p.model) || p.m.Len() != len(p.model) {
		p.t.Fatalf("%d entries, Len %d, want %d", len(got), p.m.Len(), len(p.model))
	}
	if used := int(p.m.cells.used) - len(p.m.cells.vacant); used != p.m.Len() {
		p.t.Fatalf("%d numbers for %d entries", used, p.m.Len())
	}
	live := 0
	for _, chunk := range p.m.cells.chunks {
		for _, v := range chunk {
			live += b2i(v != nil)
		}
	}
	if live != p.m.Len() {
		p.t.Fatalf("%d values for %d entries", live, p.m.Len())
	}
}

func runIndexed[K comparable](t choice.T, src choice.Source, steps int, key func(choice.Source) K) {
	p := &indexedProgram[K]{t: t, src: src, m: Must(NewIndexed[K, *uint64](Options{})), model: map[K]uint64{}, key: key}
	defer func() { p.m.Close() }()
	for range steps {
		p.step()
	}
	p.agree()
}

func TestIndexedAgainstModel(t *testing.T) {
	number := func(s choice.Source) uint64 { return uint64(s.Intn(400)) << (8 * s.Intn(5)) }
	random.Check(t, func(t *rapid.T) { runIndexed(t, choice.Rapid(t), rapid.IntRange(0, 20).Draw(t, "steps"), number) })
	steps := 3000
	if testing.Short() || checks.Enabled {
		steps = 500
	}
	runIndexed(t, choice.Seeded(1), steps, number)
	runIndexed(t, choice.Seeded(2), steps, func(s choice.Source) string { return text(s.Intn(1500)) })
}

// TestCells verifies that cells with different numbers have different addresses. It covers value
// sizes from a byte to 64 KiB, because the length of a chunk depends on the size.
func TestCells(t *testing.T) {
	t.Run("byte", func(t *testing.T) { cellsAreApart[[1]byte](t, 20_000) })
	t.Run("string", func(t *testing.T) { cellsAreApart[[2]uintptr](t, 10_000) })
	for name, f := range map[string]func(*testing.T, int){"16 KiB": cellsAreApart[[16 << 10]byte], "32 KiB": cellsAreApart[[32 << 10]byte], "64 KiB": cellsAreApart[[64 << 10]byte], "more": cellsAreApart[[64<<10 + 1]byte]} {
		t.Run(name, func(t *testing.T) { f(t, 40) })
	}
}

func cellsAreApart[V comparable](t *testing.T, n int) {
	c, seen := cellsOf[V](), map[*V]bool{}
	for i := range n {
		if got := c.take(); got != uint32(i) {
			t.Fatalf("number %d, want %d", got, i)
		}
		seen[c.at(uint32(i))] = true
	}
	room := 0
	for _, chunk := range c.chunks {
		room += len(chunk)
		if bytes := len(chunk) * int(sizeOf[V]()); bytes > cellBytes && len(chunk) > 1 {
			t.Errorf("a chunk of %d bytes", bytes)
		}
	}
	if len(seen) != n || uint64(room) != c.slots || room < n || room > 2*n+firstCells && room > n+cellBytes/int(sizeOf[V]()) {
		t.Errorf("%d places and room for %d, want %d", len(seen), room, n)
	}
	c.drop(3)
	if again := c.take(); again != 3 {
		t.Errorf("number %d after 3 was dropped", again)
	}
}

func TestCellsAreFull(t *testing.T) {
	m := Must(NewIndexed[uint64, string](Options{}))
	defer m.Close()
	m.Set(1, "a")
	m.Set(2, "b")
	m.Delete(2)
	used := m.cells.used
	m.cells.used = mostCells
	m.Set(3, "c") // reuses the cell of 2
	if err := m.TrySet(4, "d"); !errors.Is(err, ErrFull) || m.Has(4) || m.Len() != 2 {
		t.Error(err)
	}
	if err := m.TrySet(1, "e"); err != nil {
		t.Error(err)
	}
	m.cells.used = used
}

// TestIndexedMillion verifies that values do not move while a million entries are added, and that
// the capacity exceeds the number of entries by at most one chunk.
func TestIndexedMillion(t *testing.T) {
	n := 1_000_000
	if testing.Short() || checks.Enabled {
		n = 100_000
	}
	m := Must(NewIndexed[uint64, string](Options{Max: n}))
	defer m.Close()
	m.Set(0, "0")
	first := m.Ptr(0)
	all := [...]string{"oak", "ash", "elm"}
	for i := range uint64(n) {
		m.Set(i, all[i%3])
	}
	if s := m.Stats(); m.Len() != n || m.Ptr(0) != first || s.Len != n || s.ValueSlots < n || s.ValueSlots > n+cellBytes/int(sizeOf[string]()) || s.ValueBytes != uint64(s.ValueSlots)*uint64(sizeOf[string]()) {
		t.Errorf("%+v", s)
	}
	for i := range uint64(n) {
		if v, ok := m.Get(i); !ok || v != all[i%3] {
			t.Fatalf("Get(%d) = %q, %v", i, v, ok)
		}
	}
	if err := m.TrySet(uint64(n), ""); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if err := m.Reserve(n + 1); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
}

// TestIndexedReserve verifies that Set allocates no chunks and no pages after a sufficient Reserve.
func TestIndexedReserve(t *testing.T) {
	m := Must(NewIndexed[uint64, *int](Options{}))
	defer m.Close()
	if err := m.Reserve(5000); err != nil {
		t.Fatal(err)
	}
	before := m.Stats()
	for i := range uint64(5000) {
		m.Set(i, nil)
	}
	if after := m.Stats(); after.ValueSlots != before.ValueSlots || after.ValueSlots < 5000 || after.Pages != before.Pages {
		t.Errorf("%+v, then %+v", before, after)
	}
	if err := m.Reserve(-1); err != nil {
		t.Error(err)
	}
}

// TestIndexedValuesAreCollected verifies that values are garbage once Delete, Clear or Close has
// removed them, and that the remaining values are not.
func TestIndexedValuesAreCollected(t *testing.T) {
	const n = 1000
	m := Must(NewIndexed[string, *[64]byte](Options{}))
	refs := fillIndexed(m, n)
	if live := liveOf(refs); live != n {
		t.Fatalf("%d of %d values live", live, n)
	}
	for i := range n / 2 {
		m.Delete(text(i))
	}
	// A stack may still refer to one or two of the deleted values.
	if live := liveOf(refs); live < n/2 || live > n/2+5 {
		t.Errorf("%d values live after %d were deleted, want %d", live, n/2, n/2)
	}
	for i := n / 2; i < n; i++ {
		if v, ok := m.Get(text(i)); !ok || v[0] != byte(i) {
			t.Fatalf("the value of %d is not its own", i)
		}
	}
	m.Clear()
	if live := liveOf(refs); live > 5 {
		t.Errorf("%d values live after Clear", live)
	}
	refs = fillIndexed(m, n)
	m.Close()
	if live := liveOf(refs); live > 5 {
		t.Errorf("%d values live after Close", live)
	}
	runtime.KeepAlive(m)
}

//go:noinline
func fillIndexed(m *Indexed[string, *[64]byte], n int) (refs []weak.Pointer[[64]byte]) {
	for i := range n {
		v := &[64]byte{byte(i)}
		m.Set(text(i), v)
		refs = append(refs, weak.Make(v))
	}
	return refs
}

func liveOf(refs []weak.Pointer[[64]byte]) (live int) {
	runtime.GC()
	for _, r := range refs {
		live += b2i(r.Value() != nil)
	}
	return live
}

// TestPtrOutlivesItsEntry verifies that a pointer from Ptr still points to valid memory after its
// entry was deleted, and even after Close.
func TestPtrOutlivesItsEntry(t *testing.T) {
	m := Must(NewIndexed[uint64, string](Options{}))
	m.Set(1, "one")
	at := m.Ptr(1)
	m.Delete(1)
	if *at != "" {
		t.Errorf("a deleted value is %q", *at)
	}
	m.Set(2, "two")
	if *at != "two" {
		t.Errorf("the room of a deleted value has %q", *at)
	}
	m.Close()
	runtime.GC()
	if *at != "two" {
		t.Errorf("after Close it is %q", *at)
	}
}

func TestIndexedIterators(t *testing.T) {
	m := Must(NewIndexed[string, uint64](Options{}))
	defer m.Close()
	mapkit.Lent(t, m.All(), m.AllBytes(), 6)
	for i := range 5000 {
		m.Set(text(i)+strings.Repeat("x", i%200), uint64(i))
	}
	mapkit.Lent(t, m.All(), m.AllBytes(), 60)
	keys, values := slices.Sorted(m.Keys()), slices.Sorted(m.Values())
	if len(slices.Compact(keys)) != 5000 || len(values) != 5000 || values[4999] != 4999 || len(slices.Compact(values)) != 5000 {
		t.Error(len(keys), len(values))
	}
	for range m.Keys() {
		break
	}
	for range m.Values() {
		break
	}
	for range m.All() {
		m.Clear()
	}
	if m.Len() != 0 {
		t.Error(m.Len())
	}
}

func TestIndexedPanics(t *testing.T) {
	numbers := Must(NewIndexed[uint64, string](Options{Max: 1}))
	defer numbers.Close()
	numbers.Set(1, "")
	closed := Must(NewIndexed[uint64, string](Options{}))
	closed.Close()
	if err := closed.Close(); err != nil || closed.Stats() != (IndexedStats{}) {
		t.Error(err, closed.Stats())
	}
	for want, f := range map[string]func(){
		"hashmap.Indexed.AllBytes: keys are not strings":      func() { numbers.AllBytes() },
		"hashmap.Indexed.Set: the map is full":                func() { numbers.Set(2, "") },
		"hashmap.Indexed.GetOrSet: the map is full":           func() { numbers.GetOrSet(2, "") },
		"hashmap.Indexed.Get: the map is closed":              func() { closed.Get(1) },
		"hashmap.Indexed.Ptr: the map is closed":              func() { closed.Ptr(1) },
		"hashmap.Indexed.Has: called on a copy":               func() { byvalue.Copy(numbers).Has(1) },
		"hashmap.Indexed.All: the map is closed":              func() { var zero Indexed[uint64, string]; zero.All() },
		"hashmap.Indexed.Values: the map is closed, or was":   func() { closed.Values() },
		"hashmap.Indexed.Clear: the map is closed, or was no": func() { closed.Clear() },
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, make := range map[string]func() error{
		"hashmap.NewIndexed: negative Max -1": func() error { _, err := NewIndexed[uint64, any](Options{Max: -1}); return err },
		"hashmap.NewIndexed: *int is":         func() error { _, err := NewIndexed[*int, any](Options{}); return err },
	} {
		if err := make(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestIndexedNaN verifies that every Set of a NaN adds an entry, and that Clear removes these
// entries together with their values.
func TestIndexedNaN(t *testing.T) {
	nan := 0.0
	nan /= nan
	m := Must(NewIndexed[float64, string](Options{}))
	defer m.Close()
	for i := range 20 {
		m.Set(nan, fmt.Sprint(i))
	}
	if values := slices.Collect(m.Values()); m.Len() != 20 || len(values) != 20 || m.Has(nan) || m.Delete(nan) || m.Ptr(nan) != nil {
		t.Error(m.Len(), values)
	}
	m.Clear()
	if m.Len() != 0 || m.cells.used != 0 || *m.cells.at(0) != "" {
		t.Error(m.Len())
	}
}
