package hashmap

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// A loopProgram changes a Map with string keys inside loops over it. Each value is the unique
// number of the entry times sixteen, plus the number of times that the value has changed.
type loopProgram struct {
	t      *testing.T
	src    choice.Source
	m      *Map[string, uint64]
	model  map[string]uint64
	number uint64
	keys   []string
	loops  func(m *Map[string, uint64]) iter.Seq2[string, uint64]
}

// kindsOfLoops contains the iterators of a Map, all adapted to yield keys and values. An iterator
// without keys yields "" as the key.
var kindsOfLoops = map[string]func(m *Map[string, uint64]) iter.Seq2[string, uint64]{
	"All": (*Map[string, uint64]).All,
	"AllBytes": func(m *Map[string, uint64]) iter.Seq2[string, uint64] {
		return func(yield func(string, uint64) bool) {
			for k, v := range m.AllBytes() {
				if !yield(string(k), v) {
					return
				}
			}
		}
	},
	"Values": func(m *Map[string, uint64]) iter.Seq2[string, uint64] {
		return func(yield func(string, uint64) bool) {
			for v := range m.Values() {
				if !yield("", v) {
					return
				}
			}
		}
	},
}

func (p *loopProgram) add() {
	p.number++
	k := text(p.src.Intn(3000))
	if _, there := p.model[k]; there {
		return
	}
	p.keys = append(p.keys, k)
	p.model[k] = p.number << 4
	p.m.Set(k, p.number<<4)
}

// change usually does nothing. Otherwise it adds, deletes or changes one entry, adds many, or
// clears the map.
func (p *loopProgram) change() {
	switch op := p.src.Intn(40); {
	case op < 3:
		p.add()
	case op < 6 && len(p.keys) > 0:
		i := p.src.Intn(len(p.keys))
		k := p.keys[i]
		p.keys[i] = p.keys[len(p.keys)-1]
		p.keys = p.keys[:len(p.keys)-1]
		delete(p.model, k)
		if !p.m.Delete(k) {
			p.t.Fatalf("Delete(%q) finds nothing", k)
		}
	case op < 8 && len(p.keys) > 0:
		k := p.keys[p.src.Intn(len(p.keys))]
		if p.model[k]&15 < 15 {
			p.model[k]++
			p.m.Set(k, p.model[k])
		}
	case op == 8 && p.src.Intn(20) == 0:
		for range p.src.Intn(1500) {
			p.add()
		}
	case op == 9 && p.src.Intn(400) == 0:
		p.m.Clear()
		clear(p.model)
		p.keys = p.keys[:0]
	}
}

// loop iterates over the map and changes it. It verifies that each entry is yielded at most once,
// and that all entries are yielded that are present throughout.
func (p *loopProgram) loop(depth int) {
	stay := map[uint64]bool{}
	for _, v := range p.model {
		stay[v>>4] = true
	}
	first, seen := p.number, map[uint64]bool{}
	for k, v := range p.loops(p.m) {
		if now, there := p.model[k]; k != "" && (!there || now != v) {
			p.t.Fatalf("%q has value %d, and the loop yields %d", k, now, v)
		}
		now := map[uint64]bool{}
		if k == "" && p.src.Intn(50) == 0 { // rarely, because it visits the whole model
			for _, v := range p.model {
				now[v] = true
			}
			if !now[v] {
				p.t.Fatalf("value %d is not there", v)
			}
		}
		if seen[v>>4] {
			p.t.Fatalf("entry %d comes twice", v>>4)
		}
		if seen[v>>4] = true; v>>4 <= first && !stay[v>>4] {
			p.t.Fatalf("entry %d was gone before the loop", v>>4)
		}
		p.change()
		if depth > 0 && p.src.Intn(500) == 0 {
			p.loop(depth - 1)
		}
		if len(seen) > 20_000 {
			break
		}
	}
	for _, v := range p.model {
		if v>>4 <= first && !seen[v>>4] && len(seen) <= 20_000 {
			p.t.Fatalf("entry %d does not come", v>>4)
		}
	}
}

// TestLoopsAgainstModel verifies that any loop over a map with string keys may change the map.
func TestLoopsAgainstModel(t *testing.T) {
	runs := 40
	if testing.Short() || checks.Enabled {
		runs = 10
	}
	for name, loops := range kindsOfLoops {
		t.Run(name, func(t *testing.T) {
			for seed := range runs {
				p := &loopProgram{t: t, src: choice.Seeded(uint64(seed)), m: made[string](), model: map[string]uint64{}, loops: loops}
				for range p.src.Intn(2500) {
					p.add()
				}
				for range 3 {
					p.loop(1)
				}
				if p.m.loops.first != nil {
					t.Error("a loop is left")
				}
				if err := p.m.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestLoopsOverDeletedEntries verifies that an entry is not yielded if it is deleted before the
// loop reaches it, even if its page was replaced before or after the deletion.
func TestLoopsOverDeletedEntries(t *testing.T) {
	for name, loops := range kindsOfLoops {
		for _, adds := range []int{0, 5000} {
			for _, before := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ", adds, " ", before), func(t *testing.T) { loopAndDelete(t, loops, adds, before) })
			}
		}
	}
}

// loopAndDelete deletes all entries in the first iteration of a loop. It adds other entries
// afterwards, and also beforehand if before is set.
func loopAndDelete(t *testing.T, loops func(m *Map[string, uint64]) iter.Seq2[string, uint64], adds int, before bool) {
	m := made[string]()
	defer m.Close()
	for i := range 20 {
		m.Set(text(i), uint64(i))
	}
	grow := func() {
		for i := range adds {
			m.Set(text(100+i), 100)
		}
	}
	n := 0
	for _, v := range loops(m) {
		if v >= 20 {
			continue
		}
		if n++; n > 1 {
			t.Errorf("%d comes", v)
		}
		if before {
			grow()
		}
		for i := range 20 {
			m.Delete(text(i))
		}
		grow()
	}
}

// TestLoopsEnd verifies that several goroutines may loop concurrently, and that a loop is
// unregistered when it ends, be it by break, by a panic or because the map was closed.
func TestLoopsEnd(t *testing.T) {
	m := made[string]()
	for i := range 3000 {
		m.Set(text(i), uint64(i))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := len(slices.Collect(m.Values())); got != 3000 {
				t.Errorf("%d values", got)
			}
		})
	}
	wg.Wait()
	panics.Of(func() {
		for range m.Values() {
			panic("in the loop")
		}
	})
	for range m.Values() {
		break
	}
	if m.loops.first != nil {
		t.Error("a loop is left")
	}
	said := panics.Of(func() {
		for range m.Values() {
			m.Close()
		}
	})
	if !strings.HasPrefix(said, "hashmap.Map.Values: the map is closed") || m.loops.first != nil {
		t.Errorf("%q", said)
	}
}
