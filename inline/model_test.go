package inline_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// triple is a value of three words, one of them a pointer. The words depend on each other, so a
// triple that was mixed from two values is detected.
type triple struct {
	id   int
	self *int
	twin int
}

func newByte(id int) byte     { return byte(id) }
func newPointer(id int) *int  { return &id }
func newTriple(id int) triple { return triple{id, &id, ^id} }

// driver drives a Vec and its model, a plain slice with the same elements. twin is a copy or clone
// of the Vec and has its own model, because a change to one of them must not affect the other.
type driver[T comparable, A inline.Array[T]] struct {
	make        func(id int) T
	vec, twin   inline.Vec[T, A]
	want, other []T
	spilled     bool // vec has held, or reserved room for, more than len(A) elements
	swapped     bool // twin has been changed since it was copied
	made        int
}

func (m *driver[T, A]) some(t *rapid.T) (xs []T) {
	for range rapid.IntRange(0, 40).Draw(t, "count") {
		xs = append(xs, m.one())
	}
	return xs
}

func (m *driver[T, A]) one() T {
	m.made++
	return m.make(m.made)
}

func (m *driver[T, A]) index(t *rapid.T) int {
	return rapid.IntRange(0, len(m.want)).Draw(t, "index")
}

func (m *driver[T, A]) Append(t *rapid.T) {
	for range rapid.IntRange(1, 5).Draw(t, "times") {
		x := m.one()
		m.vec.Append(x)
		m.want = append(m.want, x)
	}
}

func (m *driver[T, A]) AppendSlice(t *rapid.T) {
	xs := m.some(t)
	m.vec.AppendSlice(xs...)
	m.want = append(m.want, xs...)
}

func (m *driver[T, A]) Insert(t *rapid.T) {
	i, xs := m.index(t), m.some(t)
	m.vec.Insert(i, xs...)
	m.want = slices.Insert(m.want, i, xs...)
}

// Alias appends or inserts elements of the Vec itself, with each method that adds elements.
func (m *driver[T, A]) Alias(t *rapid.T) {
	if len(m.want) == 0 || len(m.want) > 1000 {
		return
	}
	i, j, k := m.index(t), m.index(t), m.index(t)
	i, j = min(i, j), max(i, j)
	part := slices.Clone(m.want[i:j])
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		k %= len(m.want)
		m.vec.Append(*m.vec.At(k))
		m.want = append(m.want, m.want[k])
	case 1:
		m.vec.AppendSlice(m.vec.Slice()[i:j]...)
		m.want = append(m.want, part...)
	case 2:
		m.vec.Insert(k, m.vec.Slice()[i:j]...)
		m.want = slices.Insert(m.want, k, part...)
	}
}

func (m *driver[T, A]) Delete(t *rapid.T) {
	i, j := m.index(t), m.index(t)
	i, j = min(i, j), max(i, j)
	m.vec.Delete(i, j)
	m.want = slices.Delete(m.want, i, j)
}

func (m *driver[T, A]) Pop(t *rapid.T) {
	x, ok := m.vec.Pop()
	if n := len(m.want); n > 0 {
		if !ok || x != m.want[n-1] {
			t.Fatalf("Pop gave %v, %v; want %v", x, ok, m.want[n-1])
		}
		m.want = m.want[:n-1]
	} else if ok {
		t.Fatalf("Pop of an empty Vec gave %v", x)
	}
}

func (m *driver[T, A]) Truncate(t *rapid.T) {
	n := m.index(t)
	m.vec.Truncate(n)
	m.want = m.want[:n]
}

func (m *driver[T, A]) Reset(t *rapid.T) {
	held := m.vec.Cap()
	m.vec.Clear()
	m.want = nil
	if m.vec.Cap() != held {
		t.Fatalf("Reset made a capacity of %d from %d", m.vec.Cap(), held)
	}
}

func (m *driver[T, A]) Grow(t *rapid.T) {
	n := rapid.IntRange(0, 50).Draw(t, "n")
	m.vec.Grow(n)
	if m.vec.Cap()-m.vec.Len() < n {
		t.Fatalf("Grow(%d) left room for %d", n, m.vec.Cap()-m.vec.Len())
	}
	var a A
	m.spilled = m.spilled || m.vec.Len()+n > len(a)
}

