package btree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"pgregory.net/rapid"
)

// A model is a simple implementation of a map, with a sorted slice of keys. A Map must behave like
// its model.
type model[K any] struct {
	keys    []K
	values  map[string]uint64 // by the formatted key
	compare func(a, b K) int
}

func (m *model[K]) find(k K) (int, bool) { return slices.BinarySearchFunc(m.keys, k, m.compare) }

func name[K any](k K) string { return fmt.Sprintf("%v", k) }

func (m *model[K]) set(k K, v uint64) {
	if i, ok := m.find(k); !ok {
		m.keys = slices.Insert(m.keys, i, k)
	}
	m.values[name(k)] = v
}

func (m *model[K]) del(k K) bool {
	i, ok := m.find(k)
	if ok {
		m.keys = slices.Delete(m.keys, i, i+1)
		delete(m.values, name(k))
	}
	return ok
}

func (m *model[K]) clone() *model[K] {
	c := &model[K]{keys: slices.Clone(m.keys), values: map[string]uint64{}, compare: m.compare}
	for k, v := range m.values {
		c.values[k] = v
	}
	return c
}

// agree fails the test unless entries yields n entries of the model, beginning with the one at
// index first. If step is -1, the entries are in descending order.
func (m *model[K]) agree(t choice.T, what string, entries func(func(K, uint64) bool), first, n, step int) {
	t.Helper()
	i := 0
	for k, v := range entries {
		if i >= n {
			t.Fatalf("%s yields %v after all %d", what, k, n)
		}
		want := m.keys[first+i*step]
		if m.compare(k, want) != 0 || v != m.values[name(want)] {
			t.Fatalf("%s yields %v: %d, want %v: %d", what, k, v, want, m.values[name(want)])
		}
		i++
	}
	if i != n {
		t.Fatalf("%s ends after %d of %d", what, i, n)
	}
}

// program performs random operations on a Map and on a model of it.
type program[K, V any] struct {
	t       choice.T
	src     choice.Source
	m       *Map[K, V]
	model   *model[K]
	key     func(choice.Source) K
	snaps   []*Snapshot[K, V]
	models  []*model[K]
	refused bool
	dir     string
	reopen  func(path string) (*Map[K, V], error)
	choice.Numbers[V]
}

func (p *program[K, V]) step() {
	switch op := p.src.Intn(100); {
	case op < 40:
		p.set()
	case op < 62:
		p.del()
	case op < 72:
		p.read(p.m, p.model)
	case op < 82:
		p.snapshots(op)
	case op < 84:
		p.runs()
	case op < 86:
		p.drain()
		p.take()
		p.deleteAt()
	case op < 88:
		p.changeInLoop()
		p.iterate()
	case op < 93:
		p.whole(op)
	case op < 96:
		p.update()
	default:
		if err := p.m.Verify(); err != nil {
			p.t.Fatalf("%v", err)
		}
	}
}

func (p *program[K, V]) del() {
	k := p.key(p.src)
	if n := len(p.model.keys); n > 0 && p.src.Intn(2) == 0 {
		k = p.model.keys[p.src.Intn(n)]
	}
	if got, want := p.m.Delete(k), p.model.del(k); got != want {
		p.t.Fatalf("Delete(%v) = %v, want %v", k, got, want)
	}
}

// snapshots takes, closes, or reads a snapshot.
func (p *program[K, V]) snapshots(op int) {
	switch n := len(p.snaps); {
	case op < 75 && n < 4:
		p.snaps, p.models = append(p.snaps, p.m.Snapshot()), append(p.models, p.model.clone())
	case op < 78 && n > 0:
		i := p.src.Intn(n)
		p.readSnapshot(i)
		if err := p.snaps[i].Close(); err != nil {
			p.t.Fatalf("Close: %v", err)
		}
		p.snaps, p.models = slices.Delete(p.snaps, i, i+1), slices.Delete(p.models, i, i+1)
	case n > 0:
		p.readSnapshot(p.src.Intn(n))
	}
}

