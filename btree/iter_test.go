package btree

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// An iterated is an Iter with its expected position: on the entry with the given key, before the
// first entry, after the last entry, or unset.
type iterated[K, V any] struct {
	it    *Iter[K, V]
	key   K
	place place
}

// move makes one random move with the Iter, and compares the result with the model.
func (x *iterated[K, V]) move(p *program[K, V], model *model[K]) {
	n := len(model.keys)
	i, found := model.find(x.key)
	what, got, want := "", false, 0
	switch op := p.src.Intn(20); {
	case op == 0:
		what, got, want = "First", x.it.First(), 0
	case op == 1:
		what, got, want = "Last", x.it.Last(), n-1
	case op < 5:
		k := p.key(p.src)
		what, got = fmt.Sprintf("Seek(%v)", k), x.it.Seek(k)
		want, _ = model.find(k)
	case op < 14:
		what, got = "Next", x.it.Next()
		want = map[place]int{nowhere: 0, beforeFirst: 0, behindLast: n, onEntry: i + b2i(found)}[x.place]
	default:
		what, got = "Prev", x.it.Prev()
		want = map[place]int{nowhere: n - 1, beforeFirst: -1, behindLast: n - 1, onEntry: i - 1}[x.place]
	}
	if got != (want >= 0 && want < n) {
		p.t.Fatalf("%s from %v returns %v, of %d keys", what, x.key, got, n)
	}
	var none K
	x.key, x.place = none, onEntry
	switch {
	case want < 0 || want >= n && what == "Last":
		x.place = beforeFirst
	case want >= n:
		x.place = behindLast
	default:
		x.key = model.keys[want]
	}
	x.look(p, model, what)
}

// look compares the key and value of the Iter with the model.
func (x *iterated[K, V]) look(p *program[K, V], model *model[K], what string) {
	k, v := x.it.Key(), x.it.Value()
	want := uint64(0)
	if i, ok := model.find(x.key); ok && x.place == onEntry {
		want = model.values[name(model.keys[i])]
	}
	if model.compare(k, x.key) != 0 || p.Number(v) != want {
		p.t.Fatalf("after %s the Iter stands at %v: %d, want %v: %d", what, k, p.Number(v), x.key, want)
	}
}

// iterate moves two Iters of the map and one of a snapshot at random, while it also changes the
// map.
func (p *program[K, V]) iterate() {
	s, frozen := p.m.Snapshot(), p.model.clone()
	seen := iterated[K, V]{it: s.Iter()}
	two := []iterated[K, V]{{it: p.m.Iter()}, {it: p.m.Iter()}}
	for range 60 {
		x := &two[p.src.Intn(2)]
		switch p.src.Intn(16) {
		case 0:
			p.set()
		case 1:
			p.del()
		case 2:
			p.write(x)
		case 3:
			i, there := p.model.find(x.key)
			there = there && x.place == onEntry
			if got := x.it.Delete(); got != there {
				p.t.Fatalf("Delete at %v returns %v, want %v", x.key, got, there)
			} else if there {
				p.model.del(p.model.keys[i])
			}
		case 4, 5:
			seen.move(p, frozen)
		default:
			x.move(p, p.model)
		}
		if p.src.Intn(40) == 0 {
			seen.look(p, frozen, "changes of the map")
		}
		for i := range two {
			two[i].look(p, p.model, "a change")
		}
	}
	if err := s.Close(); err != nil {
		p.t.Fatalf("%v", err)
	}
}

// write sets the value of the Iter's current entry, in the map and in the model.
func (p *program[K, V]) write(x *iterated[K, V]) {
	i, there := p.model.find(x.key)
	there = there && x.place == onEntry
	v := uint64(p.src.Intn(1000))
	if got := x.it.SetValue(p.Of(v)); got != there {
		p.t.Fatalf("SetValue at %v returns %v, want %v", x.key, got, there)
	} else if there {
		p.model.values[name(p.model.keys[i])] = v
	}
}

