// Command same prints what store.New says to types of all kinds, each after the line of
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
	note(store.New[inner](o))
	note(store.New[deep](o))
	note(store.New[named](o))
	note(store.New[*inner](o))
	note(store.New[string](o))
	note(store.New[error](o))
	note(store.New[unsafe.Pointer](o))
	note(store.New[map[string]int](o))
	note(store.New[chan<- int](o))
	note(store.New[func(int) error](o))
	note(store.New[[3]named](o))
	note(store.New[[0]named](o))
	note(store.New[empty](o))
	note(store.New[none](o))
	note(store.New[[2]complex64](o))
	note(store.New[uintptr](o))
	note(store.New[store.Ref[inner]](o))
}