// whole performs a random operation on the whole map: Clear, Clone, or Save and OpenFile.
func (p *program[K, V]) whole(op int) {
	switch {
	case op < 89 && p.src.Intn(8) == 0:
		p.m.Clear()
		p.model.keys = p.model.keys[:0]
		clear(p.model.values)
	case op < 91 && p.src.Intn(4) == 0:
		p.replace(p.m.Clone())
	case op >= 91 && p.src.Intn(8) == 0:
		path := filepath.Join(p.dir, "tree")
		if err := p.m.Save(path); errors.Is(err, errors.ErrUnsupported) {
			return
		} else if err != nil {
			p.t.Fatalf("Save: %v", err)
		}
		p.replace(p.reopen(path))
	}
}

func (p *program[K, V]) update() {
	k := p.key(p.src)
	i, ok := p.model.find(k)
	v := uint64(p.src.Intn(1000))
	if value, loaded := p.m.GetOrSet(k, p.Of(v)); loaded != ok || ok && p.Number(value) != p.model.values[name(p.model.keys[i])] || !ok && p.Number(value) != v {
		p.t.Fatalf("GetOrSet(%v) = %d, %v", k, p.Number(value), loaded)
	} else if !ok {
		p.model.set(k, v)
	}
	p.m.Update(k, func(v V, ok bool) V { return p.Of(p.Number(v) + uint64(b2i(ok))) })
	p.model.values[name(p.canon(k))]++
}

// canon returns the key in the model that is equal to k.
func (p *program[K, V]) canon(k K) K {
	i, _ := p.model.find(k)
	return p.model.keys[i]
}

func (p *program[K, V]) set() {
	k, v := p.key(p.src), uint64(p.src.Intn(1000))
	if p.refused && p.src.Intn(4) == 0 {
		vmem.FailNextCommits(1 + p.src.Intn(3))
		err := p.m.TrySet(k, p.Of(v))
		vmem.FailNextCommits(0)
		if err != nil {
			if !errors.Is(err, ErrFull) {
				p.t.Fatalf("TrySet: %v", err)
			}
			return
		}
	} else if err := p.m.TrySet(k, p.Of(v)); err != nil {
		p.t.Fatalf("TrySet: %v", err)
	}
	if i, ok := p.model.find(k); ok {
		p.model.values[name(p.model.keys[i])] = v
	} else {
		p.model.set(k, v)
	}
}

// runs inserts random keys in ascending or descending order.
func (p *program[K, V]) runs() {
	keys := make([]K, 40+p.src.Intn(200))
	for i := range keys {
		keys[i] = p.key(p.src)
	}
	slices.SortFunc(keys, p.model.compare)
	if p.src.Intn(2) == 0 {
		slices.Reverse(keys)
	}
	for i, k := range keys {
		p.m.Set(k, p.Of(uint64(i)))
		if at, ok := p.model.find(k); ok {
			p.model.values[name(p.model.keys[at])] = uint64(i)
		} else {
			p.model.set(k, uint64(i))
		}
	}
}

// drain deletes up to 150 adjacent keys.
func (p *program[K, V]) drain() {
	n := len(p.model.keys)
	if n == 0 {
		return
	}
	first := p.src.Intn(n)
	for _, k := range slices.Clone(p.model.keys[first:min(n, first+150)]) {
		if !p.m.Delete(k) {
			p.t.Fatalf("Delete(%v) finds nothing", k)
		}
		p.model.del(k)
	}
}

// changeInLoop deletes and inserts keys while it iterates with All or Backward. The loop must yield
// the keys in order, and must not miss an entry that is in the map during the whole loop.
func (p *program[K, V]) changeInLoop() {
	before := slices.Clone(p.model.keys)
	step, entries := 1, p.m.All()
	if p.src.Intn(2) == 0 {
		step, entries = -1, p.m.Backward()
		slices.Reverse(before)
	}
	i := 0
	var last *K
	for k := range entries {
		if last != nil && p.model.compare(*last, k)*step >= 0 {
			p.t.Fatalf("%v comes after %v", k, *last)
		}
		last = &k
		for ; i < len(before) && p.model.compare(before[i], k)*step < 0; i++ {
			if _, ok := p.model.find(before[i]); ok {
				p.t.Fatalf("%v was not yielded before %v", before[i], k)
			}
		}
		if i < len(before) && p.model.compare(before[i], k) == 0 {
			i++
		}
		switch p.src.Intn(12) {
		case 0:
			p.m.Delete(k)
			p.model.del(k)
		case 1:
			if i+1 < len(before) {
				p.m.Delete(before[i+1])
				p.model.del(before[i+1])
			}
		case 2:
			p.set()
		}
	}
}

