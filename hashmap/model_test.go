package hashmap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"pgregory.net/rapid"
)

type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// A source makes choices.
type source interface{ intn(n int) int }

// lcg is a long run of choices, where rapid's would cost too much.
type lcg struct{ x uint64 }

func (s *lcg) intn(n int) int {
	s.x = s.x*6364136223846793005 + 1442695040888963407
	return int((s.x >> 33) % uint64(n))
}

// rapidSource takes choices from rapid, and bytesSource from a fuzzer.
type rapidSource struct{ t *rapid.T }

func (s rapidSource) intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "n") }

type bytesSource struct{ b []byte }

func (s *bytesSource) intn(n int) int {
	if len(s.b) < 2 {
		s.b = nil
		return 0
	}
	x := binary.LittleEndian.Uint16(s.b)
	s.b = s.b[2:]
	return int(x) % n
}

// numbers are values that stand for numbers, so that the model has the same values whatever those of the Map are.
type numbers[V any] struct {
	of     func(uint64) V
	number func(V) uint64
}

var plainNumbers = numbers[uint64]{func(n uint64) uint64 { return n }, func(v uint64) uint64 { return v }}

// program runs random operations on a Map and on Go's map.
type program[K comparable, V any] struct {
	numbers[V]
	t     fatal
	src   source
	m     *Map[K, V]
	model map[K]uint64
	key   func(source) K
	dir   string
}

func (p *program[K, V]) step() {
	switch op := p.src.intn(100); {
	case op < 35:
		p.set()
	case op < 55:
		p.remove(p.some())
	case op < 70:
		k := p.some()
		v, ok := p.m.Get(k)
		if want, there := p.model[k]; ok != there || p.number(v) != want {
			p.t.Fatalf("Get(%v) = %v, %v, want %d, %v", k, v, ok, want, there)
		}
	case op < 75:
		for range 100 + p.src.intn(400) {
			p.put(p.key(p.src), uint64(op))
		}
	case op < 79:
		for _, k := range slices.Collect(maps.Keys(p.model)) {
			if p.src.intn(3) > 0 {
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

// some returns a key that is mostly there.
func (p *program[K, V]) some() K {
	if p.src.intn(3) > 0 {
		for k := range p.model {
			return k
		}
	}
	return p.key(p.src)
}

func (p *program[K, V]) put(k K, v uint64) {
	if err := p.m.TrySet(k, p.of(v)); err != nil {
		p.t.Fatalf("TrySet(%v): %v", k, err)
	}
	p.model[k] = v
}

// set puts a key, sometimes while the system gives no memory: then the map must be as it was.
func (p *program[K, V]) set() {
	k, v := p.key(p.src), uint64(p.src.intn(1000))
	if p.src.intn(3) > 0 {
		p.put(k, v)
		return
	}
	vmem.FailNextCommits(1 + p.src.intn(3))
	err := p.m.TrySet(k, p.of(v))
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
	k, v := p.some(), uint64(p.src.intn(1000))
	want, there := p.model[k]
	if got, loaded := p.m.GetOrSet(k, p.of(v)); loaded != there || there && p.number(got) != want || !there && p.number(got) != v {
		p.t.Fatalf("GetOrSet(%v) = %v, %v", k, got, loaded)
	} else if !there {
		p.model[k] = v
	}
	p.m.Update(k, func(v V, ok bool) V { return p.of(p.number(v) + uint64(b2i(ok))) })
	p.model[k]++
}

// changeInLoop changes the map while All runs: what is there all the time comes once.
func (p *program[K, V]) changeInLoop() {
	stay, seen := maps.Clone(p.model), map[K]bool{}
	for k, v := range p.m.All() {
		if want, there := p.model[k]; !there || p.number(v) != want {
			p.t.Fatalf("All yields %v: %v, want %d, %v", k, v, want, there)
		}
		if _, ok := stay[k]; ok && seen[k] {
			p.t.Fatalf("All yields %v twice", k)
		}
		seen[k] = true
		switch p.src.intn(8) {
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

// whole does something with all of the map.
func (p *program[K, V]) whole(op int) {
	switch {
	case op < 85:
		p.m.Reset()
		clear(p.model)
	case op < 86:
		if err := p.m.Reserve(p.src.intn(3000)); err != nil {
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
		p.replace(OpenFile[K, V](path, Options{Verify: p.src.intn(2) == 0}))
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

// agree compares all of the map with the model.
func (p *program[K, V]) agree() {
	p.t.Helper()
	if err := p.m.Verify(); err != nil {
		p.t.Fatalf("%v", err)
	}
	got := map[K]uint64{}
	for k, v := range p.m.All() {
		got[k] = p.number(v)
	}
	if !maps.Equal(got, p.model) || p.m.Len() != len(p.model) {
		p.t.Fatalf("the map has %d entries, or others, want %d", len(got), len(p.model))
	}
}

func runProgram[K comparable, V any](t fatal, dir string, src source, steps int, key func(source) K, values numbers[V]) {
	m, err := Open[K, V](Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &program[K, V]{numbers: values, t: t, src: src, m: m, model: map[K]uint64{}, key: key, dir: dir}
	for range steps {
		p.step()
	}
	p.agree()
	if err := errors.Join(p.m.Close(), p.m.Close()); err != nil {
		t.Fatalf("%v", err)
	}
}

var parts = []string{"", "a", "ab", "https://", "https://www.example.org/", "\x00", "\xff\xff\xff", "path/to/", "0123456789abcdef"}

func someText(s source) named {
	text := ""
	for range s.intn(4) {
		text += parts[s.intn(len(parts))]
	}
	return named(text + fmt.Sprint(s.intn(2000)))
}

// programs are those of each kind of key.
var programs = []struct {
	name string
	run  func(t fatal, dir string, src source, steps int)
}{
	{"uint64", func(t fatal, dir string, src source, steps int) {
		runProgram(t, dir, src, steps, func(s source) uint64 { return uint64(s.intn(4000)) << (8 * s.intn(5)) }, plainNumbers)
	}},
	{"12 bytes", func(t fatal, dir string, src source, steps int) {
		runProgram(t, dir, src, steps, func(s source) (k [12]byte) {
			k[s.intn(12)], k[11] = byte(s.intn(100)), byte(s.intn(30))
			return k
		}, numbers[[5]byte]{func(n uint64) [5]byte { return [5]byte{byte(n), 4: byte(n >> 8)} }, func(v [5]byte) uint64 { return uint64(v[0]) | uint64(v[4])<<8 }})
	}},
	{"padding and floats", func(t fatal, dir string, src source, steps int) {
		runProgram(t, dir, src, steps, func(s source) odd {
			return odd{A: uint8(s.intn(20)), B: float32(s.intn(3)-1) / float32(-1-s.intn(2)), C: [2]uint8{1: uint8(s.intn(20))}, D: s.intn(2) > 0}
		}, plainNumbers)
	}},
	{"string", func(t fatal, dir string, src source, steps int) {
		runProgram(t, dir, src, steps, someText, plainNumbers)
	}},
}

func TestMapAgainstModel(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			random.Check(t, func(t *rapid.T) { p.run(t, dir, rapidSource{t}, rapid.IntRange(0, 20).Draw(t, "steps")) })
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
		t.Run(p.name, func(t *testing.T) { p.run(t, t.TempDir(), &lcg{uint64(i)}, steps) })
	}
}

func FuzzMap(f *testing.F) {
	f.Add(uint8(3), []byte("some choices, two bytes each"))
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		programs[int(kind)%len(programs)].run(t, t.TempDir(), &bytesSource{choices}, len(choices)/4)
	})
}
