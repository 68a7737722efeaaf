package traps

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/coppice-go/coppice/alloctest"
)

// A defect is a mistake that a mini makes on purpose.
type defect int

const (
	sound defect = iota
	fallsBack
	dirty
	narrow
	revives
	worldless
	freesTwice
	reflects
	scans
	moves
)

// A mini is an allocator with only the features that the traps need: handles with generations, a
// limit and Reset. It is correct except for its defect.
type mini[T any] struct {
	defect defect
	world  uint64 // unique ID of the mini
	limit  int    // maximum number of values

	slots []*slot[T]
	free  []int // stack of slots without a value
	live  int
	moved []T // the values, if the defect is moves
}

// A slot has room for a value. Its generation is the number of values that were freed in it.
type slot[T any] struct {
	live       bool
	generation uint64
	value      T
}

// A name is the handle with which a user refers to a value.
type name struct {
	world, generation uint64
	slot              int
}

var worlds atomic.Uint64

func newMini[T any](d defect) *mini[T] {
	return &mini[T]{defect: d, world: worlds.Add(1), limit: 1 << 20}
}

// New allocates a value.
func (m *mini[T]) New() (name, *T) {
	if m.live == m.limit {
		if m.defect == fallsBack {
			return name{}, new(T) // DEFECT: beyond the limit, values silently come from the Go heap
		}
		panic(fmt.Sprintf("traps.mini: it has room for %d values", m.limit))
	}
	if m.defect == reflects {
		walk(reflect.TypeFor[T]()) // DEFECT: walks the type for every value
	}
	i := m.vacant()
	s := m.slots[i]
	if m.defect != dirty { // DEFECT: the slot keeps its old value
		s.value = *new(T)
	}
	s.live = true
	m.live++
	return name{m.world, s.generation, i}, m.place(i)
}

// vacant takes a slot without a value.
func (m *mini[T]) vacant() int {
	if m.defect == scans {
		for i, s := range m.slots { // DEFECT: searches all slots for every value
			if !s.live {
				return i
			}
		}
	} else if n := len(m.free); n > 0 {
		i := m.free[n-1]
		m.free = m.free[:n-1]
		return i
	}
	m.slots = append(m.slots, new(slot[T]))
	m.moved = append(m.moved, *new(T))
	return len(m.slots) - 1
}

// place returns the address of the value in slot i.
func (m *mini[T]) place(i int) *T {
	if m.defect == moves {
		return &m.moved[i] // DEFECT: growth moves the values
	}
	return &m.slots[i].value
}

// At returns the value with the given name, or nil if it is not live.
func (m *mini[T]) At(n name) *T {
	if !m.has(n) {
		return nil
	}
	return m.place(n.slot)
}

// has reports whether n is the name of a live value.
func (m *mini[T]) has(n name) bool {
	if m.defect == worldless {
		n.world = m.world // DEFECT: accepts the names of other minis
	}
	if n.world != m.world || n.slot >= len(m.slots) {
		return false
	}
	s := m.slots[n.slot]
	return s.live && s.generation == n.generation
}

// Del frees a value.
func (m *mini[T]) Del(n name) {
	if !m.has(n) && m.defect != freesTwice { // DEFECT: frees a value twice
		return
	}
	m.live--
	m.vacate(n.slot)
}

// vacate frees slot i.
func (m *mini[T]) vacate(i int) {
	s := m.slots[i]
	s.live = false
	s.generation++
	if m.defect == narrow {
		s.generation &= 0xFF // DEFECT: names repeat after 256 values
	}
	m.free = append(m.free, i)
}

// Reset frees all values.
func (m *mini[T]) Reset() {
	m.free = m.free[:0]
	for i, s := range m.slots {
		m.vacate(i)
		if m.defect == revives {
			s.generation = 0 // DEFECT: old names are valid again
		}
	}
	m.live = 0
}

// walk visits every field of a type, and counts the pointers.
func walk(t reflect.Type) (pointers int) {
	if t.Kind() == reflect.Pointer {
		pointers++
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			pointers += walk(t.Field(i).Type)
		}
	}
	return pointers
}

// minis describes minis with the given defect for the conformance kit.
func minis[T any](d defect) func() alloctest.Allocator[name, T] {
	var bounded func(limit int) alloctest.Allocator[name, T]
	bounded = func(limit int) alloctest.Allocator[name, T] {
		m := newMini[T](d)
		m.limit = limit
		return alloctest.Allocator[name, T]{
			New: m.New, At: m.At, Delete: m.Del, Reset: m.Reset, Bounded: bounded,
			Len: func() int { return m.live }, Bytes: func() uint64 { return uint64(len(m.slots)) * uint64(reflect.TypeFor[T]().Size()) },
			Dead: alloctest.DeadNoticed,
		}
	}
	return func() alloctest.Allocator[name, T] { return bounded(1 << 20) }
}
