package hashmap

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"pgregory.net/rapid"
)

// program performs the same random operations on a Map and on Go's map, and compares the results.
type program[K comparable, V any] struct {
	choice.Numbers[V]
	t     choice.T
	src   choice.Source
	m     *Map[K, V]
	model map[K]uint64
	key   func(choice.Source) K
	dir   string
}

func (p *program[K, V]) step() {
	switch op := p.src.Intn(100); {
	case op < 35:
		p.set()
	case op < 55:
		p.remove(p.some())
	case op < 70:
		k := p.some()
		v, ok := p.m.Get(k)
		if want, there := p.model[k]; ok != there || p.Number(v) != want {
			p.t.Fatalf("Get(%v) = %v, %v, want %d, %v", k, v, ok, want, there)
		}
	case op < 75:
		for range 100 + p.src.Intn(400) {
			p.put(p.key(p.src), uint64(op))
		}
	case op < 79:
		for _, k := range slices.Collect(maps.Keys(p.model)) {
			if p.src.Intn(3) > 0 {
				p.remove(k)
			}
		}
	case op < 84:
		p.changeInLoop()
	case op < 90:
		p.whole(op)
	default:
		p.update()
	}
}

// some returns a key that is present in most cases.
func (p *program[K, V]) some() K {
	if p.src.Intn(3) > 0 {
		for k := range p.model {
			return k
		}
	}
	return p.key(p.src)
}

func (p *program[K, V]) put(k K, v uint64) {
	if err := p.m.TrySet(k, p.Of(v)); err != nil {
		p.t.Fatalf("TrySet(%v): %v", k, err)
	}
	p.model[k] = v
}

// set sets a key. Sometimes the system refuses memory meanwhile; then the map must not change.
func (p *program[K, V]) set() {
	k, v := p.key(p.src), uint64(p.src.Intn(1000))
	if p.src.Intn(3) > 0 {
		p.put(k, v)
		return
	}
	vmem.FailNextCommits(1 + p.src.Intn(3))
	err := p.m.TrySet(k, p.Of(v))
	vmem.FailNextCommits(0)
	switch {
	case err == nil:
		p.model[k] = v
	case !errors.Is(err, ErrFull):
		p.t.Fatalf("TrySet(%v): %v", k, err)
	default:
		p.agree()
	}
}

func (p *program[K, V]) remove(k K) {
	_, want := p.model[k]
	if got := p.m.Delete(k); got != want {
		p.t.Fatalf("Delete(%v) = %v, want %v", k, got, want)
	}
	delete(p.model, k)
}

func (p *program[K, V]) update() {
	k, v := p.some(), uint64(p.src.Intn(1000))
	want, there := p.model[k]
	if got, loaded := p.m.GetOrSet(k, p.Of(v)); loaded != there || there && p.Number(got) != want || !there && p.Number(got) != v {
		p.t.Fatalf("GetOrSet(%v) = %v, %v", k, got, loaded)
	} else if !there {
		p.model[k] = v
	}
	p.m.Update(k, func(v V, ok bool) V { return p.Of(p.Number(v) + uint64(b2i(ok))) })
	p.model[k]++
}

