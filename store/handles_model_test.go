package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/store"
)

// twoHandles applies the same operations to two Handles of one type and to their models, which map
// live handles to numbers. It repeatedly looks up every handle that was ever issued, in both.
//
// The two Handles share so few handle numbers that some programs use them up. Alloc then panics,
// and changes nothing.
type twoHandles struct {
	handles [2]*store.Handles[cell]
	live    [2]map[store.Handle[cell]]int64
	ever    []store.Handle[cell]
	last    int64
}

// mostHandles is the maximum number of records in each Handles.
const mostHandles = 40

// The two Handles share fewGenerations generations of each class. These suffice for at least
// fewestPuts calls of Alloc, because one of the two may have leased generations that the other
// needs.
const (
	fewGenerations = 8
	fewestPuts     = 4
)

func (m *twoHandles) Alloc(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "store")
	for range rapid.IntRange(1, 20).Draw(t, "times") {
		if len(m.live[i]) == mostHandles {
			return
		}
		m.last++
		h, message := m.put(m.handles[i], m.last%2 == 0)
		if message != "" {
			if !strings.Contains(message, "the handle numbers are exhausted") || len(m.ever) < fewestPuts {
				t.Fatalf("after %d Puts: %s", len(m.ever), message)
			}
			return
		}
		if slices.Contains(m.ever, h) {
			t.Fatalf("%v was given out twice", h)
		}
		m.live[i][h] = m.last
		m.ever = append(m.ever, h)
	}
}

// put stores the cell with the number m.last, and returns its handle or the panic message. It calls
// Alloc if byPut is true, and otherwise New.
func (m *twoHandles) put(handles *store.Handles[cell], byPut bool) (h store.Handle[cell], message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	if byPut {
		return handles.Alloc(newCell(m.last)), ""
	}
	h, p := handles.New()
	if *p != (cell{}) {
		return h, fmt.Sprintf("New gave %+v", *p)
	}
	*p = newCell(m.last)
	return h, ""
}

func (m *twoHandles) Delete(t *rapid.T) {
	for range rapid.IntRange(0, 20).Draw(t, "times") {
		if len(m.ever) == 0 {
			return
		}
		i, h := rapid.IntRange(0, 1).Draw(t, "store"), rapid.SampledFrom(m.ever).Draw(t, "handle")
		_, want := m.live[i][h]
		if m.handles[i].Delete(h) != want {
			t.Fatalf("Delete(%v) in store %d gave %v", h, i, !want)
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
	store.FewNumbers(fewGenerations, m.handles[0], m.handles[1])
	t.Repeat(map[string]func(*rapid.T){"Alloc": m.Alloc, "Delete": m.Delete, "Reset": m.Reset, "": m.Check})
}

func TestHandlesAgainstModel(t *testing.T) { random.Check(t, handlesAgainstModel) }

func FuzzHandles(f *testing.F) { f.Fuzz(rapid.MakeFuzz(handlesAgainstModel)) }
