package slab

import (
	"reflect"
	"runtime"
	"testing"
	"time"
	"unsafe"
)

// A core stands for a Slab of any type, which requires that all Slabs have the same layout.
func TestSlabsHaveOneLayout(t *testing.T) {
	want := reflect.TypeFor[core]()
	for _, got := range []reflect.Type{
		reflect.TypeFor[Slab[byte]](), reflect.TypeFor[Slab[struct{}]](), reflect.TypeFor[Slab[[3]*int]](),
		reflect.TypeFor[Slab[func()]](), reflect.TypeFor[Slab[any]](), reflect.TypeFor[Slab[[1 << 20]string]](),
	} {
		if got.Size() != want.Size() || got.Align() != want.Align() || got.NumField() != want.NumField() {
			t.Fatalf("%s has %d bytes and %d fields, and a core %d and %d", got, got.Size(), got.NumField(), want.Size(), want.NumField())
		}
		for i := range want.NumField() {
			g, w := got.Field(i), want.Field(i)
			if g.Name != w.Name || g.Offset != w.Offset || g.Type.Size() != w.Type.Size() {
				t.Errorf("%s.%s is at %d, and in a core %s at %d", got, g.Name, g.Offset, w.Name, w.Offset)
			}
			if g.Type != w.Type && (g.Type.Kind() != reflect.Slice || w.Type != reflect.TypeFor[[]slot]()) {
				t.Errorf("%s.%s is a %s, and in a core a %s", got, g.Name, g.Type, w.Type)
			}
		}
	}
}

// A kind reports whether the garbage collector scans values of its type, and gives the same answer
// when it is asked again.
func TestKindsKnowPointers(t *testing.T) {
	type tree struct {
		_ float64
		_ [2]*int
	}
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[int8]():                    false,
		reflect.TypeFor[uintptr]():                 false,
		reflect.TypeFor[complex128]():              false,
		reflect.TypeFor[struct{}]():                false,
		reflect.TypeFor[[4]struct{ a, b bool }]():  false,
		reflect.TypeFor[[0]*int]():                 false,
		reflect.TypeFor[[1]*int]():                 true,
		reflect.TypeFor[tree]():                    true,
		reflect.TypeFor[string]():                  true,
		reflect.TypeFor[[]int]():                   true,
		reflect.TypeFor[any]():                     true,
		reflect.TypeFor[func()]():                  true,
		reflect.TypeFor[chan int]():                true,
		reflect.TypeFor[map[int]int]():             true,
		reflect.TypeFor[struct{ _ [3][2]error }](): true,
	} {
		k := kind{typ: typ}
		if first, second := k.scanned(), k.scanned(); first != want || second != want {
			t.Errorf("of %s it says %t and %t, want %t", typ, first, second, want)
		}
	}
}

// While the collector marks, Reset and Rewind must clear pointers with a write barrier, because the
// pointers may have been copied to memory that the collector has already visited.
func TestClearingDuringMarking(t *testing.T) {
	type held struct {
		mark [4]int
		_    *held
	}
	type node struct {
		number int // a word without a pointer, before one with a pointer
		to     *held
	}
	type link struct { // a list so long that the collector reaches its end late
		next *link
		end  *Slab[node]
	}
	const values = 200
	var first *link
	for range 500_000 {
		first = &link{next: first}
	}
	end := func() *link {
		l := first
		for l.next != nil {
			l = l.next
		}
		return l
	}
	fill := func(round int) { // a function, so that no pointer remains on the stack
		l := end()
		l.end = &Slab[node]{Options: Options{FirstChunk: values}}
		for i := range values {
			l.end.Alloc(node{round, &held{mark: [4]int{round, i}}})
		}
	}
	for round := range sized(4, 12) {
		fill(round)
		runtime.GC()
		marked := make(chan struct{})
		go func() {
			runtime.GC()
			close(marked)
		}()
		// A program cannot observe when the collector marks, so each round waits for a different
		// time. A round that is too early or too late tests nothing, but does not fail.
		time.Sleep(time.Duration(round%10) * 200 * time.Microsecond)
		s := end().end
		var copies [values]*held
		for i := range copies {
			copies[i] = s.chunk[values-1-i].to
		}
		if round%2 == 0 {
			s.Reset()
		} else {
			s.core().Restart()
		}
		<-marked
		for range 10 {
			more := make([]*held, values)
			for i := range more {
				more[i] = &held{mark: [4]int{-1, -1}}
			}
			garbage = more
		}
		for i, c := range copies {
			if c.mark != [4]int{round, i} {
				t.Fatalf("round %d: value %d points to %v", round, i, c.mark)
			}
		}
	}
}

// sized returns short under -short, and normal otherwise.
func sized(short, normal int) int {
	if testing.Short() {
		return short
	}
	return normal
}

// garbage refers to new values, which overwrite memory that was freed too early.
var garbage any

// An arena takes slots of a slab through its Head, so the fields of a Head must coincide with the
// first fields of the Slab.
func TestHeadOfSlab(t *testing.T) {
	s := &Slab[[3]*int]{}
	s.New()
	s.Make(1)
	h := s.core().head()
	if h.Left != s.left || h.Free != first(erase(s.rest)) || h.SlotSize != unsafe.Sizeof([3]*int{}) {
		t.Fatalf("%+v for a slab with %d slots left", *h, s.left)
	}
	next := &s.rest[s.left-1]
	if got := h.Take(); got != unsafe.Pointer(next) || h.Left != s.left {
		t.Errorf("Take returned %p of %d left, want %p of %d", got, h.Left, next, s.left)
	}
}
