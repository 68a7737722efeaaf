package btree

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ranks compares the results of GetAt and Rank with the model, if r is ranked.
func (p *program[K, V]) ranks(r readable[K, V], want *model[K], k K) {
	var v *view
	switch r := r.(type) {
	case *Map[K, V]:
		v = r.view
	case *Snapshot[K, V]: // may be unranked although its map is ranked now
		v = r.view
	}
	if !v.ranked {
		return
	}
	i, _ := want.find(k)
	if got := r.Rank(k); got != i {
		p.t.Fatalf("Rank(%v) = %d, want %d", k, got, i)
	}
	n := len(want.keys)
	at := p.src.Intn(n+3) - 1
	got, value, ok := r.GetAt(at)
	if ok != (at >= 0 && at < n) {
		p.t.Fatalf("GetAt(%d) of %d returns %v", at, n, ok)
	}
	if ok && (want.compare(got, want.keys[at]) != 0 || p.Number(value) != want.values[name(want.keys[at])]) {
		p.t.Fatalf("GetAt(%d) = %v, %d, want %v", at, got, p.Number(value), want.keys[at])
	}
}

// deleteAt deletes the entry at a random index, which may be out of range.
func (p *program[K, V]) deleteAt() {
	if !p.m.view.ranked {
		return
	}
	n := len(p.model.keys)
	at := p.src.Intn(n+3) - 1
	k, _, ok := p.m.DeleteAt(at)
	if ok != (at >= 0 && at < n) || ok && p.model.compare(k, p.model.keys[at]) != 0 {
		p.t.Fatalf("DeleteAt(%d) of %d = %v, %v", at, n, k, ok)
	}
	if ok {
		p.model.del(p.model.keys[at])
	}
}

// ranked returns a new ranked map.
func ranked[K string | uint64](t *testing.T) *Map[K, uint64] {
	t.Helper()
	m, err := New[K, uint64](Options{Ranked: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// savedRanked saves a ranked map to which n entries were added and from which every fifth was
// deleted. It returns the path of the file.
func savedRanked[K string | uint64](t *testing.T, n int, key func(int) K) string {
	t.Helper()
	m := ranked[K](t)
	for i := range n {
		m.Set(key(i), uint64(i))
	}
	for i := 0; i < n; i += 5 {
		m.Delete(key(i))
	}
	path := filepath.Join(t.TempDir(), "ranked")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCountsOfHighTrees verifies that the counts are correct in a tree with three levels, after
// insertions and deletions in order, at random, and all at once, and after the system has refused
// to provide memory.
func TestCountsOfHighTrees(t *testing.T) {
	m := ranked[uint64](t)
	const n = 40_000
	src := choice.Seeded(1)
	for i := range uint64(n) {
		m.Set(i*10, i)
	}
	for range n {
		vmem.FailNextCommits(src.Intn(2))
		_ = m.TrySet(uint64(src.Intn(10*n)), 1)
	}
	vmem.FailNextCommits(0)
	m.DeleteRange(n, 4*n)
	if s := m.Stats(); s.Height < 2 {
		t.Fatalf("%d floors are too few for this test", s.Height)
	}
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	i := 0
	for k := range m.All() {
		got, _, ok := m.GetAt(i)
		if !ok || got != k || m.Rank(k) != i || m.Rank(k+1) != i+1 {
			t.Fatalf("index %d has %d, %v, want %d of rank %d", i, got, ok, k, m.Rank(k))
		}
		i++
	}
	for m.Len() > 0 {
		at := src.Intn(m.Len())
		want, _, _ := m.GetAt(at)
		if k, _, ok := m.DeleteAt(at); !ok || k != want {
			t.Fatalf("DeleteAt(%d) = %d, %v, want %d", at, k, ok, want)
		}
		if m.Len()%5000 == 0 {
			if err := m.Verify(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRankedFiles verifies that a file of a ranked map is opened as ranked even if the options do
// not request it, and that an unranked file gets counts if they do.
func TestRankedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		path           string
		ask, has, said bool
	}{
		"plain":        {saved(t, 2000, text, uint64(1)), false, false, false},
		"plain, asked": {saved(t, 2000, text, uint64(1)), true, true, true},
		"ranked":       {savedRanked(t, 2000, text), false, true, false},
		"both":         {savedRanked(t, 2000, text), true, true, false},
	} {
		m, err := OpenFile[string, uint64](c.path, Options{Ranked: c.ask})
		if err != nil {
			t.Fatal(err)
		}
		if m.view.ranked != c.has || m.Stats().Verified != c.said {
			t.Errorf("%s: counts are there: %v, and all was verified: %v", name, m.view.ranked, m.Stats().Verified)
		}
		if err := m.Verify(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !c.has {
			if said := panics.Of(func() { m.GetAt(0) }); said != "btree.Map.GetAt: the map is not ranked; set Options.Ranked where it is made or opened" {
				t.Errorf("%s: %q", name, said)
			}
		} else if i := m.Len() / 2; i > 0 {
			if k, _, ok := m.GetAt(i); !ok || m.Rank(k) != i {
				t.Errorf("%s: index %d has %q of rank %d", name, i, k, m.Rank(k))
			}
		}
		m.Close()
	}
}

// TestWrongCountsInFiles verifies that Verify rejects wrong counts, and that GetAt panics if they
// refer to an entry that does not exist.
func TestWrongCountsInFiles(t *testing.T) {
	m := ranked[uint64](t)
	for i := range uint64(5000) {
		m.Set(i, i)
	}
	m.tree.node(m.tree.root).counts(&m.tree.shape)[0] += 1000
	if err := m.Verify(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "are recorded below child") {
		t.Error(err)
	}
	said := panics.Of(func() {
		for i := range 5000 {
			m.GetAt(i)
		}
	})
	if !strings.HasPrefix(said, "btree.Map.GetAt: the file that was opened is damaged: recorded entries are missing") {
		t.Error(said)
	}
}

// TestRankedIsBounded verifies that a ranked map has at most as many entries as its 32-bit counts
// can express.
func TestRankedIsBounded(t *testing.T) {
	if math.MaxInt <= math.MaxUint32 {
		t.Skip("no map can have so many")
	}
	m := ranked[uint64](t)
	m.Set(1, 1)
	most := uint64(mostCounted)
	m.tree.length = int(most)
	if err := m.TrySet(2, 2); !errors.Is(err, ErrFull) || !strings.HasSuffix(err.Error(), "as many as a Ranked map can count") {
		t.Error(err)
	}
	if err := m.TrySet(1, 2); err != nil {
		t.Error(err)
	}
	m.tree.length = 1
}
