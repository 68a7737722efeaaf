package btree

import (
	"cmp"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// An entry is an element of a textModel.
type entry[K any] struct {
	k K
	v string
}

// A textModel is a simple implementation of Texts, with a sorted slice. A Texts must behave like
// its model.
type textModel[K cmp.Ordered] []entry[K]

func (m textModel[K]) find(k K) (int, bool) {
	return slices.BinarySearchFunc(m, k, func(e entry[K], k K) int { return cmp.Compare(e.k, k) })
}

func (m textModel[K]) get(k K) (string, bool) {
	i, ok := m.find(k)
	if !ok {
		return "", false
	}
	return m[i].v, true
}

func (m *textModel[K]) set(k K, v string) {
	i, ok := m.find(k)
	if !ok {
		*m = slices.Insert(*m, i, entry[K]{k: k})
	}
	(*m)[i].v = v
}

func (m *textModel[K]) del(k K) {
	if i, ok := m.find(k); ok {
		*m = slices.Delete(*m, i, i+1)
	}
}

// agree fails the test unless entries yields exactly the entries of the model, in order.
func (m textModel[K]) agree(t choice.T, what string, entries iter.Seq2[K, string]) {
	t.Helper()
	i := 0
	for k, v := range entries {
		if i >= len(m) || cmp.Compare(m[i].k, k) != 0 || m[i].v != v {
			t.Fatalf("%s yields %v: %q at %d of %d", what, k, v, i, len(m))
		}
		i++
	}
	if i != len(m) {
		t.Fatalf("%s ends after %d of %d", what, i, len(m))
	}
}

// backward returns the model in descending order.
func (m textModel[K]) backward() textModel[K] {
	m = slices.Clone(m)
	slices.Reverse(m)
	return m
}

// readableTexts has the methods that Texts and TextsSnapshot have in common.
type readableTexts[K any] interface {
	Get(K) (string, bool)
	AppendGet([]byte, K) ([]byte, bool)
	View(K, func([]byte)) bool
	Has(K) bool
	Len() int
	All() iter.Seq2[K, string]
	AllBytes() iter.Seq2[K, []byte]
	Keys() iter.Seq[K]
	Values() iter.Seq[string]
	Backward() iter.Seq2[K, string]
	Range(from, to K) iter.Seq2[K, string]
	Ascend(K) iter.Seq2[K, string]
	Descend(K) iter.Seq2[K, string]
	Min() (K, string, bool)
	Max() (K, string, bool)
	Seek(K) (K, string, bool)
	GetAt(int) (K, string, bool)
	Rank(K) int
}

// A textsProgram performs random operations on a Texts and on a model of it.
type textsProgram[K cmp.Ordered] struct {
	t      choice.T
	src    choice.Source
	m      *Texts[K, string]
	model  textModel[K]
	key    func(choice.Source) K
	snaps  []*TextsSnapshot[K, string]
	models []textModel[K]
	dir    string
}

func (p *textsProgram[K]) value() string {
	return strings.Repeat(string(rune('a'+p.src.Intn(26))), p.src.Intn([]int{3, 40, 40, 300}[p.src.Intn(4)]))
}

func (p *textsProgram[K]) step() {
	k := p.key(p.src)
	if n := len(p.model); n > 0 && p.src.Intn(3) == 0 {
		k = p.model[p.src.Intn(n)].k
	}
	v := p.value()
	want, there := p.model.get(k)
	switch op := p.src.Intn(100); {
	case op < 40:
		p.set(k, v)
	case op < 52:
		if got := p.m.Delete(k); got != there {
			p.t.Fatalf("Delete(%v) = %v", k, got)
		}
		p.model.del(k)
	case op < 56:
		if got, ok := p.m.LoadAndDelete(k); got != want || ok != there {
			p.t.Fatalf("LoadAndDelete(%v) = %q, %v, want %q", k, got, ok, want)
		}
		p.model.del(k)
	case op < 62:
		if got, ok := p.m.GetOrSet(k, v); ok != there || there && got != want || !there && got != v {
			p.t.Fatalf("GetOrSet(%v) = %q, %v", k, got, ok)
		} else if !there {
			p.model.set(k, v)
		}
	case op < 70:
		p.compute(k, v, want, there)
	case op < 75:
		p.take()
	case op < 84:
		p.snapshots()
	case op < 88:
		p.loop()
	case op < 91:
		p.whole()
	case op < 96:
		p.read(p.m, p.model)
	default:
		for range 60 {
			p.set(p.key(p.src), p.value())
		}
	}
}

func (p *textsProgram[K]) set(k K, v string) {
	if p.src.Intn(8) == 0 {
		vmem.FailNextCommits(1 + p.src.Intn(3))
	}
	err := p.m.TrySet(k, v)
	vmem.FailNextCommits(0)
	if err == nil {
		p.model.set(k, v)
	} else if !errors.Is(err, ErrFull) {
		p.t.Fatalf("TrySet(%v): %v", k, err)
	}
}

func (p *textsProgram[K]) compute(k K, v, want string, there bool) {
	if p.src.Intn(2) == 0 {
		p.m.Update(k, func(old string, ok bool) string {
			if old != want || ok != there {
				p.t.Fatalf("Update(%v) has %q, %v", k, old, ok)
			}
			return old + v
		})
		p.model.set(k, want+v)
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
		p.model.set(k, v)
	case DeleteOp:
		p.model.del(k)
	}
	if now, there := p.model.get(k); got != now || ok != there {
		p.t.Fatalf("Compute(%v) = %q, %v, want %q, %v", k, got, ok, now, there)
	}
}

// take deletes the first entry, the last entry, the entry at an index, or a range of entries.
func (p *textsProgram[K]) take() {
	n := len(p.model)
	if n == 0 {
		if _, _, ok := p.m.PopMin(); ok {
			p.t.Fatalf("PopMin of nothing")
		}
		return
	}
	i := 0
	var k K
	var v string
	var ok bool
	switch op := p.src.Intn(4); {
	case op == 0:
		k, v, ok = p.m.PopMin()
	case op == 1:
		i = n - 1
		k, v, ok = p.m.PopMax()
	case op == 2 && p.m.r.view.ranked:
		i = p.src.Intn(n)
		k, v, ok = p.m.DeleteAt(i)
	default:
		i = p.src.Intn(n)
		end := min(n-1, i+p.src.Intn(40))
		if got := p.m.DeleteRange(p.model[i].k, p.model[end].k); got != end-i {
			p.t.Fatalf("DeleteRange = %d, want %d", got, end-i)
		}
		p.model = slices.Delete(p.model, i, end)
		return
	}
	if !ok || cmp.Compare(k, p.model[i].k) != 0 || v != p.model[i].v {
		p.t.Fatalf("entry %d is %v: %q, %v, want %v: %q", i, k, v, ok, p.model[i].k, p.model[i].v)
	}
	p.model = slices.Delete(p.model, i, i+1)
}

// snapshots takes, reads, or closes a snapshot.
func (p *textsProgram[K]) snapshots() {
	n := len(p.snaps)
	switch {
	case n < 3 && p.src.Intn(2) == 0:
		p.snaps, p.models = append(p.snaps, p.m.Snapshot()), append(p.models, slices.Clone(p.model))
	case n > 0:
		i := p.src.Intn(n)
		p.read(p.snaps[i], p.models[i])
		if p.src.Intn(2) == 0 {
			if err := errors.Join(p.snaps[i].Close(), p.snaps[i].Close()); err != nil {
				p.t.Fatalf("%v", err)
			}
			p.snaps, p.models = slices.Delete(p.snaps, i, i+1), slices.Delete(p.models, i, i+1)
		}
	}
}

// loop replaces and deletes entries while it iterates with All. The loop must yield the current
// values, in order.
func (p *textsProgram[K]) loop() {
	var last *K
	for k, v := range p.m.All() {
		if last != nil && cmp.Compare(*last, k) >= 0 {
			p.t.Fatalf("%v comes after %v", k, *last)
		}
		last = &k
		if want, ok := p.model.get(k); !ok || v != want {
			p.t.Fatalf("All yields %v: %q, want %q, %v", k, v, want, ok)
		}
		switch p.src.Intn(8) {
		case 0:
			p.m.Delete(k)
			p.model.del(k)
		case 1:
			p.set(k, p.value())
		case 2:
			p.set(p.model[p.src.Intn(len(p.model))].k, p.value())
		}
	}
}

// whole performs a random operation on all entries.
func (p *textsProgram[K]) whole() {
	switch p.src.Intn(5) {
	case 0:
		p.m.Clear()
		p.model = nil
	case 1, 2:
		p.replace(p.m.Clone())
	case 3:
		m := Must(NewTexts[K, string](Options{Ranked: p.src.Intn(2) == 0}))
		p.replace(m, m.AppendSorted(p.m.All()))
	default:
		path := filepath.Join(p.dir, "texts")
		if err := p.m.Save(path); errors.Is(err, errors.ErrUnsupported) {
			return
		} else if err != nil {
			p.t.Fatalf("Save: %v", err)
		}
		p.replace(OpenTextsFile[K, string](path, Options{Verify: p.src.Intn(2) == 0, Ranked: p.src.Intn(2) == 0}))
	}
}

func (p *textsProgram[K]) replace(m *Texts[K, string], err error) {
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	old := p.m
	p.m = m
	p.read(m, p.model)
	if err := errors.Join(old.Close(), old.Close()); err != nil { // its snapshots remain open
		p.t.Fatalf("%v", err)
	}
}

func (p *textsProgram[K]) read(r readableTexts[K], want textModel[K]) {
	p.t.Helper()
	if m, ok := r.(*Texts[K, string]); ok {
		if err := m.Verify(); err != nil {
			p.t.Fatalf("%v", err)
		}
	}
	if r.Len() != len(want) {
		p.t.Fatalf("%d entries, want %d", r.Len(), len(want))
	}
	want.agree(p.t, "All", r.All())
	want.agree(p.t, "AllBytes", func(yield func(K, string) bool) {
		for k, b := range r.AllBytes() {
			if !yield(k, string(b)) {
				return
			}
		}
	})
	want.agree(p.t, "Keys and Values", func(yield func(K, string) bool) {
		keys := slices.Collect(r.Keys())
		i := 0
		for v := range r.Values() {
			if !yield(keys[i], v) {
				return
			}
			i++
		}
	})
	want.backward().agree(p.t, "Backward", r.Backward())
	for range 3 {
		p.readKey(r, want, p.key(p.src))
	}
	p.ends(r, want)
}

// readKey looks up a key, and reads the ranges that begin or end at the key.
func (p *textsProgram[K]) readKey(r readableTexts[K], want textModel[K], k K) {
	p.t.Helper()
	v, there := want.get(k)
	got, ok := r.Get(k)
	room, has := r.AppendGet([]byte("x"), k)
	seen := ""
	viewed := r.View(k, func(b []byte) { seen = string(b) })
	if got != v || ok != there || has != there || string(room) != "x"+v || viewed != there || seen != v || r.Has(k) != there {
		p.t.Fatalf("Get(%v) = %q, %v; AppendGet %q, %v; View %q, %v; want %q, %v", k, got, ok, room, has, seen, viewed, v, there)
	}
	i, _ := want.find(k)
	want[i:].agree(p.t, "Ascend", r.Ascend(k))
	want[:i+b2i(there)].backward().agree(p.t, "Descend", r.Descend(k))
	to := p.key(p.src)
	j, _ := want.find(to)
	want[i:max(i, j)].agree(p.t, "Range", r.Range(k, to))
	if at, v, ok := r.Seek(k); ok != (i < len(want)) || ok && (cmp.Compare(at, want[i].k) != 0 || v != want[i].v) {
		p.t.Fatalf("Seek(%v) = %v, %q, %v", k, at, v, ok)
	}
}

func (p *textsProgram[K]) ends(r readableTexts[K], want textModel[K]) {
	p.t.Helper()
	n := len(want)
	first, v, ok := r.Min()
	last, w, too := r.Max()
	if ok != (n > 0) || too != ok {
		p.t.Fatalf("Min says %v and Max %v of %d", ok, too, n)
	}
	if ok && (cmp.Compare(first, want[0].k) != 0 || v != want[0].v || cmp.Compare(last, want[n-1].k) != 0 || w != want[n-1].v) {
		p.t.Fatalf("Min is %v: %q and Max %v: %q", first, v, last, w)
	}
	if ranked := p.viewOf(r).ranked; ranked && n > 0 {
		i := p.src.Intn(n)
		if k, v, ok := r.GetAt(i); !ok || cmp.Compare(k, want[i].k) != 0 || v != want[i].v || r.Rank(k) != i {
			p.t.Fatalf("GetAt(%d) = %v, %q, %v, want %v: %q", i, k, v, ok, want[i].k, want[i].v)
		}
	}
}

func (p *textsProgram[K]) viewOf(r readableTexts[K]) *view {
	if s, ok := r.(*TextsSnapshot[K, string]); ok {
		return s.r.view
	}
	return r.(*Texts[K, string]).r.view
}

func runTexts[K cmp.Ordered](t choice.T, dir string, src choice.Source, steps int, key func(choice.Source) K) {
	p := &textsProgram[K]{t: t, dir: dir, src: src, key: key, m: Must(NewTexts[K, string](Options{Ranked: src.Intn(2) == 0}))}
	for range steps {
		p.step()
	}
	p.read(p.m, p.model)
	err := p.m.Close()
	for i, s := range p.snaps {
		p.read(s, p.models[i])
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
}

var textsPrograms = []struct {
	name string
	run  func(t choice.T, dir string, src choice.Source, steps int)
}{
	{"string", func(t choice.T, dir string, src choice.Source, steps int) { runTexts(t, dir, src, steps, someText) }},
	{"int32", func(t choice.T, dir string, src choice.Source, steps int) {
		runTexts(t, dir, src, steps, func(s choice.Source) int32 { return int32(s.Intn(900)) - 100 })
	}},
	{"float64", func(t choice.T, dir string, src choice.Source, steps int) { runTexts(t, dir, src, steps, someFloat) }},
}

func TestTextsAgainstModel(t *testing.T) {
	steps := 700
	if testing.Short() || checks.Enabled {
		steps = 150
	}
	if testsize.Full() {
		steps = 20_000
	}
	for i, p := range textsPrograms {
		t.Run(p.name, func(t *testing.T) { p.run(t, t.TempDir(), choice.Seeded(uint64(i)), steps) })
	}
}

// TestSmallTextsMove moves the memory of a small Texts at each commit.
func TestSmallTextsMove(t *testing.T) {
	vmem.MoveAlways(true, false)
	defer vmem.MoveAlways(false, false)
	for i, p := range textsPrograms {
		p.run(t, t.TempDir(), choice.Seeded(uint64(i)), 150)
	}
}

func FuzzTexts(f *testing.F) {
	f.Add(uint8(0), []byte("some choices, two bytes each"))
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		textsPrograms[int(kind)%len(textsPrograms)].run(t, t.TempDir(), choice.Bytes(choices), len(choices)/4)
	})
}
