package arena_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

// kind is a family of 32-byte types with a pointer. kind2, kind3 and kind4 are arrays of two to
// four of them. Their layouts do not depend on K, so the compiler generates code for four types
// instead of 49.
type kind[K any] memory
type kind2[K any] [2]memory
type kind3[K any] [3]memory
type kind4[K any] [4]memory

type memory struct {
	_ *byte
	_ [24]byte
}
type k0 struct{}
type k1 struct{}
type k2 struct{}
type k3 struct{}
type k4 struct{}
type k5 struct{}
type k6 struct{}

// meets returns 49 functions, each of which allocates a value of a different type.
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
		one[kind[[1]A]], one[kind[[2]A]], one[kind2[[3]A]], one[kind[[4]A]],
		one[kind3[[5]A]], one[kind[[6]A]], one[kind4[[7]A]],
	}
}

// last keeps the compiler from eliminating an allocation.
var last any

func one[T any](a *arena.Arena) { last = arena.New[T](a) }

// BenchmarkPhase measures one phase of an arena that has seen many types but uses few of them: one
// New for each, and a Reset.
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

// BenchmarkSmallPhase measures a phase that allocates a few values of several types, on the Go heap
// and from an arena that has seen 49 types, with and without Defer.
func BenchmarkSmallPhase(b *testing.B) {
	all := meets()
	for _, types := range []int{1, 7, 10, 49} {
		for _, each := range []int{1, 2, 10} {
			for _, by := range []string{"new", "arena", "deferring"} {
				b.Run(fmt.Sprintf("types=%d/each=%d/by=%s", types, each, by), func(b *testing.B) {
					var a *arena.Arena // nil means the Go heap
					if by != "new" {
						a = new(arena.Arena)
						if by == "deferring" {
							a.Options.Defer = 16
						}
						for _, use := range all {
							use(a)
						}
						a.Reset()
					}
					for b.Loop() {
						for _, use := range all[:types] {
							for range each {
								use(a)
							}
						}
						a.Reset()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(types*each), "ns/value")
				})
			}
		}
	}
}