// Write changes an element through At, and another one through Slice.
func (m *driver[T, A]) Write(t *rapid.T) {
	if len(m.want) == 0 {
		return
	}
	i, j := m.index(t)%len(m.want), m.index(t)%len(m.want)
	x, y := m.one(), m.one()
	*m.vec.At(i), m.want[i] = x, x
	m.vec.Slice()[j], m.want[j] = y, y
}

// Copy copies the Vec by value if its elements are inline, and otherwise clones it.
func (m *driver[T, A]) Copy(*rapid.T) {
	if m.vec.Inline() {
		m.twin = m.vec
	} else {
		m.twin = m.vec.Clone()
	}
	m.other, m.swapped = slices.Clone(m.want), false
}

// Swap continues with the copy in place of the original, because a Vec may be moved.
func (m *driver[T, A]) Swap(*rapid.T) {
	m.vec, m.twin = m.twin, m.vec
	m.want, m.other = m.other, m.want
	m.spilled, m.swapped = !m.vec.Inline(), true
}

func (m *driver[T, A]) Restart(*rapid.T) {
	m.vec, m.want, m.spilled = inline.Vec[T, A]{}, nil, false
}

func (m *driver[T, A]) Check(t *rapid.T) {
	var a A
	m.spilled = m.spilled || len(m.want) > len(a)
	switch {
	case m.vec.Len() != len(m.want) || !slices.Equal(m.vec.Slice(), m.want):
		t.Fatalf("Len %d, elements %v; want %v", m.vec.Len(), m.vec.Slice(), m.want)
	case !slices.Equal(m.twin.Slice(), m.other):
		t.Fatalf("a change shows in a copy: %v, want %v", m.twin.Slice(), m.other)
	case m.vec.Inline() == m.spilled:
		t.Fatalf("Inline is %v with %d elements and room for %d", m.vec.Inline(), len(m.want), len(a))
	case m.twin.Inline() != (len(m.other) <= len(a)) && !m.swapped:
		t.Fatalf("a copy of %d elements has Inline %v", len(m.other), m.twin.Inline())
	case m.vec.Inline() && m.vec.Cap() != len(a) || m.vec.Cap() < m.vec.Len():
		t.Fatalf("Cap is %d", m.vec.Cap())
	case cap(m.vec.Slice()) != len(m.want):
		t.Fatalf("the capacity of Slice is %d, its length %d", cap(m.vec.Slice()), len(m.want))
	}
	yielded := 0
	for i, x := range m.vec.All() {
		if i != yielded || x != m.want[i] || x != *m.vec.At(i) {
			t.Fatalf("All yields %d, %v; At has %v, want %d, %v", i, x, *m.vec.At(i), yielded, m.want[yielded])
		}
		yielded++
	}
	if yielded != len(m.want) {
		t.Fatalf("All yields %d of %d", yielded, len(m.want))
	}
}

func againstModel[T comparable, A inline.Array[T]](make func(int) T) func(*rapid.T) {
	return func(t *rapid.T) {
		m := &driver[T, A]{make: make}
		t.Repeat(map[string]func(*rapid.T){
			"Append": m.Append, "AppendSlice": m.AppendSlice, "Insert": m.Insert, "Alias": m.Alias,
			"Delete": m.Delete, "Pop": m.Pop, "Truncate": m.Truncate, "Clear": m.Reset, "Grow": m.Grow,
			"Write": m.Write, "Copy": m.Copy, "Swap": m.Swap, "Restart": m.Restart, "": m.Check,
		})
	}
}

// models covers several combinations of T and A, from one inline element to more than a cache line
// of them.
var models = map[string]func(*rapid.T){
	"byte in 1":     againstModel[byte, [1]byte](newByte),
	"byte in 32":    againstModel[byte, [32]byte](newByte),
	"pointer in 1":  againstModel[*int, [1]*int](newPointer),
	"pointer in 4":  againstModel[*int, [4]*int](newPointer),
	"pointer in 32": againstModel[*int, [32]*int](newPointer),
	"triple in 4":   againstModel[triple, [4]triple](newTriple),
	"triple in 32":  againstModel[triple, [32]triple](newTriple),
	"nothing in 4":  againstModel[struct{}, [4]struct{}](func(int) (x struct{}) { return }),
}

func TestVecAgainstModel(t *testing.T) {
	for name, model := range models {
		t.Run(name, func(t *testing.T) { random.Check(t, model) })
	}
}

func FuzzVec(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(againstModel[triple, [4]triple](newTriple)))
}
