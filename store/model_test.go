package store_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// cell is a record that notices when another shares its memory.
type cell struct {
	id, twin int64
	pad      [3]byte
}

func newCell(id int64) cell { return cell{id: id, twin: ^id, pad: [3]byte{byte(id), 7, byte(id)}} }

// machine drives a Store beside its model: a map from live refs to numbers. Half of
// the time the system refuses memory after some commits, and the Store must be as
// if the refused call had never been.
type machine struct {
	store   *store.Store[cell]
	live    map[store.Ref[cell]]int64
	order   []store.Ref[cell] // live refs, to draw from; some may be gone
	last    int64
	writers []*store.Writer[cell]
	texts   map[store.Text]string
}

func (m *machine) add(t *rapid.T, r store.Ref[cell], p *cell) {
	if _, taken := m.live[r]; taken || r == 0 {
		t.Fatalf("%v was handed out while it is live", r)
	}
	m.last++
	*p = newCell(m.last)
	m.live[r] = m.last
	m.order = append(m.order, r)
}

func (m *machine) Put(t *rapid.T) {
	for range rapid.IntRange(1, 300).Draw(t, "times") {
		m.last++
		r, err := m.store.TryPut(newCell(m.last))
		if err != nil {
			m.mustBeFull(t, err)
			return
		}
		if _, taken := m.live[r]; taken || r == 0 {
			t.Fatalf("%v was handed out while it is live", r)
		}
		m.live[r] = m.last
		m.order = append(m.order, r)
	}
}

func (m *machine) mustBeFull(t *rapid.T, err error) {
	full := len(m.live) >= m.store.Max()-m.inWriters()
	if !errors.Is(err, store.ErrFull) || !full && !errors.Is(err, vmem.ErrNoMemory) {
		t.Fatalf("with %d of %d records: %v", len(m.live), m.store.Max(), err)
	}
}

// inWriters is how many slots open Writers may hold.
func (m *machine) inWriters() int { return len(m.writers) * 64 << 10 }

// full tells whether f panics because the store is full.
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

func (m *machine) New(t *rapid.T) {
	for range rapid.IntRange(1, 50).Draw(t, "times") {
		full(t, func() {
			r, p := m.store.New()
			if *p != (cell{}) {
				t.Fatalf("New gave %+v at %v", *p, r)
			}
			m.add(t, r, p)
		})
	}
}

func (m *machine) Make(t *rapid.T) {
	n := rapid.IntRange(0, 3000).Draw(t, "n")
	full(t, func() {
		first, made := m.store.Make(n)
		for i := range made {
			if made[i] != (cell{}) {
				t.Fatalf("Make gave %+v", made[i])
			}
			m.add(t, first+store.Ref[cell](i), &made[i])
		}
	})
}

func (m *machine) Del(t *rapid.T) {
	for range rapid.IntRange(1, 100).Draw(t, "times") {
		if len(m.order) == 0 {
			return
		}
		i := rapid.IntRange(0, len(m.order)-1).Draw(t, "which")
		r := m.order[i]
		m.order[i] = m.order[len(m.order)-1]
		m.order = m.order[:len(m.order)-1]
		m.store.Del(r)
		delete(m.live, r)
		if panicOf(func() { m.store.Del(r) }) == "no panic" {
			t.Fatalf("%v was deleted twice", r)
		}
	}
}

func (m *machine) DelLast(*rapid.T) {
	for range min(500, len(m.order)) {
		r := m.order[len(m.order)-1]
		m.order = m.order[:len(m.order)-1]
		m.store.Del(r)
		delete(m.live, r)
	}
}

func (m *machine) Reset(*rapid.T) {
	m.store.Reset()
	m.order, m.writers = nil, nil
	clear(m.live)
	clear(m.texts)
}

func (m *machine) Trim(t *rapid.T) {
	m.CloseWriters(t)
	if err := m.store.Trim(); err != nil {
		t.Fatal(err)
	}
}

// Clone goes on with the clone, and closes the original.
func (m *machine) Clone(t *rapid.T) {
	clone, err := m.store.Clone()
	if err != nil {
		if !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
		return
	}
	m.CloseWriters(t)
	if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	m.store = clone
}

func (m *machine) OpenWriter(*rapid.T) {
	if len(m.writers) < 3 {
		m.writers = append(m.writers, m.store.Writer())
	}
}

func (m *machine) Write(t *rapid.T) {
	for i, w := range m.writers {
		for range rapid.IntRange(0, 300).Draw(t, "times") {
			full(t, func() {
				r, p := w.New()
				if *p != (cell{}) {
					t.Fatalf("Writer %d gave %+v at %v", i, *p, r)
				}
				m.add(t, r, p)
			})
		}
	}
}

func (m *machine) CloseWriters(*rapid.T) {
	for _, w := range m.writers {
		w.Close()
	}
	m.writers = nil
}

func (m *machine) PutText(t *rapid.T) {
	s := rapid.String().Draw(t, "text")
	full(t, func() { m.texts[m.store.PutText(s)] = s })
}

