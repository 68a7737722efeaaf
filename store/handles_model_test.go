package store_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/store"
)

// twoHandles drives two Handles of one type beside their models: maps from live
// handles to numbers. Every handle that ever was is tried again and again, in both.
type twoHandles struct {
	handles [2]*store.Handles[cell]
	live    [2]map[store.Handle[cell]]int64
	ever    []store.Handle[cell]
	last    int64
}

// mostHandles is the count of records that each has room for.
const mostHandles = 500

func (m *twoHandles) Put(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "store")
	for range rapid.IntRange(1, 20).Draw(t, "times") {
		if len(m.live[i]) == mostHandles {
			return
		}
		m.last++
		var h store.Handle[cell]
		if m.last%2 == 0 {
			h = m.handles[i].Put(newCell(m.last))
		} else {
			var p *cell
			if h, p = m.handles[i].New(); *p != (cell{}) {
				t.Fatalf("New gave %+v", *p)
			}
			*p = newCell(m.last)
		}
		m.live[i][h] = m.last
		m.ever = append(m.ever, h)
	}
}

func (m *twoHandles) Del(t *rapid.T) {
	for range rapid.IntRange(0, 20).Draw(t, "times") {
		if len(m.ever) == 0 {
			return
		}
		i, h := rapid.IntRange(0, 1).Draw(t, "store"), rapid.SampledFrom(m.ever).Draw(t, "handle")
		_, want := m.live[i][h]
		if m.handles[i].Del(h) != want {
			t.Fatalf("Del(%v) in store %d gave %v", h, i, !want)
		}
		delete(m.live[i], h)
	}
}

func (m *twoHandles) Reset(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "store")
	m.handles[i].Reset()
	clear(m.live[i])
}

func (m *twoHandles) Check(t *rapid.T) {
	for i := range m.handles {
		if m.handles[i].Len() != len(m.live[i]) {
			t.Fatalf("store %d has Len %d, want %d", i, m.handles[i].Len(), len(m.live[i]))
		}
		for _, h := range m.ever {
			v, ok := m.handles[i].Get(h)
			if id, want := m.live[i][h]; ok != want || ok && *v != newCell(id) {
				t.Fatalf("Get(%v) in store %d gave %v, want %v", h, i, ok, want)
			}
		}
		all := map[store.Handle[cell]]int64{}
		for h, v := range m.handles[i].All() {
			all[h] = v.id
		}
		if !maps.Equal(all, m.live[i]) {
			t.Fatalf("All of store %d yields %d records, want %d", i, len(all), len(m.live[i]))
		}
	}
}

func handlesAgainstModel(t *rapid.T) {
	m := &twoHandles{}
	for i := range m.handles {
		h, err := store.NewHandles[cell](store.Options{Max: mostHandles})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		m.handles[i], m.live[i] = h, map[store.Handle[cell]]int64{}
	}
	t.Repeat(map[string]func(*rapid.T){"Put": m.Put, "Del": m.Del, "Reset": m.Reset, "": m.Check})
}

func TestHandlesAgainstModel(t *testing.T) { rapid.Check(t, handlesAgainstModel) }

func FuzzHandles(f *testing.F) { f.Fuzz(rapid.MakeFuzz(handlesAgainstModel)) }
