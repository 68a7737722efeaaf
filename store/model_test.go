package store_test

import (
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// cell is a record that detects whether another record shares its memory.
type cell struct {
	id, twin int64
	pad      [3]byte
}

func newCell(id int64) cell { return cell{id: id, twin: ^id, pad: [3]byte{byte(id), 7, byte(id)}} }

// driver applies the same operations to a Store and to its model, which maps live refs to records.
// In half of the runs, the system refuses memory after a few commits. A call that fails for this
// reason must not change the Store.
type driver[T comparable] struct {
	make    func(id int64) T // returns a record that is not zero
	store   *store.Store[T]
	spare   *store.Store[T] // the destination of CopyFrom
	live    map[store.Ref[T]]T
	order   []store.Ref[T] // the live refs, from which Delete chooses
	last    int64
	writers []*store.Writer[T]
	texts   map[store.Text]string
}

func (m *driver[T]) add(t *rapid.T, r store.Ref[T], p *T) {
	if _, taken := m.live[r]; taken || r == 0 {
		t.Fatalf("%v was handed out while it is live", r)
	}
	m.last++
	*p = m.make(m.last)
	m.live[r] = *p
	m.order = append(m.order, r)
}

func (m *driver[T]) Alloc(t *rapid.T) {
	for range rapid.IntRange(1, 300).Draw(t, "times") {
		m.last++
		record := m.make(m.last)
		r, err := m.store.TryAlloc(record)
		if err != nil {
			m.mustBeFull(t, err)
			return
		}
		if _, taken := m.live[r]; taken || r == 0 {
			t.Fatalf("%v was handed out while it is live", r)
		}
		m.live[r] = record
		m.order = append(m.order, r)
	}
}

func (m *driver[T]) mustBeFull(t *rapid.T, err error) {
	full := len(m.live) >= m.store.Max()-m.inWriters()
	if !errors.Is(err, store.ErrFull) || !full && !errors.Is(err, vmem.ErrNoMemory) {
		t.Fatalf("with %d of %d records: %v", len(m.live), m.store.Max(), err)
	}
}

// inWriters returns the maximum number of slots that open Writers hold.
func (m *driver[T]) inWriters() int { return len(m.writers) * 64 << 10 }

// full reports whether f panics because the store is full.
func full(t *rapid.T, f func()) bool {
	switch got := panicOf(f); {
	case got == "no panic":
		return false
	case strings.Contains(got, store.ErrFull.Error()):
		return true
	default:
		t.Fatal(got)
		return true
	}
}

func (m *driver[T]) New(t *rapid.T) {
	for range rapid.IntRange(1, 50).Draw(t, "times") {
		full(t, func() {
			r, p := m.store.New()
			if *p != *new(T) {
				t.Fatalf("New gave %+v at %v", *p, r)
			}
			m.add(t, r, p)
		})
	}
}

func (m *driver[T]) Make(t *rapid.T) {
	n := rapid.IntRange(0, 3000).Draw(t, "n")
	full(t, func() {
		first, made := m.store.Make(n)
		for i := range made {
			if made[i] != *new(T) {
				t.Fatalf("Make gave %+v", made[i])
			}
			m.add(t, first+store.Ref[T](i), &made[i])
		}
	})
}

func (m *driver[T]) Delete(t *rapid.T) {
	for range rapid.IntRange(1, 100).Draw(t, "times") {
		if len(m.order) == 0 {
			return
		}
		i := rapid.IntRange(0, len(m.order)-1).Draw(t, "which")
		r := m.order[i]
		m.order[i] = m.order[len(m.order)-1]
		m.order = m.order[:len(m.order)-1]
		m.store.Delete(r)
		delete(m.live, r)
		if panicOf(func() { m.store.Delete(r) }) == "no panic" {
			t.Fatalf("%v was deleted twice", r)
		}
	}
}

func (m *driver[T]) DeleteLast(*rapid.T) {
	for range min(500, len(m.order)) {
		r := m.order[len(m.order)-1]
		m.order = m.order[:len(m.order)-1]
		m.store.Delete(r)
		delete(m.live, r)
	}
}

func (m *driver[T]) Reset(*rapid.T) {
	m.store.Reset()
	m.order, m.writers = nil, nil
	clear(m.live)
	clear(m.texts)
}

func (m *driver[T]) Trim(t *rapid.T) {
	m.CloseWriters(t)
	if err := m.store.Trim(); err != nil {
		t.Fatal(err)
	}
}

// Clone clones the store, changes and closes the original, and continues with the clone.
func (m *driver[T]) Clone(t *rapid.T) {
	clone, err := m.store.Clone()
	if err != nil {
		if !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
		return
	}
	m.CloseWriters(t)
	for i, r := range m.order {
		if i%3 == 0 {
			m.store.Delete(r)
		} else {
			*m.store.At(r) = m.make(-1)
		}
	}
	if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	m.store = clone
}

// CopyFrom copies the store to the spare one, which contains older records, and continues with the
// copy.
func (m *driver[T]) CopyFrom(t *rapid.T) {
	before := m.spare.Len()
	if err := m.spare.CopyFrom(m.store); err != nil {
		if !errors.Is(err, store.ErrFull) || m.spare.Len() != before {
			t.Fatalf("%v; the spare store had %d records and has %d", err, before, m.spare.Len())
		}
		last := store.Ref[T](len(m.store.Slice()) - 1)
		if int(last) <= m.spare.Max() && !errors.Is(err, vmem.ErrNoMemory) {
			t.Fatalf("%v, but the last ref is %v and Max %d", err, last, m.spare.Max())
		}
		return
	}
	m.CloseWriters(t)
	m.store, m.spare = m.spare, m.store
}

func (m *driver[T]) OpenWriter(*rapid.T) {
	if len(m.writers) < 3 {
		m.writers = append(m.writers, m.store.Writer())
	}
}

func (m *driver[T]) Write(t *rapid.T) {
	for i, w := range m.writers {
		for range rapid.IntRange(0, 300).Draw(t, "times") {
			full(t, func() {
				r, p := w.New()
				if *p != *new(T) {
					t.Fatalf("Writer %d gave %+v at %v", i, *p, r)
				}
				m.add(t, r, p)
			})
		}
	}
}

func (m *driver[T]) CloseWriters(*rapid.T) {
	for _, w := range m.writers {
		w.Close()
	}
	m.writers = nil
}

func (m *driver[T]) AllocText(t *rapid.T) {
	s := rapid.String().Draw(t, "text")
	full(t, func() { m.texts[m.store.AllocText(s)] = s })
}

func (m *driver[T]) Check(t *rapid.T) {
	if m.store.Len() != len(m.live) {
		t.Fatalf("Len %d, want %d", m.store.Len(), len(m.live))
	}
	if err := m.store.Invariants(); err != nil {
		t.Fatal(err)
	}
	slots := m.store.Slice()
	if slots[0] != *new(T) {
		t.Fatal("the nil record is not zero")
	}
	for r, want := range m.live {
		if slots[r] != want || *m.store.At(r) != want {
			t.Fatalf("%v holds %+v, want %+v", r, slots[r], want)
		}
	}
	all := make(map[store.Ref[T]]T, len(m.live))
	before := store.Ref[T](0)
	for r, c := range m.store.All() {
		if r <= before {
			t.Fatalf("All yields %v after %v", r, before)
		}
		all[r], before = *c, r
	}
	if !maps.Equal(all, m.live) {
		t.Fatalf("All yields %d records, want %d", len(all), len(m.live))
	}
	if c := m.store.Cap(); c < m.store.Len() || c > m.store.Max() {
		t.Fatalf("Cap %d with Len %d and Max %d", c, m.store.Len(), m.store.Max())
	}
	for x, want := range m.texts {
		if got := m.store.Text(x); got != want {
			t.Fatalf("text %+v is %q, want %q", x, got, want)
		}
	}
}

func againstModel(t *rapid.T) {
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		drive(t, newCell)
	case 1:
		drive(t, func(id int64) byte { return byte(id) | 1 })
	case 2:
		drive(t, func(id int64) [7]byte { return [7]byte{byte(id), 6: 1} })
	case 3:
		drive(t, func(id int64) [1000]byte { return [1000]byte{byte(id), 999: 1} })
	case 4:
		drive(t, func(id int64) [100_003]byte { return [100_003]byte{byte(id), 100_002: 1} })
	}
}

