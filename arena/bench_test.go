package arena_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

type pair struct{ left, right *pair }

// These ten types contain pointers and have the size of a pair, so they share its size class.
type (
	t0 [2]*pair
	t1 [2]*pair
	t2 [2]*pair
	t3 [2]*pair
	t4 [2]*pair
	t5 [2]*pair
	t6 [2]*pair
	t7 [2]*pair
	t8 [2]*pair
	t9 [2]*pair
)

// sinkPair, sinkPoint and sinkBytes keep the compiler from eliminating the allocations.
var (
	sinkPair  *pair
	sinkPoint *point
	sinkBytes []byte
)

type point [2]float64

// phase is the number of values between two Resets.
const phase = 10_000

// BenchmarkNew allocates one value at a time, with a slab, with the arena's slab that Of returns,
// with arena.New, and with new. The arena of arena.New has already seen the given number of other
// types of the same size.
func BenchmarkNew(b *testing.B) {
	b.Run("by=slab/before=0", func(b *testing.B) {
		var s slab.Slab[pair]
		for b.Loop() {
			for range phase {
				sinkPair = s.New()
			}
			s.Reset()
		}
		perValue(b)
	})
	b.Run("by=Of/before=0", func(b *testing.B) {
		var a arena.Arena
		for b.Loop() {
			s := arena.Of[pair](&a)
			for range phase {
				sinkPair = s.New()
			}
			a.Reset()
		}
		perValue(b)
	})
	for _, before := range []int{0, 4, 10} {
		b.Run(fmt.Sprintf("by=arena/before=%d", before), func(b *testing.B) {
			var a arena.Arena
			meet(&a, before)
			for b.Loop() {
				for range phase {
					sinkPair = arena.New[pair](&a)
				}
				a.Reset()
			}
			perValue(b)
		})
	}
	b.Run("by=new/before=0", func(b *testing.B) {
		for b.Loop() {
			for range phase {
				sinkPair = new(pair)
			}
		}
		perValue(b)
	})
}

// BenchmarkNewPlain is like BenchmarkNew, but for a type without pointers.
func BenchmarkNewPlain(b *testing.B) {
	b.Run("by=slab", func(b *testing.B) {
		var s slab.Slab[point]
		for b.Loop() {
			for range phase {
				sinkPoint = s.New()
			}
			s.Reset()
		}
		perValue(b)
	})
	b.Run("by=arena", func(b *testing.B) {
		var a arena.Arena
		for b.Loop() {
			for range phase {
				sinkPoint = arena.New[point](&a)
			}
			a.Reset()
		}
		perValue(b)
	})
	b.Run("by=new", func(b *testing.B) {
		for b.Loop() {
			for range phase {
				sinkPoint = new(point)
			}
		}
		perValue(b)
	})
}

// BenchmarkAppend grows a byte slice to 1000 elements, one byte at a time.
func BenchmarkAppend(b *testing.B) {
	const length = 1000
	b.Run("by=arena", func(b *testing.B) {
		var a arena.Arena
		for b.Loop() {
			for range phase / length {
				var s []byte
				for i := range length {
					s = arena.Append(&a, s, byte(i))
				}
				sinkBytes = s
			}
			a.Reset()
		}
		perValue(b)
	})
	b.Run("by=append", func(b *testing.B) {
		for b.Loop() {
			for range phase / length {
				var s []byte //coppice:ignore slicegrowth it is what arena.Append is compared with
				for i := range length {
					s = append(s, byte(i))
				}
				sinkBytes = s
			}
		}
		perValue(b)
	})
}

func perValue(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/phase, "ns/value")
}

// meet allocates one value of each of the types t0 to t(n-1), so that a has seen n types.
func meet(a *arena.Arena, n int) {
	for _, first := range []func(){
		func() { arena.New[t0](a) }, func() { arena.New[t1](a) }, func() { arena.New[t2](a) },
		func() { arena.New[t3](a) }, func() { arena.New[t4](a) }, func() { arena.New[t5](a) },
		func() { arena.New[t6](a) }, func() { arena.New[t7](a) }, func() { arena.New[t8](a) },
		func() { arena.New[t9](a) },
	}[:n] {
		first()
	}
}