// changeInLoop changes the map while All runs. All must yield each entry that is present throughout
// exactly once.
func (p *program[K, V]) changeInLoop() {
	stay, seen := maps.Clone(p.model), map[K]bool{}
	for k, v := range p.m.All() {
		if want, there := p.model[k]; !there || p.Number(v) != want {
			p.t.Fatalf("All yields %v: %v, want %d, %v", k, v, want, there)
		}
		if _, ok := stay[k]; ok && seen[k] {
			p.t.Fatalf("All yields %v twice", k)
		}
		seen[k] = true
		switch p.src.Intn(8) {
		case 0:
			other := p.some()
			p.remove(other)
			delete(stay, other)
		case 1:
			p.put(p.key(p.src), 5)
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

// whole clears, grows, clones, or saves and reopens the map.
func (p *program[K, V]) whole(op int) {
	switch {
	case op < 85:
		p.m.Clear()
		clear(p.model)
	case op < 86:
		if err := p.m.Reserve(p.src.Intn(3000)); err != nil {
			p.t.Fatalf("%v", err)
		}
	case op < 88:
		p.replace(p.m.Clone())
	default:
		path := filepath.Join(p.dir, "map")
		if err := p.m.Save(path); errors.Is(err, errors.ErrUnsupported) {
			return
		} else if err != nil {
			p.t.Fatalf("Save: %v", err)
		}
		p.replace(OpenFile[K, V](path, Options{Verify: p.src.Intn(2) == 0}))
	}
}

func (p *program[K, V]) replace(m *Map[K, V], err error) {
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	old := p.m
	p.m = m
	p.agree()
	if err := old.Close(); err != nil {
		p.t.Fatalf("%v", err)
	}
}

// agree verifies the map and compares its entries with the model.
func (p *program[K, V]) agree() {
	p.t.Helper()
	if err := p.m.Verify(); err != nil {
		p.t.Fatalf("%v", err)
	}
	got := map[K]uint64{}
	for k, v := range p.m.All() {
		got[k] = p.Number(v)
	}
	if !maps.Equal(got, p.model) || p.m.Len() != len(p.model) {
		p.t.Fatalf("the map has %d entries, or others, want %d", len(got), len(p.model))
	}
}

func runProgram[K comparable, V any](t choice.T, dir string, src choice.Source, steps int, key func(choice.Source) K, values choice.Numbers[V]) {
	m, err := New[K, V](Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &program[K, V]{Numbers: values, t: t, src: src, m: m, model: map[K]uint64{}, key: key, dir: dir}
	for range steps {
		p.step()
	}
	p.agree()
	if err := errors.Join(p.m.Close(), p.m.Close()); err != nil {
		t.Fatalf("%v", err)
	}
}

var parts = []string{"", "a", "ab", "https://", "https://www.example.org/", "\x00", "\xff\xff\xff", "path/to/", "0123456789abcdef"}

func someText(s choice.Source) named {
	text := ""
	for range s.Intn(4) {
		text += parts[s.Intn(len(parts))]
	}
	return named(text + fmt.Sprint(s.Intn(2000)))
}

// programs contains one program for each type of key.
var programs = []struct {
	name string
	run  func(t choice.T, dir string, src choice.Source, steps int)
}{
	{"uint64", func(t choice.T, dir string, src choice.Source, steps int) {
		runProgram(t, dir, src, steps, func(s choice.Source) uint64 { return uint64(s.Intn(4000)) << (8 * s.Intn(5)) }, choice.Plain)
	}},
	{"12 bytes", func(t choice.T, dir string, src choice.Source, steps int) {
		runProgram(t, dir, src, steps, func(s choice.Source) (k [12]byte) {
			k[s.Intn(12)], k[11] = byte(s.Intn(100)), byte(s.Intn(30))
			return k
		}, choice.Numbers[[5]byte]{Of: func(n uint64) [5]byte { return [5]byte{byte(n), 4: byte(n >> 8)} }, Number: func(v [5]byte) uint64 { return uint64(v[0]) | uint64(v[4])<<8 }})
	}},
	{"padding and floats", func(t choice.T, dir string, src choice.Source, steps int) {
		runProgram(t, dir, src, steps, func(s choice.Source) odd {
			return odd{A: uint8(s.Intn(20)), B: float32(s.Intn(3)-1) / float32(-1-s.Intn(2)), C: [2]uint8{1: uint8(s.Intn(20))}, D: s.Intn(2) > 0}
		}, choice.Plain)
	}},
	{"string", func(t choice.T, dir string, src choice.Source, steps int) {
		runProgram(t, dir, src, steps, someText, choice.Plain)
	}},
}

func TestMapAgainstModel(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			random.Check(t, func(t *rapid.T) { p.run(t, dir, choice.Rapid(t), rapid.IntRange(0, 20).Draw(t, "steps")) })
		})
	}
}

func TestLongPrograms(t *testing.T) {
	steps := 1200
	if testing.Short() || checks.Enabled {
		steps = 250
	}
	if os.Getenv("COPPICE_FULL") != "" {
		steps = 20_000
	}
	for i, p := range programs {
		t.Run(p.name, func(t *testing.T) { p.run(t, t.TempDir(), choice.Seeded(uint64(i)), steps) })
	}
}

func FuzzMap(f *testing.F) {
	f.Add(uint8(3), []byte("some choices, two bytes each"))
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		programs[int(kind)%len(programs)].run(t, t.TempDir(), choice.Bytes(choices), len(choices)/4)
	})
}
