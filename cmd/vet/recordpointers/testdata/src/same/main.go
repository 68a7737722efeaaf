// Command same prints what store.Open says to types of all kinds, each after the line of
// the call. The rule must say the same of the same lines.
package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/coppice-go/coppice/store"
)

type inner struct {
	n int
	p [2]struct{ s string }
}

type named []int

type deep struct {
	a, b float64
	inner
}

type empty struct{}

type none struct{ all [0]*int }

func note[T any](s *store.Store[T], err error) {
	_, _, line, _ := runtime.Caller(1)
	if err != nil {
		fmt.Println(line, err)
		return
	}
	fmt.Println(line, "fine")
	if err := s.Close(); err != nil {
		panic(err)
	}
}

func main() {
	var o store.Options
	note(store.Open[inner](o))
	note(store.Open[deep](o))
	note(store.Open[named](o))
	note(store.Open[*inner](o))
	note(store.Open[string](o))
	note(store.Open[error](o))
	note(store.Open[unsafe.Pointer](o))
	note(store.Open[map[string]int](o))
	note(store.Open[chan<- int](o))
	note(store.Open[func(int) error](o))
	note(store.Open[[3]named](o))
	note(store.Open[[0]named](o))
	note(store.Open[empty](o))
	note(store.Open[none](o))
	note(store.Open[[2]complex64](o))
	note(store.Open[uintptr](o))
	note(store.Open[store.Ref[inner]](o))
}
