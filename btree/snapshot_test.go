package btree

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// TestReadersBesideAWriter verifies that the readers of a snapshot see its state while the map is
// being changed.
func TestReadersBesideAWriter(t *testing.T) {
	m := openFor[string, uint64](t)
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	name := func(i int) string { return fmt.Sprintf("https://example.org/%d", i) }
	const n = 2000
	var readers sync.WaitGroup
	for round := range rounds {
		for i := range n {
			m.Set(name(i), uint64(round))
			if i%7 == round%7 {
				m.Delete(name((i * 31) % n))
			}
		}
		s, length := m.Snapshot(), m.Len()
		readers.Go(func() {
			seen := 0
			for k, v := range s.All() {
				seen++
				if got, ok := s.Get(k); v > uint64(round) || !ok || got != v {
					t.Errorf("round %d: %q is %d, %d", round, k, v, got)
				}
			}
			if seen != length || s.Len() != length {
				t.Errorf("round %d: %d entries, want %d", round, seen, length)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	if s := m.Stats(); s.Snapshots != 0 || s.HeldNodes != 0 || s.HeldTexts != 0 || s.Copies == 0 {
		t.Errorf("%+v", s)
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestOlderSnapshotOutlivesNewer verifies that the writer always sees an open snapshot while an
// older one is open and newer ones are opened and closed. The writer reads the epoch of the newest
// snapshot without a lock.
func TestOlderSnapshotOutlivesNewer(t *testing.T) {
	var h held
	old := h.enter(1)
	var closer sync.WaitGroup
	var done atomic.Bool
	closer.Go(func() {
		defer done.Store(true)
		for epoch := range uint64(200_000) {
			if err := h.exit(h.enter(epoch + 2)); err != nil {
				t.Error(err)
			}
		}
	})
	for !done.Load() {
		if h.newest.Load() == 0 {
			t.Error("there seems to be no snapshot, while one is open")
			break
		}
	}
	closer.Wait()
	if err := h.exit(old); err != nil || h.newest.Load() != 0 {
		t.Errorf("%v, and the newest is %d after all are closed", err, h.newest.Load())
	}
}

// TestSnapshotsGiveBack verifies that memory is reused after the snapshots that needed it are
// closed.
func TestSnapshotsGiveBack(t *testing.T) {
	named := func(i int) string { return fmt.Sprintf("%d, and more than the word has", i) }
	m := openFor[string, uint64](t)
	for i := range 3000 {
		m.Set(named(i), 0)
	}
	var most Stats
	for round := range 50 {
		first, second := m.Snapshot(), m.Snapshot()
		for i := range 3000 {
			m.Delete(named(i))
			m.Set(named(i), uint64(round))
		}
		if s := m.Stats(); s.Snapshots != 2 || s.HeldNodes == 0 || s.HeldTexts == 0 {
			t.Fatalf("%+v", s)
		}
		if round%2 == 0 {
			first, second = second, first
		}
		if err := errors.Join(first.Close(), second.Close(), second.Close()); err != nil {
			t.Fatal(err)
		}
		s := m.Stats()
		if round == 2 {
			most = s
		}
		if round > 2 && (s.Nodes+s.Free > most.Nodes+most.Free+8 || s.TextBytes > most.TextBytes*3/2) {
			t.Fatalf("round %d: %+v, and it was %+v", round, s, most)
		}
	}
}

// TestNewerSnapshotFreesItsOwn verifies that closing the newer of two snapshots frees the nodes
// that only this snapshot needed. The remaining nodes are the ones that the older snapshot would
// hold if it were the only one.
func TestNewerSnapshotFreesItsOwn(t *testing.T) {
	m := openFor[uint64, uint64](t)
	write := func(value uint64) {
		for i := range uint64(3000) {
			m.Set(i, value)
		}
	}
	write(0)
	old := m.Snapshot()
	write(1)
	alone := m.Stats()
	newer := m.Snapshot()
	write(2)
	if s := m.Stats(); s.HeldNodes < 2*alone.HeldNodes {
		t.Fatalf("two snapshots hold %d nodes, one held %d", s.HeldNodes, alone.HeldNodes)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	if s := m.Stats(); s.HeldNodes != alone.HeldNodes || s.Nodes != alone.Nodes {
		t.Errorf("after the newer one is closed %+v, and before it was taken %+v", s, alone)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	if s := m.Stats(); s.HeldNodes != 0 {
		t.Errorf("after both are closed %+v", s)
	}
}

// TestCopies verifies that changes after a snapshot copy each node at most once, and that changes
// without a snapshot copy nothing.
func TestCopies(t *testing.T) {
	m := openFor[uint64, uint64](t)
	for i := range uint64(10_000) {
		m.Set(i, i)
	}
	if c := m.Stats().Copies; c != 0 {
		t.Errorf("%d copies without a snapshot", c)
	}
	s := m.Snapshot()
	for range 100 {
		m.Set(5000, 1)
	}
	if c := m.Stats(); c.Copies != uint64(c.Height)+1 {
		t.Errorf("%d copies of a path of %d", c.Copies, c.Height+1)
	}
	if v, ok := s.Get(5000); v != 5000 || !ok {
		t.Errorf("the snapshot has %d, %v", v, ok)
	}
	s.Close()
	for i := range uint64(10_000) {
		m.Set(i, 1)
	}
	if c := m.Stats(); c.Copies != uint64(c.Height)+1 {
		t.Errorf("%d copies after Close", c.Copies)
	}
}

// TestSnapshotOutlivesMap verifies that a snapshot can be read after its map was closed, and that
// the memory is released when both are closed.
func TestSnapshotOutlivesMap(t *testing.T) {
	m, err := New[uint64, uint64](Options{Name: "outlived"})
	if err != nil {
		t.Fatal(err)
	}
	m.Set(1, 2)
	s := m.Snapshot()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if v, ok := s.Get(1); v != 2 || !ok || !m.tree.account.IsOpen() {
		t.Errorf("%d, %v", v, ok)
	}
	if err := s.Close(); err != nil || m.tree.account.IsOpen() {
		t.Errorf("%v; the memory is still there", err)
	}
	if text := panics.Of(func() { s.Get(1) }); text == "" {
		t.Error("a closed snapshot is read")
	}
}

// TestLoopsFollowCopies verifies that a loop over the map continues in the copy of a node that was
// copied for a snapshot. When the snapshot is closed, the memory of the old node may be reused for
// another leaf.
func TestLoopsFollowCopies(t *testing.T) {
	m := made[uint64]()
	defer m.Close()
	for i := range uint64(5000) {
		m.Set(i, i)
	}
	want := uint64(0)
	for k, v := range m.All() {
		if k != want || v != k && v != k+1 {
			t.Fatalf("%d: %d comes, want %d", k, v, want)
		}
		want++
		if k%100 != 3 {
			continue
		}
		s := m.Snapshot()
		m.Set(k+1, k+2) // copies the leaf
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = m.Snapshot()
		m.Set((k+2500)%5000, (k+2500)%5000) // may copy another leaf into the freed memory
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if want != 5000 {
		t.Errorf("%d entries come", want)
	}
}
