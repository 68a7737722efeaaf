package btree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/maptest"
)

type blob []byte

func TestTextsConformance(t *testing.T) {
	maptest.Run(t, describedTexts[string, string](t, nil))
	maptest.Run(t, describedTexts[int16, word](t, nil))
	maptest.Run(t, describedTexts[string](t, func(i int) blob { return blob(fmt.Sprint(i)) }))
}

func describedTexts[K cmp.Ordered, V ~string | ~[]byte](t *testing.T, value func(int) V) func() maptest.Map[K, V] {
	dir := t.TempDir()
	var describe func(m *Texts[K, V]) maptest.Map[K, V]
	describe = func(m *Texts[K, V]) maptest.Map[K, V] {
		d := maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear,
			Close: m.Close, Compare: cmp.Compare[K], Changes: true, Value: value}
		d.Clone = func() (maptest.Map[K, V], error) {
			c, err := m.Clone()
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		d.Reopen = func() (maptest.Map[K, V], error) {
			path := filepath.Join(dir, "texts")
			if err := m.Save(path); err != nil {
				return d, err
			}
			c, err := OpenTextsFile[K, V](path, Options{})
			if err != nil {
				return d, err
			}
			return describe(c), nil
		}
		return d
	}
	return func() maptest.Map[K, V] { return describe(Must(NewTexts[K, V](Options{}))) }
}

// textsKindOf describes Texts to the tests in mapkit, which all maps pass.
func textsKindOf[K string | uint64]() mapkit.Kind[K, mapkit.Numbered[K]] {
	numbered := func(m *Texts[K, string], err error) (mapkit.Numbered[K], error) {
		return mapkit.Numbered[K]{Map: m}, err
	}
	return mapkit.Kind[K, mapkit.Numbered[K]]{
		New: func() mapkit.Numbered[K] { return mapkit.Numbered[K]{Map: Must(NewTexts[K, string](Options{}))} },
		Open: func(path string, verify bool) (mapkit.Numbered[K], error) {
			return numbered(OpenTextsFile[K, string](path, Options{Verify: verify}))
		},
		Stats: func(m mapkit.Numbered[K]) mapkit.Stats {
			s := m.Map.(*Texts[K, string]).Stats()
			return mapkit.Stats{Len: s.Len, TextBytes: s.TextBytes, Verified: s.Verified}
		},
		Invalid: ErrInvalid, Mismatch: ErrMismatch, Full: ErrFull,
	}
}

func TestTextsFlippedBits(t *testing.T) { mapkit.Bits(t, textsKindOf[string]()) }

func TestOpenedTextsAreOnesOwn(t *testing.T) { mapkit.Own(t, textsKindOf[string](), 1000) }

// TestMutatedTexts damages files at random. Opening a damaged file either fails or returns a Texts.
// All operations on it must terminate, and may panic only with a message that the file is damaged.
func TestMutatedTexts(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { mutatedTexts(t, number) })
	t.Run("string", func(t *testing.T) { mutatedTexts(t, text) })
}

func mutatedTexts[K string | uint64](t *testing.T, key func(int) K) {
	mapkit.Mutate(t, mapkit.Mutation[K, mapkit.Numbered[K]]{Kind: textsKindOf[K](), Key: key, Most: 1000,
		Use: func(m mapkit.Numbered[K]) { useTexts(m.Map.(*Texts[K, string]), key) }})
}

// useTexts calls every method of a Texts that may be damaged. Each method must terminate. It may
// panic with a message that says that the Texts is damaged or full.
func useTexts[K string | uint64](m *Texts[K, string], key func(int) K) {
	defer func() {
		if r := recover(); r != nil {
			if s, ok := r.(string); !ok || !strings.Contains(s, "damaged") && !strings.Contains(s, "full") {
				panic(r)
			}
		}
	}()
	_ = m.Verify()
	for i := range 5 {
		m.Get(key(i * 50))
		m.Delete(key(i * 40))
		m.Set(key(i*30+1), strings.Repeat("v", i*20))
	}
	for k := range m.Backward() {
		m.View(k, func([]byte) {})
	}
	s := m.Snapshot()
	defer s.Close()
	m.Delete(key(3))
	m.Set(key(10), "another")
	for k := range s.Range(key(10), key(100)) {
		m.Get(k)
	}
	m.DeleteRange(key(10), key(20))
	for range s.AllBytes() {
	}
	s.Close()
	m.PopMin()
	m.PopMax()
	if c, err := m.Clone(); err == nil {
		c.Close()
	}
}

