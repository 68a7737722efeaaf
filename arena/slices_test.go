package arena_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// Short and long slices of each kind of element type behave like plain Go slices, with and without
// an arena.
func TestSlicesOfEveryType(t *testing.T) {
	type node struct {
		name string
		next *node
		any  any
	}
	slicesOf(t, func(i int) *int { return &i })
	slicesOf(t, func(i int) string { return fmt.Sprint("text ", i) })
	slicesOf(t, func(i int) any { return node{name: fmt.Sprint(i)} })
	slicesOf(t, func(i int) fmt.Stringer { return reflect.ValueOf(i) })
	slicesOf(t, func(i int) node { return node{fmt.Sprint(i), &node{}, &i} })
	slicesOf(t, func(i int) func() int { return nil })
	slicesOf(t, func(i int) [3]byte { return [3]byte{byte(i), 1, 2} })
	slicesOf(t, func(i int) byte { return byte(i) })
	slicesOf(t, func(i int) bool { return i%3 == 0 })
	slicesOf(t, func(i int) struct{} { return struct{}{} })
	slicesOf(t, func(i int) (v struct {
		p *int
		_ [0]func()
	}) {
		v.p = &i
		return v
	})
	slicesOf(t, func(i int) (v struct { // two words, and one byte of a third
		s string
		b byte
	}) {
		v.s, v.b = fmt.Sprint(i), byte(i)
		return v
	})
	slicesOf(t, func(i int) (v [64]*int) { v[63] = &i; return v })
	slicesOf(t, func(i int) (v [65]*int) { v[64] = &i; return v })
}

type values[T any] []T

// slicesOf tests slices of T, whose elements are the results of value.
func slicesOf[T any](t *testing.T, value func(int) T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		var a arena.Arena
		for _, a := range []*arena.Arena{&a, nil} {
			for round := range 3 {
				for _, n := range []int{0, 1, 2, 3, 15, 16, 17, 18, 40, 300} {
					all := make(values[T], n)
					for i := range all {
						all[i] = value(i)
					}
					var ones, list values[T]
					for i, v := range all {
						ones = arena.Append(a, ones, v)
						if i%7 == 0 {
							arena.New[T](a) // forces the list to move
							list = arena.SliceOf(a, list...)
						}
						list = arena.Append(a, list, v)
					}
					sameValues(t, "one by one", ones, all)
					sameValues(t, "one by one, and in between copied", list, all)
					sameValues(t, "a copy", arena.Clone(a, all), all)
					sameValues(t, "a slice", arena.SliceOf(a, all...), all)
					sameValues(t, "all behind one", arena.Append(a, arena.SliceOf(a, value(7)), all...), append(values[T]{value(7)}, all...))
					sameValues(t, "all behind all", arena.Append(a, arena.Clone(a, all), all...), append(append(values[T](nil), all...), all...))
					spare := append(make(values[T], 0, 2*n), all...) // on the Go heap, with room for exactly n more
					longer := arena.Append(a, spare, all...)
					sameValues(t, "in memory from elsewhere", longer, append(append(values[T](nil), all...), all...))
					if cap(longer) != cap(spare) {
						t.Errorf("%d values behind %d in a capacity of %d moved", n, n, cap(spare))
					}
					sameValues(t, "zeroed", arena.Make[T](a, n), make(values[T], n))
				}
				if round == 1 {
					a.Reset()
				}
			}
		}
	})
}

// sameValues verifies that got and want have deeply equal elements.
func sameValues[T any](t *testing.T, what string, got, want values[T]) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("%s: value %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
			return
		}
	}
}

// Append of no values returns the slice itself. Append panics if the new length would exceed the
// range of int.
func TestAppendAtTheEnds(t *testing.T) {
	var a arena.Arena
	if list := arena.Append(&a, []string(nil)); list != nil {
		t.Errorf("nothing behind nil is %v, want nil", list)
	}
	if list := arena.SliceOf(&a, []string{}...); list != nil {
		t.Errorf("a slice of nothing is %v, want nil", list)
	}
	full := arena.SliceOf(&a, "elm", "oak")
	if list := arena.Append(&a, full); len(list) != 2 || &list[0] != &full[0] {
		t.Errorf("nothing behind %v is %v in other memory", full, list)
	}
	many := make([]struct{}, int(^uint(0)>>1)-1)
	if list := arena.Append(&a, many, struct{}{}); len(list) != len(many)+1 {
		t.Errorf("one behind %d is %d", len(many), len(list))
	}
	defer func() {
		if text := fmt.Sprint(recover()); text != "arena.Append: the length exceeds what an int can count" {
			t.Errorf("it panics with %q", text)
		}
	}()
	arena.Append(&a, many, struct{}{}, struct{}{})
	t.Error("a slice has more values than an int can count")
}

// Appending to a short slice and cloning it take memory only from the arena.
func TestShortSlicesAllocateNothing(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds allocate")
	}
	var a arena.Arena
	var last []*int
	x := 1
	phase := func() {
		list := arena.SliceOf(&a, &x)
		for range 100 {
			list = arena.Append(&a, list, &x)
		}
		last = arena.Clone(&a, list)
		a.Reset()
	}
	for range 4 {
		phase()
	}
	if allocs := testing.AllocsPerRun(100, phase); allocs != 0 {
		t.Errorf("a phase of slices allocates %v times", allocs)
	}
	if len(last) != 101 {
		t.Errorf("the last slice has %d values, want 101", len(last))
	}
}

// TestAppendToItself inserts an element with the equivalent of s = append(s[:i+1], s[i:]...), where
// source and destination overlap. The lengths include the limit up to which elements are copied one
// by one.
func TestAppendToItself(t *testing.T) {
	type pair struct {
		_ *int
		n int8
	}
	for _, room := range []int{0, 1, 20} {
		for n := range 20 {
			for i := range n {
				var a arena.Arena
				bytes, pairs := arena.Make[byte](&a, n+room)[:n], arena.Make[pair](&a, n+room)[:n]
				var want []int8
				for k := range n {
					bytes[k], pairs[k].n = byte(k), int8(k)
					want = append(want, int8(k))
				}
				want = append(want[:i+1], want[i:]...)
				bytes, pairs = arena.Append(&a, bytes[:i+1], bytes[i:]...), arena.Append(&a, pairs[:i+1], pairs[i:]...)
				for k := range want {
					if int8(bytes[k]) != want[k] || pairs[k].n != want[k] {
						t.Fatalf("with room for %d, value %d of %d: %v, %v, want %v", room, i, n, bytes, pairs, want)
					}
				}
			}
		}
	}
}

// When Grow has to move a full slice, the longer slice has its own array, as with append. Grow does
// not move a slice that has enough room.
func TestGrowCopies(t *testing.T) {
	var a arena.Arena
	for n := 1; n < 100; n++ {
		full := arena.Make[int](&a, n)
		longer := append(arena.Grow(&a, full, 1), 1)
		if longer[0]++; full[0] != 0 || len(longer) != n+1 || longer[n] != 1 {
			t.Fatalf("%v has become %v", full, longer)
		}
		room := cap(longer) - len(longer)
		if same := arena.Grow(&a, longer, room); &same[0] != &longer[0] {
			t.Fatalf("Grow copies a slice of %d with room for %d", n+1, room)
		}
	}
}
