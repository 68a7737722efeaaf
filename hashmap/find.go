package hashmap

import (
	"math/bits"

	"github.com/coppice-go/coppice/internal/hash"
)

// A core is a Map without checks of who calls it.
type core[K comparable, V any] struct {
	self *core[K, V] // where it was made; nil if it has no memory
	table
	hash  hash.Func[K]
	seed  uint64
	loops valueLoops[V] // over values of keys that are strings
}

// use panics if there is no memory, or if the Map is a copy of another: that would read and write
// pages that the other has moved, given to others, or given back.
func (m *core[K, V]) use(where string) {
	if m.self != m {
		m.cannotUse(where)
	}
}

func (m *core[K, V]) cannotUse(where string) {
	if m.region == nil {
		panic(where + ": the map is closed, or was not made by New or OpenFile")
	}
	panic(where + ": called on a copy of a map; a copy does not see what the original does, so pass a pointer, or use Clone")
}

// mustBeText panics if keys are not strings.
func (m *core[K, V]) mustBeText(where string) {
	if !m.text {
		panic(where + ": keys are not strings; use All")
	}
}

// hashOf returns the hash of a key. One that is not equal to itself, such as NaN, has another each
// time: nobody looks for it, and all of them would be in one place otherwise.
func (m *core[K, V]) hashOf(k *K) uint64 {
	if m.simple {
		return hash.Plain(&m.hash.Secrets, k)
	}
	return hashOf(&m.hash, k)
}

// A wordHash is hash.Secrets for Word only, which does not inline where the compiler makes a
// generic method for another package.
type wordHash struct{ a, b, c uint64 }

func wordHashOf(s *hash.Secrets) (w wordHash) {
	w.a, w.b, w.c = s.Numbers()
	return w
}

// of is Word of the Secrets.
func (w *wordHash) of(x uint64) uint64 {
	high, low := bits.Mul64(x^w.a, w.b|1)
	high, low = bits.Mul64(high^low, w.c|1)
	return high ^ low
}

// hashOf is core.hashOf for who has the function.
func hashOf[K comparable](f *hash.Func[K], k *K) uint64 {
	switch {
	case f.Kind == hash.Memory:
		return hash.Plain(&f.Secrets, k)
	case f.Kind == hash.Parts && *k != *k:
		return hash.NewSeed()
	}
	return f.Hash(*k)
}

// hashOfText returns the hash of a text of the heap. A number of a damaged file that names none is
// a text like any other.
func (m *core[K, V]) hashOfText(number uint32) uint64 {
	b, _ := m.heap.Bytes(number)
	return m.hash.Bytes(b)
}

// find returns where the value of a key is, or nil.
func (m *core[K, V]) find(h uint64, k *K) *V {
	if m.text {
		return m.findText(h, textOf(k))
	}
	r := m.dir[m.index(h)]
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := groupAt[K, V](m.base, at, i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			if s := &g.slots[match.first()]; s.key == *k {
				return &s.value
			}
		}
		if emptySlots(g.control) != 0 {
			break
		}
	}
	return nil
}

// findText is find for keys that are strings.
func (m *core[K, V]) findText(h uint64, k string) *V {
	r := m.dir[m.index(h)]
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := textGroupAt[V](m.base, at, i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			s := match.first()
			// Mostly the text is a short one of the heap: Equal, without a call.
			if b := m.heap.From(g.texts[s], 0); len(b) > len(k) && len(k) < 1<<7 && b[0] == byte(len(k)) && string(b[1:1+len(k)]) == k || m.heap.Equal(g.texts[s], k) {
				return &g.values[s]
			}
		}
		if emptySlots(g.control) != 0 {
			break
		}
	}
	return nil
}