// TestItersAllocateLittle verifies that an Iter copies all strings of a leaf with one allocation,
// and allocates nothing for numeric keys.
func TestItersAllocateLittle(t *testing.T) {
	if checks.Enabled {
		t.Skip("an ordinary build says it")
	}
	texts, numbers := made[string](), made[int64]()
	defer texts.Close()
	defer numbers.Close()
	const n = 5000
	for i := range n {
		texts.Set(text(i), uint64(i))
		numbers.Set(int64(i)*7919%n, uint64(i))
	}
	if got := testing.AllocsPerRun(5, func() { through(t, texts.Iter(), n) }); got > n/10 {
		t.Errorf("%v allocations for %d strings", got, n)
	}
	if got := testing.AllocsPerRun(5, func() { through(t, numbers.Iter(), n) }); got > 2 {
		t.Errorf("%v allocations for %d numbers", got, n)
	}
}

func through[K, V any](t *testing.T, it *Iter[K, V], n int) {
	up, down := 0, 0
	for it.Next() {
		up++
	}
	for it.Prev() {
		down++
	}
	if up != n || down != n {
		t.Fatalf("%d entries up and %d down, of %d", up, down, n)
	}
}

// TestItersGoToAndFro moves an Iter back and forth between two leaves. The number of steps exceeds
// the number of leaves, which must not be mistaken for a cycle in a damaged file.
func TestItersGoToAndFro(t *testing.T) {
	m := made[uint64]()
	defer m.Close()
	for i := range uint64(1000) {
		m.Set(i, i)
	}
	it := m.Iter()
	for it.Next() && it.at+1 < it.count {
	}
	k := it.Key()
	for range 2000 {
		if !it.Next() || it.Key() != k+1 || !it.Prev() || it.Key() != k {
			t.Fatalf("at %d, not by %d", it.Key(), k)
		}
	}
}

// TestItersOfWhatIsClosed verifies that the methods of an Iter panic if its map or snapshot is
// closed, or if the Iter is the zero value. The methods that change the map also panic if the Iter
// belongs to a snapshot.
func TestItersOfWhatIsClosed(t *testing.T) {
	m := made[uint64]()
	for i := range uint64(1000) {
		m.Set(i, i)
	}
	s := m.Snapshot()
	for name, call := range map[string]func(it *Iter[uint64, uint64]){
		"First": func(it *Iter[uint64, uint64]) { it.First() }, "Last": func(it *Iter[uint64, uint64]) { it.Last() },
		"Seek": func(it *Iter[uint64, uint64]) { it.Seek(3) }, "Next": func(it *Iter[uint64, uint64]) { it.Next() },
		"Prev": func(it *Iter[uint64, uint64]) { it.Prev() }, "Value": func(it *Iter[uint64, uint64]) { it.Value() },
		"SetValue": func(it *Iter[uint64, uint64]) { it.SetValue(1) }, "Delete": func(it *Iter[uint64, uint64]) { it.Delete() },
	} {
		it := s.Iter()
		if it.Seek(500); name == "SetValue" || name == "Delete" {
			if said := panics.Of(func() { call(it) }); said != "btree.Iter."+name+": a snapshot cannot be changed; use an Iter of the map" {
				t.Errorf("%s of a snapshot: %q", name, said)
			}
		}
		c, err := m.Clone()
		if err != nil {
			t.Fatal(err)
		}
		cs := c.Snapshot()
		its := []*Iter[uint64, uint64]{c.Iter(), cs.Iter(), new(Iter[uint64, uint64])}
		for _, it := range its[:2] {
			it.Seek(500)
		}
		if err := errors.Join(cs.Close(), c.Close()); err != nil {
			t.Fatal(err)
		}
		for i, it := range its {
			if said := panics.Of(func() { call(it) }); !strings.HasPrefix(said, "btree.Iter."+name+": the map or the snapshot is closed") {
				t.Errorf("%s, %d: %q", name, i, said)
			}
		}
	}
	if err := errors.Join(s.Close(), m.Close()); err != nil {
		t.Error(err)
	}
}