func (p *program[K, V]) replace(m *Map[K, V], err error) {
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	old := p.m
	p.m = m
	p.read(m, p.model)
	if err := old.Close(); err != nil { // its snapshots remain open
		p.t.Fatalf("%v", err)
	}
}

func (p *program[K, V]) readSnapshot(i int) { p.read2(p.snaps[i], p.models[i]) }

func (p *program[K, V]) read(m *Map[K, V], want *model[K]) {
	if err := m.Verify(); err != nil {
		p.t.Fatalf("%v", err)
	}
	p.read2(m, want)
}

func (p *program[K, V]) read2(r readable[K, V], want *model[K]) {
	n := len(want.keys)
	if r.Len() != n {
		p.t.Fatalf("%d entries, want %d", r.Len(), n)
	}
	want.agree(p.t, "All", p.numbered(r.All()), 0, n, 1)
	want.agree(p.t, "Backward", p.numbered(r.Backward()), n-1, n, -1)
	for range 4 {
		k := p.key(p.src)
		p.ranks(r, want, k)
		i, ok := want.find(k)
		v, got := r.Get(k)
		if got != ok || ok && p.Number(v) != want.values[name(want.keys[i])] {
			p.t.Fatalf("Get(%v) = %v, %v", k, v, got)
		}
		want.agree(p.t, "Ascend", p.numbered(r.Ascend(k)), i, n-i, 1)
		down := i - 1 + b2i(ok)
		want.agree(p.t, "Descend", p.numbered(r.Descend(k)), down, down+1, -1)
		to := p.key(p.src)
		j, _ := want.find(to)
		want.agree(p.t, "Range", p.numbered(r.Range(k, to)), i, max(0, j-i), 1)
	}
}

// numbered converts the values of a sequence to the numbers that they represent.
func (p *program[K, V]) numbered(entries func(func(K, V) bool)) func(func(K, uint64) bool) {
	return func(yield func(K, uint64) bool) {
		entries(func(k K, v V) bool { return yield(k, p.Number(v)) })
	}
}

type small [3]uint16 // needs a comparison function

func compareSmall(a, b small) int { return slices.Compare(a[:], b[:]) }

type word string

var parts = []string{"", "a", "ab", "https://", "https://www.example.org/", "zzzzzzzz", "\x00", "\x00\x00", "\xff\xff\xff", "path/to/", "0123456", "01234567", strings.Repeat("y", 250)}

func someText(s choice.Source) word {
	var b bytes.Buffer
	for range s.Intn(4) {
		b.WriteString(parts[s.Intn(len(parts))])
	}
	if s.Intn(3) > 0 {
		fmt.Fprintf(&b, "%d", s.Intn(400))
	}
	return word(b.String())
}

func someFloat(s choice.Source) float64 {
	return []float64{math.NaN(), math.Inf(-1), math.Inf(1), 0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, 5e-324, float64(s.Intn(2000) - 1000), float64(s.Intn(2000)) / 7}[s.Intn(11)]
}

// runProgram performs random operations on a new map.
func runProgram[K, V any](t choice.T, dir string, src choice.Source, steps int, refused bool, compare func(a, b K) int, key func(choice.Source) K, values choice.Numbers[V],
	open func() (*Map[K, V], error), reopen func(string) (*Map[K, V], error)) {
	m, err := open()
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := &program[K, V]{Numbers: values, t: t, src: src, m: m, key: key, reopen: reopen, dir: dir, refused: refused}
	p.model = &model[K]{values: map[string]uint64{}, compare: compare}
	for range steps {
		p.step()
	}
	p.read(p.m, p.model)
	for i := range p.snaps {
		p.readSnapshot(i)
	}
	for i, s := range p.snaps {
		if i == 0 {
			err = errors.Join(err, p.m.Close())
		}
		err = errors.Join(err, s.Close(), s.Close())
	}
	if err := errors.Join(err, p.m.Close(), p.m.Close()); err != nil {
		t.Fatalf("%v", err)
	}
}

