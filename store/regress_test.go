package store_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// Each test in this file guards against a bug that the other tests missed. Some comments state why
// they missed it.

// The other tests never fill a store up to the last of 2^32 slots.
func TestTrimAtTheLastSlot(t *testing.T) {
	if vmem.GoMemory || checks.Enabled || testing.Short() {
		t.Skip("takes 4 GiB of addresses, and of memory in checked builds")
	}
	records := uint64(store.MaxRecords)
	s := open[byte](t, store.Options{Max: int(records), HugePages: store.HugePagesOff})
	_, p := s.New()
	*p = 42
	s.Make(int(records) - 1)
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	if _, p := s.New(); *p != 0 {
		t.Errorf("New gave %d", *p)
	}
}

// The other tests do not store records while All runs.
func TestPutAndDelInsideAll(t *testing.T) {
	s := open[int64](t, store.Options{Max: 100})
	for range 100 {
		s.Alloc(1)
	}
	yielded := 0
	for r, v := range s.All() {
		if r == 1 {
			s.Delete(5)
			s.Delete(6)
			s.Delete(7)
			s.Alloc(1)
		}
		if *v != 1 {
			t.Errorf("All yields %v, which has no record", r)
		}
		yielded++
	}
	if yielded != s.Len() {
		t.Errorf("All yields %d records, Len is %d", yielded, s.Len())
	}
}

// The other tests accept that Make fails if a store is full.
func TestMakeUsesHoles(t *testing.T) {
	s := open[int64](t, store.Options{Max: 10})
	s.Make(10)
	for r := store.Ref[int64](3); r <= 8; r++ {
		s.Delete(r)
	}
	first, made := s.Make(4)
	if first != 3 || len(made) != 4 || s.Len() != 8 {
		t.Errorf("Make(4) gave %v, %d records, Len %d", first, len(made), s.Len())
	}
	if first, _ := s.Make(2); first != 7 {
		t.Errorf("Make(2) gave %v, want the rest of the hole", first)
	}
	wantPanic(t, "no room for 1 records", func() { s.Make(1) })
}

// The other tests set Max, or use small records.
func TestHandlesOfLargeRecords(t *testing.T) {
	h, err := store.NewHandles[[1 << 20]byte](store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if a := h.Alloc([1 << 20]byte{1}); a == 0 {
		t.Error("Alloc gave nil")
	}
}

// The other tests forge only handles that no slot could hold.
func TestForgedHandleOfAVacantSlot(t *testing.T) {
	h, err := store.NewHandles[int64](store.Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	a := h.Alloc(1)
	h.Delete(a)
	for generation := range store.Handle[int64](64) {
		forged := a + generation<<4 | 1<<63
		if _, ok := h.Get(forged); ok || h.Delete(forged) {
			t.Fatalf("%v names a slot without a record", forged)
		}
	}
}

// The other tests close Writers before the Store.
func TestWriterAfterCloseOfTheStore(t *testing.T) {
	s, err := store.New[int64](store.Options{Max: 1000})
	if err != nil {
		t.Fatal(err)
	}
	w := s.Writer()
	w.Alloc(1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantPanic(t, "store is closed", func() { w.Alloc(2) })
	w.Close()
}

func TestWriterAfterItsClose(t *testing.T) {
	s := open[int64](t, store.Options{})
	w := s.Writer()
	w.Alloc(1)
	w.Close()
	wantPanic(t, "this Writer ended", func() { w.Alloc(2) })
}

// If a store has no fresh slots, its Writers take slots that Delete freed.
func TestWriterUsesHoles(t *testing.T) {
	s := open[int64](t, store.Options{Max: 100})
	s.Make(100)
	s.Delete(17)
	w := s.Writer()
	defer w.Close()
	if r := w.Alloc(1); r != 17 {
		t.Errorf("Alloc gave %v", r)
	}
	wantPanic(t, "the store is full", func() { w.Alloc(1) })
}

// An empty slot is not live, even if it is below the last record.
func TestSlotsInWindowsAreNotLive(t *testing.T) {
	s := open[int64](t, store.Options{})
	w := s.Writer()
	defer w.Close()
	r := w.Alloc(1)
	s.Alloc(2) // in a block above the Writer's
	wantPanic(t, "store.Store.Delete: ", func() { s.Delete(r + 1) })
	if checks.Enabled {
		wantPanic(t, "store.Store.At: ", func() { s.At(r + 1) })
	}
}

// A panic names the line of a Delete even after the hole has become the window.
func TestPlaceOfDelSurvivesTheWindow(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	s := open[int64](t, store.Options{Max: 3})
	s.Make(3)
	s.Delete(1)
	s.Delete(2)
	s.Alloc(1)
	wantPanic(t, "store.Store.At: #2 was deleted (at ", func() { s.At(2) })
}

func TestZeroStore(t *testing.T) {
	var s store.Store[int64]
	if _, err := s.TryAlloc(1); err == nil || !strings.Contains(err.Error(), "not made by store.New") {
		t.Errorf("TryAlloc gave %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// If the system refuses a commit, the store tries to commit less: first one block, without extra
// growth, and then only one record.
func TestFurtherTriesOfACommit(t *testing.T) {
	defer vmem.FailCommit(-1)
	for refused := 1; refused <= 2; refused++ {
		s := open[[10_000]byte](t, store.Options{Max: 10_000})
		s.Make(5000)
		for s.Cap() > s.Len() {
			s.Alloc([10_000]byte{})
		}
		vmem.FailNextCommits(refused)
		if _, err := s.TryAlloc([10_000]byte{}); err != nil {
			t.Errorf("%d refused commits: %v", refused, err)
		}
	}
}

// The model tests rarely trim a store in the middle of a record that was used.
func TestTrimInTheMiddleOfARecord(t *testing.T) {
	s := open[[1000]byte](t, store.Options{Max: 1000})
	fillAll := func() {
		_, made := s.Make(200)
		for i := range made {
			if made[i] != [1000]byte{} {
				t.Fatalf("record %d is not zero", i)
			}
			for j := range made[i] {
				made[i][j] = 0xFF
			}
		}
	}
	fillAll()
	s.Reset()
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	fillAll()
}