// TestKindsOfTextsFiles verifies that Map cannot open a file of a Texts and that Texts cannot open
// a file of a Map. A file of a Texts cannot be opened with another key type, but values that were
// saved as strings can be read as byte slices.
func TestKindsOfTextsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts")
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "value")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		damage.Closed(OpenFile[string, uint32](path, Options{})),
		damage.Closed(OpenTextsFile[uint64, string](path, Options{})),
		damage.Closed(OpenTextsFile[string, string](saved(t, 100, text, uint32(1)), Options{})),
	} {
		if !errors.Is(err, ErrMismatch) {
			t.Error(err)
		}
	}
	b := Must(OpenTextsFile[string, blob](path, Options{Verify: true}))
	defer b.Close()
	if v, ok := b.Get("a"); !ok || string(v) != "value" {
		t.Errorf("%q, %v", v, ok)
	}
}

// TestTextsAllocations verifies the numbers of allocations that the documentation states.
func TestTextsAllocations(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds lend copies")
	}
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	k, v := "a key", "a value of some length, so that it cannot be on a stack"
	m.Set(k, v)
	room, n := make([]byte, 0, 100), 0
	for name, c := range map[string]struct {
		want float64
		f    func()
	}{
		"Get":       {1, func() { v, _ := m.Get(k); n += len(v) }},
		"AppendGet": {0, func() { b, _ := m.AppendGet(room, k); n += len(b) }},
		"View":      {0, func() { m.View(k, func(b []byte) { n += len(b) }) }},
		"Has":       {0, func() { m.Has(k) }},
		"Set":       {0, func() { m.Set(k, v[n%2:]) }},
	} {
		if got := testing.AllocsPerRun(100, c.f); got > c.want {
			t.Errorf("%s allocates %v times, want %v", name, got, c.want)
		}
	}
}

// TestTextsLend verifies that checked builds overwrite the bytes that View and AllBytes lend, and
// that View panics if its function changes the Texts.
func TestTextsLend(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only checked builds overwrite what was lent")
	}
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "value")
	var kept []byte
	m.View("a", func(b []byte) { kept = b })
	if !bytes.Equal(kept, []byte("\xDB\xDB\xDB\xDB\xDB")) {
		t.Errorf("View left %q", kept)
	}
	for _, b := range m.AllBytes() {
		kept = b
	}
	if !bytes.Equal(kept, []byte("\xDB\xDB\xDB\xDB\xDB")) {
		t.Errorf("AllBytes left %q", kept)
	}
	if got := panics.Of(func() { m.View("a", func([]byte) { m.Set("a", "other") }) }); !strings.Contains(got, "changed the map") {
		t.Errorf("%q", got)
	}
}

// TestTextsReuseValues verifies that the memory of deleted and replaced values is reused. A Texts
// must not grow when its values are repeatedly replaced by values of the same lengths, in another
// order.
func TestTextsReuseValues(t *testing.T) {
	m := Must(NewTexts[uint64, []byte](Options{}))
	defer m.Close()
	room := make([]byte, 64)
	var first uint64
	for round := range 50 {
		for i := range 300 {
			m.Set(uint64(i), room[:(i+round)%64])
		}
		for i := range 300 {
			if i%3 == round%3 {
				m.Delete(uint64(i))
			}
		}
		if round == 9 {
			first = m.Stats().TextBytes
		}
	}
	if got := m.Stats().TextBytes; got > first+first/4 {
		t.Errorf("%d bytes of values became %d", first, got)
	}
}

// TestTextsReuseWhatWasHeld verifies that memory is reused that held values of a snapshot when the
// Texts was cleared, or values that AppendSorted had copied before it rejected their keys.
func TestTextsReuseWhatWasHeld(t *testing.T) {
	m := Must(NewTexts[int, string](Options{}))
	defer m.Close()
	var first uint64
	for round := range 40 {
		for i := range 100 {
			m.Set(i, "a value of some length, so that it takes some room")
		}
		s := m.Snapshot()
		m.Clear()
		s.Close()
		m.Set(0, "the first")
		for range 50 {
			if err := m.AppendSorted(func(yield func(int, string) bool) { yield(-1, "a value of a key that is refused") }); err == nil {
				t.Fatal("a key that is less than the one before is taken")
			}
		}
		if round == 5 {
			first = m.Stats().TextBytes
		}
	}
	if got := m.Stats().TextBytes; got > first+first/4 {
		t.Errorf("%d bytes of values became %d", first, got)
	}
}

