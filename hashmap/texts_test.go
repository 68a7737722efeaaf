package hashmap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
)

// A place is a key with strings, padding and a field that == does not look at.
type place struct {
	Country string
	Zip     uint32
	_       uint16
	Open    bool
	Names   [2]named
}

type blob []byte

func TestTextsConformance(t *testing.T) {
	maptest.Run(t, textsFor[string, string])
	maptest.Run(t, textsFor[uint64, string])
	maptest.Run(t, textsFor[place, named])
	maptest.Run(t, textsFor[[3]int16, string])
	maptest.Run(t, shardedTextsFor[string, string])
	maptest.Run(t, shardedTextsFor[place, string])
	maptest.Run(t, func() maptest.Map[string, blob] {
		d := textsFor[string, blob]()
		d.Value = func(i int) blob { return blob(fmt.Sprint(i)) }
		return d
	})
}

func textsFor[K comparable, V ~string | ~[]byte]() maptest.Map[K, V] {
	return describeTexts(Must(NewTexts[K, V](Options{})))
}

func describeTexts[K comparable, V ~string | ~[]byte](m *Texts[K, V]) maptest.Map[K, V] {
	return maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear, Close: m.Close, Changes: true,
		Clone: func() (maptest.Map[K, V], error) {
			c, err := m.Clone()
			if err != nil {
				return maptest.Map[K, V]{}, err
			}
			return describeTexts(c), nil
		}}
}

func shardedTextsFor[K comparable, V ~string | ~[]byte]() maptest.Map[K, V] {
	m := Must(NewShardedTexts[K, V](Options{Shards: 4}))
	return maptest.Map[K, V]{Set: m.Set, Get: m.Get, Len: m.Len, All: m.All, Delete: m.Delete, GetOrSet: m.GetOrSet, Clear: m.Clear, Close: m.Close, Changes: true}
}

// A textsMap is what Texts and ShardedTexts have.
type textsMap[K comparable, V any] interface {
	Get(K) (V, bool)
	AppendGet([]byte, K) ([]byte, bool)
	View(K, func([]byte)) bool
	Has(K) bool
	TrySet(K, V) error
	GetOrSet(K, V) (V, bool)
	Update(K, func(V, bool) V)
	Compute(K, func(V, bool) (V, ComputeOp)) (V, bool)
	Delete(K) bool
	LoadAndDelete(K) (V, bool)
	Len() int
	Clear()
	Close() error
	Reserve(int) error
	Verify() error
	Save(string) error
	Stats() TextsStats
}

// A textsProgram runs random operations on a map and on Go's.
type textsProgram[K comparable, M textsMap[K, string]] struct {
	t     choice.T
	src   choice.Source
	m     M
	model map[K]string
	key   func(choice.Source) K
	clone func(M) (M, error)
	open  func(string) (M, error)
	all   func(M) (map[K]string, map[K]string)
	dir   string
}

func (p *textsProgram[K, M]) value() string {
	return strings.Repeat(string(rune('a'+p.src.Intn(26))), p.src.Intn([]int{3, 40, 40, 300}[p.src.Intn(4)]))
}

func (p *textsProgram[K, M]) step() {
	k, v := p.key(p.src), p.value()
	want, there := p.model[k]
	switch op := p.src.Intn(100); {
	case op < 45:
		if p.src.Intn(8) == 0 {
			vmem.FailNextCommits(1 + p.src.Intn(3))
		}
		err := p.m.TrySet(k, v)
		vmem.FailNextCommits(0)
		if err == nil {
			p.model[k] = v
		} else if !errors.Is(err, ErrFull) {
			p.t.Fatalf("TrySet(%v): %v", k, err)
		}
	case op < 60:
		if got := p.m.Delete(k); got != there {
			p.t.Fatalf("Delete(%v) = %v", k, got)
		}
		delete(p.model, k)
	case op < 65:
		if got, ok := p.m.LoadAndDelete(k); got != want || ok != there {
			p.t.Fatalf("LoadAndDelete(%v) = %q, %v, want %q", k, got, ok, want)
		}
		delete(p.model, k)
	case op < 75:
		p.look(k, want, there)
	case op < 80:
		if got, ok := p.m.GetOrSet(k, v); ok != there || there && got != want || !there && got != v {
			p.t.Fatalf("GetOrSet(%v) = %q, %v", k, got, ok)
		} else if !there {
			p.model[k] = v
		}
	case op < 90:
		p.compute(k, v, want, there)
	case op < 94:
		p.whole()
	default:
		for range 60 {
			k, v := p.key(p.src), p.value()
			if err := p.m.TrySet(k, v); err != nil {
				p.t.Fatalf("%v", err)
			}
			p.model[k] = v
		}
	}
}

