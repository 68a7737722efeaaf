package btree

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// take performs the operations of take.go on the map and on the model.
func (p *program[K, V]) take() {
	p.pop()
	from, to := p.key(p.src), p.key(p.src)
	i, _ := p.model.find(from)
	j, _ := p.model.find(to)
	if p.src.Intn(4) > 0 {
		j = min(j, i+200) // do not delete everything
		if j < len(p.model.keys) {
			to = p.model.keys[j]
		}
		j, _ = p.model.find(to)
	}
	want := max(0, j-i)
	if got := p.m.DeleteRange(from, to); got != want {
		p.t.Fatalf("DeleteRange(%v, %v) = %d, want %d", from, to, got, want)
	}
	for range want {
		p.model.del(p.model.keys[i])
	}
	k := p.key(p.src)
	if n := len(p.model.keys); n > 0 && p.src.Intn(2) == 0 {
		k = p.model.keys[p.src.Intn(n)]
	}
	p.compute(k)
	i, ok := p.model.find(k)
	value := uint64(0)
	if ok {
		value = p.model.values[name(p.model.keys[i])]
	}
	if v, loaded := p.m.LoadAndDelete(k); loaded != ok || p.Number(v) != value && ok {
		p.t.Fatalf("LoadAndDelete(%v) = %v, %v", k, v, loaded)
	}
	p.model.del(k)
}

// pop removes entries from both ends.
func (p *program[K, V]) pop() {
	for range p.src.Intn(100) {
		at, pop := 0, p.m.PopMin
		if p.src.Intn(2) == 0 {
			at, pop = len(p.model.keys)-1, p.m.PopMax
		}
		k, v, ok := pop()
		if ok != (len(p.model.keys) > 0) {
			p.t.Fatalf("%v comes of %d entries", ok, len(p.model.keys))
		}
		if !ok {
			return
		}
		if want := p.model.keys[at]; p.model.compare(k, want) != 0 || p.Number(v) != p.model.values[name(want)] {
			p.t.Fatalf("%v: %v comes, want %v", k, v, want)
		}
		p.model.del(p.model.keys[at])
	}
}

// compute calls Compute several times with each op.
func (p *program[K, V]) compute(k K) {
	for _, op := range []ComputeOp{CancelOp, UpdateOp, UpdateOp, DeleteOp, CancelOp, UpdateOp} {
		i, there := p.model.find(k)
		was := uint64(0)
		if there {
			was = p.model.values[name(p.model.keys[i])]
		}
		next := (was + 1) % 1000
		v, ok := p.m.Compute(k, func(v V, loaded bool) (V, ComputeOp) {
			if loaded != there || loaded && p.Number(v) != was {
				p.t.Fatalf("Compute(%v) is given %v, %v", k, v, loaded)
			}
			return p.Of(next), op
		})
		switch {
		case op == UpdateOp && there:
			p.model.values[name(p.model.keys[i])] = next
		case op == UpdateOp:
			p.model.set(k, next)
		case op == DeleteOp:
			p.model.del(k)
		default:
			next = was
		}
		_, there = p.model.find(k)
		if ok != there || ok && p.Number(v) != next {
			p.t.Fatalf("Compute(%v) = %v, %v, want %d, %v", k, v, ok, next, there)
		}
	}
}

// TestTakingFromAFullMap verifies that Compute reports an error if it would add an entry to a full
// map, and that operations that do not add an entry still succeed.
func TestTakingFromAFullMap(t *testing.T) {
	m := Must(New[uint64, uint64](Options{Max: 2}))
	defer m.Close()
	m.Set(1, 10)
	m.Set(2, 20)
	put := func(op ComputeOp) func(uint64, bool) (uint64, ComputeOp) {
		return func(uint64, bool) (uint64, ComputeOp) { return 5, op }
	}
	if v, ok, err := m.TryCompute(3, put(UpdateOp)); ok || v != 0 || !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "btree.Map.TryCompute: ") {
		t.Error(v, ok, err)
	}
	if v, ok, err := m.TryCompute(2, put(UpdateOp)); !ok || v != 5 || err != nil {
		t.Error(v, ok, err)
	}
	if said := panics.Of(func() { m.Compute(3, put(UpdateOp)) }); !strings.HasPrefix(said, "btree.Map.Compute: ") {
		t.Error(said)
	}
	if said := panics.Of(func() { m.Compute(1, put(9)) }); said != "btree.Map.Compute: there is no ComputeOp 9" {
		t.Error(said)
	}
	if n, err := m.TryDeleteRange(2, 3); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := slices.Collect(m.Keys()); !slices.Equal(got, []uint64{1}) {
		t.Error(got)
	}
}

// TestRangesWithoutMemory verifies that deletions fail without changing the map if the memory for
// the copies that a snapshot requires cannot be allocated.
func TestRangesWithoutMemory(t *testing.T) {
	const n = 200_000
	m := made[uint64]()
	defer m.Close()
	for i := range uint64(n) {
		m.Set(i, i)
	}
	s := m.Snapshot()
	defer s.Close()
	vmem.FailNextCommits(1 << 20)
	defer vmem.FailNextCommits(0)
	gone, k := 0, uint64(0)
	for ; k < n; k += 50 {
		if _, err := m.TryDelete(k); err != nil {
			break
		}
		gone++
	}
	if k >= n {
		t.Fatal("there is memory for copies of all leaves")
	}
	count, err := m.TryDeleteRange(k, k+1)
	if count != 0 || !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "btree.Map.TryDeleteRange: ") {
		t.Error(count, err)
	}
	v, ok, err := m.TryCompute(k, func(uint64, bool) (uint64, ComputeOp) { return 0, DeleteOp })
	if v != k || !ok || !errors.Is(err, ErrFull) {
		t.Error(v, ok, err)
	}
	for want, call := range map[string]func(){
		"btree.Map.DeleteRange: ":   func() { m.DeleteRange(k, k+1) },
		"btree.Map.LoadAndDelete: ": func() { m.LoadAndDelete(k) },
		"btree.Map.Compute: ":       func() { m.Compute(k, func(uint64, bool) (uint64, ComputeOp) { return 0, DeleteOp }) },
	} {
		if said := panics.Of(call); !strings.HasPrefix(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
	}
	vmem.FailNextCommits(0)
	if m.Len() != n-gone || s.Len() != n || !m.Has(k) {
		t.Errorf("%d and %d entries after %d", m.Len(), s.Len(), gone)
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}