func TestTextsMisuse(t *testing.T) {
	m := Must(NewTexts[string, string](Options{Max: 1}))
	m.Set("a", "b")
	if err := m.TrySet("b", ""); !errors.Is(err, ErrFull) || m.Len() != 1 {
		t.Error(err)
	}
	s := m.Snapshot()
	s.Close()
	err := m.AppendSorted(func(yield func(string, string) bool) { yield("0", "less than a") })
	if err == nil || !strings.HasPrefix(err.Error(), "btree.Texts.AppendSorted: the key after entry 1 ") {
		t.Error(err)
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	two := func() *Texts[string, string] {
		m := Must(NewTexts[string, string](Options{}))
		m.Set("a", "b")
		m.Set("b", "c")
		return m
	}
	plain, inLoop := two(), two()
	defer plain.Close()
	m.Close()
	for want, f := range map[string]func(){
		"btree.Texts.Get: the map is closed":              func() { m.Get("a") },
		"btree.Texts.Has: the map is closed":              func() { new(Texts[int, string]).Has(1) },
		"btree.TextsSnapshot.Get: the snapshot is closed": func() { s.Get("a") },
		"btree.TextsSnapshot.Len: the snapshot is closed": func() { new(TextsSnapshot[int, string]).Len() },
		"btree.Texts.GetAt: the map is not ranked":        func() { plain.GetAt(0) },
		"btree.Texts.Compute: there is no ComputeOp 7": func() {
			plain.Compute("a", func(v string, _ bool) (string, ComputeOp) { return v, 7 })
		},
		"btree.Texts.All: the map or the snapshot was closed inside a loop": func() {
			for range inLoop.All() {
				inLoop.Close()
			}
		},
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if m.Stats() != (Stats{}) || new(Texts[int, string]).Stats() != (Stats{}) {
		t.Error("a closed Texts has counts")
	}
}

// TestTextsVerify verifies that Verify rejects a file in which two entries refer to the same value,
// or in which a value reference points to the middle of a value or outside the file.
func TestTextsVerify(t *testing.T) {
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "first")
	m.Set("b", "second")
	at := func(k string) *uint32 {
		p := m.r.probeOf(&k)
		n, i, ok := m.r.view.lookUp(&p)
		if !ok {
			t.Fatal(k)
		}
		return m.r.view.valueRef(n, i)
	}
	a, b := at("a"), at("b")
	was := *b
	for _, ref := range []uint32{*a, *a + 1, 1 << 30} {
		*b = ref
		if err := m.Verify(); !errors.Is(err, ErrInvalid) {
			t.Errorf("value %d passes: %v", ref, err)
		}
	}
	*b = was
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestTextsSnapshotsBesideAWriter verifies that the readers of a snapshot see its values while
// every value in the Texts is being replaced.
func TestTextsSnapshotsBesideAWriter(t *testing.T) {
	const n = 300
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	m := Must(NewTexts[int, string](Options{}))
	defer m.Close()
	set := func(round int) {
		for i := range n {
			m.Set(i, fmt.Sprintf("%d of round %3d", i, round))
		}
	}
	set(0)
	src := choice.Seeded(1)
	var readers sync.WaitGroup
	for round := range rounds {
		s := m.Snapshot()
		readers.Go(func() {
			defer s.Close()
			count := 0
			for k, v := range s.All() {
				if want := fmt.Sprintf("%d of round %3d", k, round); v != want {
					t.Errorf("%q, want %q", v, want)
				}
				count++
			}
			if count != n {
				t.Errorf("%d entries", count)
			}
		})
		for range 50 {
			m.Delete(src.Intn(n))
		}
		set(round + 1)
	}
	readers.Wait()
	m.Set(n, "")
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	if s := m.Stats(); s.HeldTexts > 0 || s.Snapshots > 0 {
		t.Errorf("%+v", s)
	}
}
