package hashmap

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
)

// A place is a key type with strings, padding and a blank field, which == ignores.
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

// A textsMap is the common interface of Texts and ShardedTexts.
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

// A textsProgram performs the same random operations on a map with string values and on Go's map,
// and compares the results.
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

// whole clears, grows, clones, or saves and reopens the map.
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

// agree verifies the map and compares its entries with the model.
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

// copied collects the entries of an iterator that yields values as bytes.
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

// TestSmallTextsMove runs the model tests on small maps whose memory moves whenever it grows.
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