func drive[T comparable](t *rapid.T, makeRecord func(int64) T) {
	defer vmem.FailCommit(-1)
	greatest := []int{1, 700, 5000, 100_000}
	if reflect.TypeFor[T]().Size() > 500 {
		greatest = []int{1, 20, 300}
	}
	open := func(label string) *store.Store[T] {
		s, err := store.New[T](store.Options{Max: rapid.SampledFrom(greatest).Draw(t, label)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	m := &driver[T]{make: makeRecord, store: open("Max"), spare: open("Max of the spare"), live: map[store.Ref[T]]T{}, texts: map[store.Text]string{}}
	defer func() {
		vmem.FailCommit(-1)
		if err := errors.Join(m.store.Close(), m.spare.Close()); err != nil {
			t.Fatal(err)
		}
	}()
	vmem.FailCommit(rapid.IntRange(-10, 10).Draw(t, "commits until the system refuses"))
	t.Repeat(map[string]func(*rapid.T){
		"Alloc": m.Alloc, "New": m.New, "Make": m.Make, "Delete": m.Delete, "DeleteLast": m.DeleteLast,
		"Reset": m.Reset, "Trim": m.Trim, "Clone": m.Clone, "CopyFrom": m.CopyFrom,
		"OpenWriter": m.OpenWriter, "Write": m.Write, "CloseWriters": m.CloseWriters,
		"AllocText": m.AllocText, "": m.Check,
	})
}

func TestStoreAgainstModel(t *testing.T) { random.Check(t, againstModel) }

func FuzzStore(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }
