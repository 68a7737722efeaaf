package arena_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

// kind is one of many types of 32 bytes with a pointer.
type kind[K any] struct {
	next *kind[K]
	_    [24 - 8*0]byte
	_    [0]K
}
type k0 struct{}
type k1 struct{}
type k2 struct{}
type k3 struct{}
type k4 struct{}
type k5 struct{}
type k6 struct{}

// meets are functions that use one type each: 49 in all.
func meets() (all []func(*arena.Arena)) {
	add := func(f ...func(*arena.Arena)) { all = append(all, f...) }
	add(seven[k0]()...)
	add(seven[k1]()...)
	add(seven[k2]()...)
	add(seven[k3]()...)
	add(seven[k4]()...)
	add(seven[k5]()...)
	add(seven[k6]()...)
	return all
}

func seven[A any]() []func(*arena.Arena) {
	return []func(*arena.Arena){
		func(a *arena.Arena) { arena.New[kind[[0][1]A]](a) }, func(a *arena.Arena) { arena.New[kind[[0][2]A]](a) },
		func(a *arena.Arena) { arena.New[[2]kind[[0][3]A]](a) }, func(a *arena.Arena) { arena.New[kind[[0][4]A]](a) },
		func(a *arena.Arena) { arena.New[[3]kind[[0][5]A]](a) }, func(a *arena.Arena) { arena.New[kind[[0][6]A]](a) },
		func(a *arena.Arena) { arena.New[[4]kind[[0][7]A]](a) },
	}
}

// BenchmarkPhase is one phase of an arena that has met many types and uses few: New of each, and Reset.
func BenchmarkPhase(b *testing.B) {
	all := meets()
	for _, met := range []int{7, 49} {
		for _, used := range []int{0, 1, 7, 49} {
			if used > met {
				continue
			}
			b.Run(fmt.Sprintf("met=%d/used=%d", met, used), func(b *testing.B) {
				var a arena.Arena
				for _, use := range all[:met] {
					use(&a)
				}
				a.Reset()
				for b.Loop() {
					for _, use := range all[:used] {
						use(&a)
					}
					a.Reset()
				}
			})
		}
	}
}
