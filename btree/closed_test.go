package btree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/byvalue"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// A readable is a Map or a Snapshot.
type readable[K, V any] interface {
	Get(k K) (V, bool)
	Len() int
	GetAt(index int) (K, V, bool)
	Rank(k K) int
	All() iter.Seq2[K, V]
	Backward() iter.Seq2[K, V]
	Range(from, to K) iter.Seq2[K, V]
	Ascend(k K) iter.Seq2[K, V]
	Descend(k K) iter.Seq2[K, V]
}

// loops returns the iterators of m that yield all entries, by the names of the methods that return
// them.
func loops[K, V any](m readable[K, V], least, greatest K) map[string]iter.Seq2[K, V] {
	return map[string]iter.Seq2[K, V]{"All": m.All(), "Backward": m.Backward(), "Range": m.Range(least, greatest), "Ascend": m.Ascend(least), "Descend": m.Descend(greatest)}
}

// TestCloseInLoops verifies that a loop panics if its body closes the map or the snapshot and the
// loop then continues. The message must say what happened. A loop that ends right after Close must
// not panic. The test uses all key types and several numbers of entries.
func TestCloseInLoops(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { closeInLoops(t, made[uint64], func(i int) uint64 { return uint64(i) }) })
	t.Run("uint16", func(t *testing.T) { closeInLoops(t, made[uint16], func(i int) uint16 { return uint16(i) }) })
	t.Run("float64", func(t *testing.T) { closeInLoops(t, made[float64], func(i int) float64 { return float64(i) }) })
	t.Run("string", func(t *testing.T) {
		closeInLoops(t, made[string], func(i int) string { return fmt.Sprintf("key %06d", i) })
	})
	t.Run("compared", func(t *testing.T) {
		order := func(a, b [12]byte) int { return strings.Compare(string(a[:]), string(b[:])) }
		closeInLoops(t, func() *Map[[12]byte, uint64] { return Must(NewFunc[[12]byte, uint64](order, Options{})) }, func(i int) (k [12]byte) {
			binary.BigEndian.PutUint32(k[:], uint32(i))
			return k
		})
	})
}

func closeInLoops[K, V any](t *testing.T, open func() *Map[K, V], key func(int) K) {
	var none V
	for _, n := range []int{1, 3, 5000} {
		for name := range loops[K, V](open(), key(0), key(n)) {
			for _, after := range []int{0, n / 2, n - 1} {
				m := open()
				for i := range n {
					m.Set(key(i), none)
				}
				s := m.Snapshot()
				close := s.Close
				for what, loop := range []iter.Seq2[K, V]{loops[K, V](s, key(0), key(n))[name], loops[K, V](m, key(0), key(n))[name]} {
					seen := 0
					said := panics.Of(func() {
						for range loop {
							if seen++; seen > after {
								close()
							}
						}
					})
					method := fmt.Sprintf("btree.%s.%s: ", []string{"Snapshot", "Map"}[what], name)
					if !strings.HasPrefix(said, method) || !strings.Contains(said, "closed") || seen != after+1 {
						t.Errorf("%s over a %s of %d that closes it after %d: %d entries and %q", name, []string{"snapshot", "map"}[what], n, after, seen, said)
					}
					close = m.Close // closing m now releases the memory
				}
			}
		}
	}
	m := open()
	m.Set(key(1), none)
	for range m.All() {
		m.Close()
		break
	}
}

// TestLoadOfASequenceThatCloses verifies that AppendSorted detects a sequence that closes the map.
func TestLoadOfASequenceThatCloses(t *testing.T) {
	m := Must(New[uint64, uint64](Options{}))
	said := panics.Of(func() {
		_ = m.AppendSorted(func(yield func(uint64, uint64) bool) {
			for i := range uint64(1000) {
				if i == 500 {
					m.Close()
				}
				if !yield(i, i) {
					return
				}
			}
		})
	})
	if !strings.Contains(said, "btree.Map.AppendSorted: the map is closed") {
		t.Error(said)
	}
}

// TestCopiesByValue verifies that a copy of a Map value refers to the same tree and may be used. A
// copy of a Snapshot value may not be used, and its methods panic.
func TestCopiesByValue(t *testing.T) {
	m := openFor[string, uint64](t)
	c := byvalue.Copy(m)
	for i := range 5000 {
		m.Set(text(i), uint64(i))
	}
	if v, ok := c.Get(text(77)); v != 77 || !ok || c.Len() != 5000 {
		t.Error("a copy of a map has other entries:", v, ok, c.Len())
	}
	s := m.Snapshot()
	copied := byvalue.Copy(s)
	for name, call := range map[string]func(){"Get": func() { copied.Get("") }, "All": func() { copied.All() }, "Close": func() { copied.Close() }} {
		if said := panics.Of(call); !strings.HasPrefix(said, "btree.Snapshot."+name+": called on a copy") {
			t.Errorf("%s of a copy: %q", name, said)
		}
	}
	if err := errors.Join(s.Close(), s.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	if said := panics.Of(func() { c.Get("") }); !strings.HasPrefix(said, "btree.Map.Get: the map is closed") {
		t.Errorf("the copy of a closed map: %q", said)
	}
}
