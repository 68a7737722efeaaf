package btree_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/btree"
)

// said returns the string that f panics with, or "" if f does not panic with a string.
func said(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return text
}

// TestPanicsNameTheMethod verifies that a panic message begins with the name of the method that the
// user called, even if the panic occurs deep inside the package: in a loop, in a method that calls
// other methods, or in a Map that the comparison function of another Map uses.
func TestPanicsNameTheMethod(t *testing.T) {
	filled := func() *btree.Map[string, uint64] {
		m := btree.Must(btree.New[string, uint64](btree.Options{}))
		for _, k := range []string{"ash", "elm", "oak"} {
			m.Set(k, 1)
		}
		return m
	}
	closed, m := filled(), filled()
	defer m.Close()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	defer s.Close()
	for want, call := range map[string]func(){
		"btree.Map.Get: the map is closed": func() { closed.Get("ash") },
		"btree.Map.All: the map or the snapshot was closed inside a loop": func() {
			m := filled()
			for range m.All() {
				m.Close()
			}
		},
		"btree.Map.Descend: the map or the snapshot was closed inside a loop": func() {
			m := filled()
			for range m.Descend("pine") {
				m.Close()
			}
		},
		"btree.Snapshot.Range: the map or the snapshot was closed inside a loop": func() {
			s := m.Snapshot()
			for range s.Range("ash", "pine") {
				s.Close()
			}
		},
		"btree.Map.Has: the map is closed": func() {
			m := btree.Must(btree.NewFunc[uint64, uint64](func(a, b uint64) int {
				closed.Has("ash")
				return cmp.Compare(a, b)
			}, btree.Options{}))
			defer m.Close()
			m.Set(1, 1)
			m.Set(2, 2)
		},
	} {
		if got := said(call); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
