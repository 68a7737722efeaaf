package hashmap

import (
	"math/bits"

	"github.com/coppice-go/coppice/internal/hash"
)

// A core implements a Map, without the checks that detect concurrent use.
type core[K comparable, V any] struct {
	self *core[K, V] // its own address; nil if it has no memory
	table
	hash  hash.Func[K]
	seed  uint64
	loops slotLoops // loops in progress, if keys are strings
}

// use panics if the Map has no memory, or if it is a copy of another Map. A copy would access pages
// that the original has moved, reused or released. The parameter where names the method that the
// user called.
func (m *core[K, V]) use(where string) {
	if m.self != m {
		m.cannotUse(where)
	}
}

func (m *core[K, V]) cannotUse(where string) {
	if m.region == nil {
		panic(where + ": the map is closed, or was not made by New or OpenFile")
	}
	panic(where + ": called on a copy of a map, which does not see changes of the original; pass a pointer, or use Clone")
}

// mustBeText panics if the keys of the Map are not strings.
func (m *core[K, V]) mustBeText(where string) {
	if !m.text {
		panic(where + ": keys are not strings; use All")
	}
}

// hashOf returns the hash of *k. A key that is not equal to itself, such as NaN, is never found. It
// gets a new random hash each time, because otherwise all such keys would be in one page.
func (m *core[K, V]) hashOf(k *K) uint64 {
	if m.simple {
		return hash.Plain(&m.hash.Secrets, k)
	}
	return hashOf(&m.hash, k)
}

// A wordHash contains the constants of a hash.Secrets and computes the same hash as
// hash.Secrets.Word. It exists because the compiler does not inline calls to Word when it
// instantiates a generic method in another package.
type wordHash struct{ a, b, c uint64 }

func wordHashOf(s *hash.Secrets) (w wordHash) {
	w.a, w.b, w.c = s.Numbers()
	return w
}

// of returns the hash of x, which is the same as the result of hash.Secrets.Word.
func (w *wordHash) of(x uint64) uint64 {
	high, low := bits.Mul64(x^w.a, w.b|1)
	high, low = bits.Mul64(high^low, w.c|1)
	return high ^ low
}

// hashOf implements core.hashOf for callers that have a hash.Func.
func hashOf[K comparable](f *hash.Func[K], k *K) uint64 {
	switch {
	case f.Kind == hash.Memory:
		return hash.Plain(&f.Secrets, k)
	case f.Kind == hash.Parts && *k != *k:
		return hash.NewSeed()
	}
	return f.Hash(*k)
}

// hashOfText returns the hash of the string with the given number in the heap. It treats an invalid
// number, which a damaged file may contain, as the number of the empty string.
func (m *core[K, V]) hashOfText(number uint32) uint64 {
	b, _ := m.heap.Bytes(number)
	return m.hash.Bytes(b)
}

// find returns the address of the value of *k, whose hash is h, or nil if the key is not present.
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

// findText implements find for string keys.
func (m *core[K, V]) findText(h uint64, k string) *V {
	r := m.dir[m.index(h)]
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := textGroupAt[V](m.base, at, i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			s := match.first()
			// Most strings are short. For a short string, the first condition gives the same result
			// as Equal, without a call.
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