func runOrdered[K cmp.Ordered, V any](t choice.T, dir string, src choice.Source, steps int, refused bool, key func(choice.Source) K, values choice.Numbers[V]) {
	runProgram(t, dir, src, steps, refused, cmp.Compare[K], key, values, func() (*Map[K, V], error) { return New[K, V](Options{Ranked: src.Intn(2) == 0}) },
		func(path string) (*Map[K, V], error) {
			return OpenFile[K, V](path, Options{Verify: src.Intn(2) == 0, Ranked: src.Intn(2) == 0})
		})
}

// programs has a function for each mode of the tree and for floating-point keys. Where possible,
// the value types are the same as in other tests with such keys, because each instance of Map takes
// long to compile.
var programs = map[string]func(t choice.T, dir string, src choice.Source, steps int, refused bool){
	"uint64": func(t choice.T, dir string, src choice.Source, steps int, refused bool) {
		runOrdered(t, dir, src, steps, refused, func(s choice.Source) uint64 {
			return []uint64{0, math.MaxUint64, math.MaxUint64 - 1, uint64(s.Intn(5000)), uint64(s.Intn(60000)), uint64(s.Intn(1000)) << 50}[s.Intn(6)]
		}, choice.Plain)
	},
	"int32": func(t choice.T, dir string, src choice.Source, steps int, refused bool) {
		runOrdered(t, dir, src, steps, refused, func(s choice.Source) int32 {
			return []int32{math.MinInt32, math.MaxInt32, int32(s.Intn(5000) - 2500), int32(s.Intn(60000))}[s.Intn(4)]
		}, choice.Numbers[[3]byte]{Of: func(n uint64) [3]byte { return [3]byte{byte(n), byte(n >> 8), byte(n >> 16)} },
			Number: func(v [3]byte) uint64 { return uint64(v[0]) | uint64(v[1])<<8 | uint64(v[2])<<16 }})
	},
	"float64": func(t choice.T, dir string, src choice.Source, steps int, refused bool) {
		runOrdered(t, dir, src, steps, refused, someFloat, choice.Numbers[uint32]{Of: func(n uint64) uint32 { return uint32(n) }, Number: func(v uint32) uint64 { return uint64(v) }})
	},
	"string": func(t choice.T, dir string, src choice.Source, steps int, refused bool) {
		runOrdered(t, dir, src, steps, refused, someText, choice.Plain)
	},
	"compared": func(t choice.T, dir string, src choice.Source, steps int, refused bool) {
		runProgram(t, dir, src, steps, refused, compareSmall, func(s choice.Source) small {
			return small{uint16(s.Intn(4)), uint16(s.Intn(40)), uint16(s.Intn(40))}
		}, choice.Plain, func() (*Map[small, uint64], error) {
			return NewFunc[small, uint64](compareSmall, Options{Ranked: src.Intn(2) == 0})
		},
			func(path string) (*Map[small, uint64], error) {
				return OpenFileFunc[small, uint64](path, compareSmall, Options{Verify: src.Intn(2) == 0, Ranked: src.Intn(2) == 0})
			})
	},
}

func TestTreeAgainstModel(t *testing.T) {
	for kind, run := range programs {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			random.Check(t, func(t *rapid.T) {
				run(t, dir, choice.Rapid(t), rapid.IntRange(0, 60).Draw(t, "steps"), false)
			})
		})
	}
}

func TestLongPrograms(t *testing.T) {
	steps, seeds := 1000, 2
	if testing.Short() || checks.Enabled {
		steps, seeds = 250, 2
	}
	if os.Getenv("COPPICE_FULL") != "" {
		steps, seeds = 20000, 5
	}
	for kind, run := range programs {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", kind, seed), func(t *testing.T) {
				run(t, t.TempDir(), choice.Seeded(uint64(seed)), steps, seed%2 == 1)
			})
		}
	}
}

func FuzzTree(f *testing.F) {
	kinds := []string{"uint64", "int32", "float64", "string", "compared"}
	f.Add(uint8(3), []byte("some choices, two bytes each"))
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		programs[kinds[int(kind)%len(kinds)]](t, t.TempDir(), choice.Bytes(choices), len(choices)/4, false)
	})
}