func (m *machine) Check(t *rapid.T) {
	if m.store.Len() != len(m.live) {
		t.Fatalf("Len %d, want %d", m.store.Len(), len(m.live))
	}
	slots := m.store.Slice()
	if slots[0] != (cell{}) {
		t.Fatal("the nil record is not zero")
	}
	for r, id := range m.live {
		if slots[r] != newCell(id) || *m.store.At(r) != newCell(id) {
			t.Fatalf("%v holds %+v, want %d", r, slots[r], id)
		}
	}
	all := make(map[store.Ref[cell]]int64, len(m.live))
	before := store.Ref[cell](0)
	for r, c := range m.store.All() {
		if r <= before {
			t.Fatalf("All yields %v after %v", r, before)
		}
		all[r], before = c.id, r
	}
	if !maps.Equal(all, m.live) {
		t.Fatalf("All yields %d records, want %d", len(all), len(m.live))
	}
	for x, want := range m.texts {
		if got := m.store.Text(x); got != want {
			t.Fatalf("text %+v is %q, want %q", x, got, want)
		}
	}
}

func againstModel(t *rapid.T) {
	defer vmem.FailCommit(-1)
	s, err := store.New[cell](store.Options{Max: rapid.SampledFrom([]int{1, 700, 5000, 100_000}).Draw(t, "Max")})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{store: s, live: map[store.Ref[cell]]int64{}, texts: map[store.Text]string{}}
	defer func() {
		vmem.FailCommit(-1)
		if err := m.store.Close(); err != nil {
			t.Fatal(err)
		}
	}()
	vmem.FailCommit(rapid.IntRange(-10, 10).Draw(t, "commits until the system refuses"))
	t.Repeat(map[string]func(*rapid.T){
		"Put": m.Put, "New": m.New, "Make": m.Make, "Del": m.Del, "DelLast": m.DelLast,
		"Reset": m.Reset, "Trim": m.Trim, "Clone": m.Clone,
		"OpenWriter": m.OpenWriter, "Write": m.Write, "CloseWriters": m.CloseWriters,
		"PutText": m.PutText, "": m.Check,
	})
}

func TestStoreAgainstModel(t *testing.T) { rapid.Check(t, againstModel) }

func FuzzStore(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }

// handlesAgainstModel drives two Handles of one type beside their models: maps from
// live handles to numbers. Every handle that ever was is tried again and again, in
// both.
func handlesAgainstModel(t *rapid.T) {
	const stores = 2
	var (
		handles [stores]*store.Handles[cell]
		live    [stores]map[store.Handle[cell]]int64
		ever    []store.Handle[cell]
		last    int64
	)
	for i := range handles {
		h, err := store.NewHandles[cell](store.Options{Max: 500})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		handles[i], live[i] = h, map[store.Handle[cell]]int64{}
	}
	which := rapid.IntRange(0, stores-1)
	t.Repeat(map[string]func(*rapid.T){
		"Put": func(t *rapid.T) {
			i := which.Draw(t, "store")
			for range rapid.IntRange(1, 20).Draw(t, "times") {
				if len(live[i]) == 500 {
					return
				}
				last++
				var h store.Handle[cell]
				if last%2 == 0 {
					h = handles[i].Put(newCell(last))
				} else {
					var p *cell
					if h, p = handles[i].New(); *p != (cell{}) {
						t.Fatalf("New gave %+v", *p)
					}
					*p = newCell(last)
				}
				live[i][h] = last
				ever = append(ever, h)
			}
		},
		"Del": func(t *rapid.T) {
			for range rapid.IntRange(0, 20).Draw(t, "times") {
				if len(ever) == 0 {
					return
				}
				i, h := which.Draw(t, "store"), rapid.SampledFrom(ever).Draw(t, "handle")
				_, want := live[i][h]
				if handles[i].Del(h) != want {
					t.Fatalf("Del(%v) in store %d gave %v", h, i, !want)
				}
				delete(live[i], h)
			}
		},
		"Reset": func(t *rapid.T) {
			i := which.Draw(t, "store")
			handles[i].Reset()
			clear(live[i])
		},
		"": func(t *rapid.T) {
			for i := range handles {
				if handles[i].Len() != len(live[i]) {
					t.Fatalf("store %d has Len %d, want %d", i, handles[i].Len(), len(live[i]))
				}
				for _, h := range ever {
					v, ok := handles[i].Get(h)
					if id, want := live[i][h]; ok != want || ok && *v != newCell(id) {
						t.Fatalf("Get(%v) in store %d gave %v, want %v", h, i, ok, want)
					}
				}
				all := map[store.Handle[cell]]int64{}
				for h, v := range handles[i].All() {
					all[h] = v.id
				}
				if !maps.Equal(all, live[i]) {
					t.Fatalf("All of store %d yields %d records, want %d", i, len(all), len(live[i]))
				}
			}
		},
	})
}

func TestHandlesAgainstModel(t *testing.T) { rapid.Check(t, handlesAgainstModel) }

func FuzzHandles(f *testing.F) { f.Fuzz(rapid.MakeFuzz(handlesAgainstModel)) }