func (p *textsProgram[K, M]) look(k K, want string, there bool) {
	got, ok := p.m.Get(k)
	room, has := p.m.AppendGet([]byte("x"), k)
	seen := ""
	viewed := p.m.View(k, func(b []byte) { seen = string(b) })
	if got != want || ok != there || has != there || string(room) != "x"+want || viewed != there || seen != want || p.m.Has(k) != there {
		p.t.Fatalf("Get(%v) = %q, %v; AppendGet %q, %v; View %q, %v; want %q, %v", k, got, ok, room, has, seen, viewed, want, there)
	}
}

func (p *textsProgram[K, M]) compute(k K, v, want string, there bool) {
	if p.src.Intn(2) == 0 {
		p.m.Update(k, func(old string, ok bool) string {
			if old != want || ok != there {
				p.t.Fatalf("Update(%v) has %q, %v", k, old, ok)
			}
			return old + v
		})
		p.model[k] = want + v
		return
	}
	op := ComputeOp(p.src.Intn(3))
	got, ok := p.m.Compute(k, func(old string, ok bool) (string, ComputeOp) {
		if old != want || ok != there {
			p.t.Fatalf("Compute(%v) has %q, %v", k, old, ok)
		}
		return v, op
	})
	switch op {
	case UpdateOp:
		p.model[k] = v
	case DeleteOp:
		delete(p.model, k)
	}
	if now, there := p.model[k]; got != now || ok != there {
		p.t.Fatalf("Compute(%v) = %q, %v, want %q, %v", k, got, ok, now, there)
	}
}

// whole does something with all of the map.
func (p *textsProgram[K, M]) whole() {
	switch p.src.Intn(5) {
	case 0:
		p.m.Clear()
		clear(p.model)
	case 1:
		if err := p.m.Reserve(p.src.Intn(3000)); err != nil {
			p.t.Fatalf("%v", err)
		}
	case 2, 3:
		p.replace(p.clone(p.m))
	default:
		path := filepath.Join(p.dir, "map")
		if err := p.m.Save(path); errors.Is(err, errors.ErrUnsupported) {
			return
		} else if err != nil {
			p.t.Fatalf("Save: %v", err)
		}
		p.replace(p.open(path))
	}
}

func (p *textsProgram[K, M]) replace(m M, err error) {
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	if err := errors.Join(p.m.Close(), p.m.Close()); err != nil {
		p.t.Fatalf("%v", err)
	}
	p.m = m
	p.agree()
}

// agree compares all of the map with the model.
func (p *textsProgram[K, M]) agree() {
	p.t.Helper()
	if err := p.m.Verify(); err != nil {
		p.t.Fatalf("%v", err)
	}
	all, lent := p.all(p.m)
	if !maps.Equal(all, p.model) || !maps.Equal(lent, p.model) || p.m.Len() != len(p.model) || p.m.Stats().Len != len(p.model) {
		p.t.Fatalf("the map has %d entries, or others, want %d", len(all), len(p.model))
	}
}

func runTexts[K comparable](t choice.T, dir string, src choice.Source, steps int, key func(choice.Source) K) {
	p := &textsProgram[K, *Texts[K, string]]{t: t, dir: dir, src: src, m: Must(NewTexts[K, string](Options{})), model: map[K]string{}, key: key}
	p.clone = (*Texts[K, string]).Clone
	p.open = func(path string) (*Texts[K, string], error) {
		return OpenTextsFile[K, string](path, Options{Verify: src.Intn(2) == 0})
	}
	p.all = func(m *Texts[K, string]) (all, lent map[K]string) { return maps.Collect(m.All()), copied(m.AllBytes()) }
	for range steps {
		p.step()
	}
	p.agree()
	p.m.Close()
}

func runShardedTexts[K comparable](t choice.T, dir string, src choice.Source, steps int, key func(choice.Source) K) {
	p := &textsProgram[K, *ShardedTexts[K, string]]{t: t, dir: dir, src: src, m: Must(NewShardedTexts[K, string](Options{Shards: 2})), model: map[K]string{}, key: key}
	p.clone = (*ShardedTexts[K, string]).Clone
	p.open = func(path string) (*ShardedTexts[K, string], error) {
		return OpenShardedTextsFile[K, string](path, Options{Verify: src.Intn(2) == 0})
	}
	p.all = func(m *ShardedTexts[K, string]) (all, lent map[K]string) {
		return maps.Collect(m.All()), copied(m.AllBytes())
	}
	for range steps {
		p.step()
	}
	p.agree()
	p.m.Close()
}

// copied returns entries that a loop lends.
func copied[K comparable](all func(func(K, []byte) bool)) map[K]string {
	m := map[K]string{}
	all(func(k K, b []byte) bool {
		m[k] = string(b)
		return true
	})
	return m
}

func somePlace(s choice.Source) place {
	return place{Country: string(someText(s))[:s.Intn(3)%2], Zip: uint32(s.Intn(100)), Open: s.Intn(2) > 0,
		Names: [2]named{named(strings.Repeat("n", s.Intn(300))), someText(s)}}
}

var textsPrograms = []struct {
	name string
	run  func(t choice.T, dir string, src choice.Source, steps int)
}{
	{"string", func(t choice.T, dir string, src choice.Source, steps int) { runTexts(t, dir, src, steps, someText) }},
	{"struct", func(t choice.T, dir string, src choice.Source, steps int) { runTexts(t, dir, src, steps, somePlace) }},
	{"int", func(t choice.T, dir string, src choice.Source, steps int) {
		runTexts(t, dir, src, steps, func(s choice.Source) int32 { return int32(s.Intn(500)) - 100 })
	}},
	{"sharded", func(t choice.T, dir string, src choice.Source, steps int) {
		runShardedTexts(t, dir, src, steps, someText)
	}},
}

func TestTextsAgainstModel(t *testing.T) {
	steps := 1500
	if testing.Short() || checks.Enabled {
		steps = 250
	}
	if testsize.Full() {
		steps = 20_000
	}
	for i, p := range textsPrograms {
		t.Run(p.name, func(t *testing.T) { p.run(t, t.TempDir(), choice.Seeded(uint64(i)), steps) })
	}
}

// Small maps whose memory moves at each commit.
func TestSmallTextsMove(t *testing.T) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	for i, p := range textsPrograms {
		p.run(t, t.TempDir(), choice.Seeded(uint64(i)), 200)
	}
}

func FuzzTexts(f *testing.F) {
	f.Add(uint8(3), []byte("some choices, two bytes each"))
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		textsPrograms[int(kind)%len(textsPrograms)].run(t, t.TempDir(), choice.Bytes(choices), len(choices)/4)
	})
}

// Keys are equal as == says, and types that cannot be keys have an error that says which field.
func TestTextsKeys(t *testing.T) {
	p, err := planKeys("x", reflect.TypeFor[place]())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]place{}
	src := choice.Seeded(1)
	for range 3000 {
		k := somePlace(src)
		text := keyString(&p, nil, &k)
		if other, ok := seen[text]; ok && other != k {
			t.Fatalf("%+v and %+v have one string", k, other)
		}
		seen[strings.Clone(text)] = k
		if back, ok := keyOf[place](&p, text); !ok || back != k {
			t.Fatalf("%+v became %+v, %v", k, back, ok)
		}
		for n := range len(text) {
			if _, ok := keyOf[place](&p, text[:n]); ok {
				t.Fatalf("a part of %q is a key", text)
			}
		}
	}
	for want, err := range map[string]error{
		"hashmap.NewTexts: struct { A float64 }.A is a float64": errOf(NewTexts[struct{ A float64 }, string](Options{})),
		"hashmap.NewTexts: [2]*int[] is a *int, a pointer":      errOf(NewTexts[[2]*int, string](Options{})),
		"hashmap.NewTexts: interface {} is a interface {}":      errOf(NewTexts[any, []byte](Options{})),
		"hashmap.NewTexts: a key of":                            errOf(NewTexts[[1 << 17]byte, string](Options{})),
		"hashmap.NewShardedTexts: struct { A float32 }.A is":    errOf(NewShardedTexts[struct{ A float32 }, string](Options{})),
		"hashmap.NewTexts: negative Max":                        errOf(NewTexts[int, string](Options{Max: -1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// Values whose lengths change, and keys that come and go, leave no memory behind: after any number of
// operations the heap of values has at most 1.5 times what a fresh map has.
func TestTextsChurn(t *testing.T) {
	n, rounds := 2000, 30
	if testing.Short() {
		rounds = 8
	}
	if testsize.Full() {
		n, rounds = 20_000, 500 // ten million changes
	}
	m := Must(NewTexts[uint64, []byte](Options{}))
	defer m.Close()
	src := choice.Seeded(1)
	room := make([]byte, 4096)
	for round := range rounds {
		scale := 1 + 13*(round%7)
		for range n {
			k := uint64(round*n/8 + src.Intn(n)) // keys drift, and lengths too
			m.Set(k, room[:src.Intn(20)*scale])
			m.Delete(k - uint64(n))
			m.Delete(uint64(round*n/8 - 1 - src.Intn(n)))
		}
		fresh := Must(NewTexts[uint64, []byte](Options{}))
		for k, v := range m.AllBytes() {
			fresh.Set(k, v)
		}
		was, want := m.Stats(), fresh.Stats()
		if round > 7 && (was.ValueBytes > want.ValueBytes+want.ValueBytes/2+4096 || was.TextBytes > want.TextBytes+want.TextBytes/2+4096) {
			t.Errorf("round %d: %d bytes of values and %d of keys for %d entries, fresh ones take %d and %d", round, was.ValueBytes, was.TextBytes, was.Len, want.ValueBytes, want.TextBytes)
		}
		fresh.Close()
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// What the documents say of allocations.
func TestTextsAllocations(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds lend copies")
	}
	m, s := Must(NewTexts[place, string](Options{})), Must(NewShardedTexts[place, string](Options{Shards: 4}))
	defer m.Close()
	defer s.Close()
	k, v := place{Country: "de", Names: [2]named{"Ulm", "Neu-Ulm"}}, "a value of some length, so that it cannot be on a stack"
	m.Set(k, v)
	s.Set(k, v)
	room, n := make([]byte, 0, 100), 0
	for name, c := range map[string]struct {
		want float64
		f    func()
	}{
		"Get":               {1, func() { v, _ := m.Get(k); n += len(v) }},
		"AppendGet":         {0, func() { b, _ := m.AppendGet(room, k); n += len(b) }},
		"View":              {0, func() { m.View(k, func(b []byte) { n += len(b) }) }},
		"Has":               {0, func() { m.Has(k) }},
		"Set":               {0, func() { m.Set(k, v[n%2:]) }},
		"Sharded.Get":       {1, func() { v, _ := s.Get(k); n += len(v) }},
		"Sharded.AppendGet": {0, func() { b, _ := s.AppendGet(room, k); n += len(b) }},
		"Sharded.View":      {0, func() { s.View(k, func(b []byte) { n += len(b) }) }},
		"Sharded.Set":       {0, func() { s.Set(k, v[n%2:]) }},
	} {
		if got := testing.AllocsPerRun(100, c.f); got > c.want {
			t.Errorf("%s allocates %v times, want %v", name, got, c.want)
		}
	}
}

// A large Texts has its memory outside the Go heap, and a small one is small.
func TestTextsMemory(t *testing.T) {
	if !vmem.GoMemory {
		held := memory.Held(func() any {
			m := Must(NewTexts[int, string](Options{}))
			for i := range 20_000 {
				m.Set(i, "a value of some forty bytes, all of it text")
			}
			t.Cleanup(func() { m.Close() })
			return m
		})
		if held > 64<<10 {
			t.Errorf("a large Texts holds %d bytes of the Go heap", held)
		}
	}
	small := memory.Held(func() any {
		all := make([]*Texts[string, string], 100)
		for i := range all {
			all[i] = Must(NewTexts[string, string](Options{}))
			all[i].Set("a", "b")
		}
		t.Cleanup(func() {
			for _, m := range all {
				m.Close()
			}
		})
		return all
	})
	if small > 100*8<<10 {
		t.Errorf("100 small Texts hold %d bytes", small)
	}
}

// What a View and a loop lend is overwritten in checked builds, and a View that changes the map panics.
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

func TestTextsMisuse(t *testing.T) {
	m, s := Must(NewTexts[string, string](Options{Max: 1})), Must(NewShardedTexts[string, string](Options{Shards: 1}))
	m.Set("a", "b")
	if err := m.TrySet("b", ""); !errors.Is(err, ErrFull) || m.Len() != 1 {
		t.Error(err)
	}
	if err := m.Reserve(2); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	m.Close()
	s.Close()
	for want, f := range map[string]func(){
		"hashmap.Texts.Get: the map is closed":           func() { m.Get("a") },
		"hashmap.ShardedTexts.Set: the map is closed":    func() { s.Set("a", "") },
		"hashmap.Texts.Has: the map was not made":        func() { new(Texts[int, string]).Has(1) },
		"hashmap.ShardedTexts.Has: the map was not made": func() { new(ShardedTexts[int, string]).Has(1) },
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Several goroutines change and read; each value says which key it is of.
func TestShardedTextsTogether(t *testing.T) {
	s := Must(NewShardedTexts[string, string](Options{Shards: 2}))
	defer s.Close()
	steps := 3000
	if testing.Short() {
		steps = 500
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			src := choice.Seeded(uint64(g))
			right := func(k, v string) {
				if strings.TrimRight(v, "x") != k {
					t.Errorf("%q has %q", k, v)
				}
			}
			for i := range steps {
				k := fmt.Sprint(src.Intn(200))
				switch i % 5 {
				case 0, 1:
					s.Set(k, k+strings.Repeat("x", src.Intn(100)))
				case 2:
					s.Delete(k)
				case 3:
					if v, ok := s.Get(k); ok {
						right(k, v)
					}
				default:
					s.View(k, func(b []byte) { right(k, string(b)) })
				}
				if i%500 == 0 {
					for k, v := range s.All() {
						right(k, v)
					}
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
}

// savedTexts is a file of a Texts, of which some entries were deleted or replaced.
func savedTexts(t *testing.T, n int) string {
	t.Helper()
	m := Must(NewTexts[place, string](Options{}))
	defer m.Close()
	for i := range n {
		m.Set(place{Country: text(i), Open: i%2 > 0}, strings.Repeat("v", i%200))
		m.Set(place{Country: text(i / 2), Open: i%4 > 1}, text(i))
		m.Delete(place{Country: text(i / 3)})
	}
	path := filepath.Join(t.TempDir(), "map")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTextsFiles(t *testing.T) {
	path := savedTexts(t, 300)
	open := func() error {
		return damage.Closed(OpenTextsFile[place, string](path, Options{Verify: true}))
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	damage.FlipBits(t, path, damage.StepOf(), open)
	damage.CutOff(t, path, open)
	if err := damage.Closed(OpenTextsFile[string, string](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if err := damage.Closed(OpenFile[string, uint32](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	s, err := OpenShardedTextsFile[place, []byte](path, Options{})
	if err != nil || len(s.shards) != 1 {
		t.Fatal(err)
	}
	s.Close()
	if err := damage.Closed(OpenShardedTextsFile[place, string](path, Options{Shards: 8})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	many := Must(NewShardedTexts[string, string](Options{Shards: 4}))
	defer many.Close()
	if err := many.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := damage.Closed(OpenTextsFile[string, string](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
}

// Numbers and values of a file may be anything: what is done with the map ends, and Verify says no.
func TestHostileTexts(t *testing.T) {
	src := choice.Seeded(3)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		m := Must(NewTexts[place, string](Options{}))
		for i := range 60 {
			m.Set(place{Country: text(i)}, strings.Repeat("v", i*7))
		}
		values, keys := m.m.values.Contents(), m.m.index.heap.Contents()
		for range 1 + src.Intn(20) {
			switch src.Intn(3) {
			case 0:
				values[src.Intn(len(values))] = byte(src.Intn(256))
			case 1:
				keys[src.Intn(len(keys))] = byte(src.Intn(256))
			default: // the number of a value
				k := place{Country: text(src.Intn(60))}
				key := keyString(&m.keys, nil, &k)
				if at := m.m.index.findText(m.m.hashOf(key), key); at != nil {
					*at = uint32(src.Intn(1 << 12))
				}
			}
		}
		_ = m.Verify()
		for i := range 200 {
			k := place{Country: text(src.Intn(90))}
			m.Get(k)
			m.Delete(place{Country: text(i)})
			m.Set(k, strings.Repeat("w", src.Intn(300)))
		}
		for k, v := range m.All() {
			_, _ = k, v
		}
		m.Close()
	}
}

// A value that begins with another hash is noticed, as are two keys with one value.
func TestTextsVerify(t *testing.T) {
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "first")
	m.Set("b", "second")
	a := m.m.index.findText(m.m.hashOf("a"), "a")
	b := m.m.index.findText(m.m.hashOf("b"), "b")
	was := *b
	*b = *a
	if err := m.Verify(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	*b = was
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	stored, _ := m.m.values.Bytes(was)
	binary.LittleEndian.PutUint64(stored, 1)
	if err := m.Verify(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
