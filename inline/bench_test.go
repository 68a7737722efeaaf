package inline_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/inline"
)

// Sinks keep the compiler from eliminating the measured code.
var (
	sinkInt   int
	sinkSlice []*int
)

// BenchmarkAppend measures appending a pointer to a Vec, inline and spilled, and to a slice with
// spare capacity. None of these appends allocates.
func BenchmarkAppend(b *testing.B) {
	x := new(int)
	b.Run("to=vec/on=stack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v inline.Vec[*int, [32]*int]
			for range 32 {
				v.Append(x)
			}
			sinkInt = v.Len()
		}
		perElement(b, 32)
	})
	b.Run("to=slice/on=stack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := make([]*int, 0, 32)
			for range 32 {
				s = append(s, x)
			}
			sinkInt = len(s)
		}
		perElement(b, 32)
	})
	b.Run("to=vec/on=heap", func(b *testing.B) {
		b.ReportAllocs()
		v := new(inline.Vec[*int, [1]*int])
		v.Grow(1000)
		for b.Loop() {
			v.Clear()
			for range 1000 {
				v.Append(x)
			}
		}
		perElement(b, 1000)
	})
	b.Run("to=slice/on=heap", func(b *testing.B) {
		b.ReportAllocs()
		sinkSlice = make([]*int, 0, 1000)
		for b.Loop() {
			clear(sinkSlice)
			sinkSlice = sinkSlice[:0]
			for range 1000 {
				sinkSlice = append(sinkSlice, x)
			}
		}
		perElement(b, 1000)
	})
}

// BenchmarkRead measures reading an element with each method, from an inline Vec and from a spilled
// one.
func BenchmarkRead(b *testing.B) {
	for _, length := range []int{8, 1000} {
		v := new(inline.Vec[int, [8]int])
		for i := range length {
			v.Append(i)
		}
		b.Run(fmt.Sprintf("by=At/length=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range v.Len() {
					sinkInt += *v.At(i)
				}
			}
			perElement(b, length)
		})
		b.Run(fmt.Sprintf("by=Slice/length=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, x := range v.Slice() {
					sinkInt += x
				}
			}
			perElement(b, length)
		})
		b.Run(fmt.Sprintf("by=All/length=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, x := range v.All() {
					sinkInt += x
				}
			}
			perElement(b, length)
		})
	}
}

// lengths is a typical distribution of the lengths of short vectors: nine out of ten have at most
// eight elements.
var lengths = [...]int{1, 2, 3, 3, 4, 5, 6, 7, 8, 20}

// BenchmarkShort measures a local vector that is made, filled, read once, and dropped. A slice with
// spare capacity is the alternative if the length is bounded.
func BenchmarkShort(b *testing.B) {
	x := new(int)
	b.Run("way=vec", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range lengths {
				var v inline.Vec[*int, [8]*int]
				for range n {
					v.Append(x)
				}
				for _, p := range v.Slice() {
					sinkInt += *p
				}
			}
		}
		perVector(b, len(lengths))
	})
	b.Run("way=nil", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range lengths {
				var s []*int
				for range n {
					s = append(s, x)
				}
				for _, p := range s {
					sinkInt += *p
				}
			}
		}
		perVector(b, len(lengths))
	})
	b.Run("way=room", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range lengths {
				s := make([]*int, 0, 8)
				for range n {
					s = append(s, x)
				}
				for _, p := range s {
					sinkInt += *p
				}
			}
		}
		perVector(b, len(lengths))
	})
}

// These nodes store their children in a Vec, or in a slice that starts as nil or with spare
// capacity.
type (
	vecNode   struct{ children inline.Vec[*int, [8]*int] }
	sliceNode struct{ children []*int }
)

// BenchmarkField measures a vector in a heap-allocated node, whose slice cannot be on the stack.
// Each iteration makes a node, fills its vector, and reads it once.
func BenchmarkField(b *testing.B) {
	x := new(int)
	b.Run("way=vec", func(b *testing.B) {
		b.ReportAllocs()
		nodes := make([]*vecNode, len(lengths))
		for b.Loop() {
			for i, n := range lengths {
				nodes[i] = new(vecNode)
				for range n {
					nodes[i].children.Append(x)
				}
				for _, p := range nodes[i].children.Slice() {
					sinkInt += *p
				}
			}
		}
		perVector(b, len(lengths))
	})
	for _, way := range []struct {
		name string
		room int
	}{{"way=nil", 0}, {"way=room", 8}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			nodes := make([]*sliceNode, len(lengths))
			for b.Loop() {
				for i, n := range lengths {
					nodes[i] = new(sliceNode)
					if way.room > 0 {
						nodes[i].children = make([]*int, 0, 8)
					}
					for range n {
						nodes[i].children = append(nodes[i].children, x)
					}
					for _, p := range nodes[i].children {
						sinkInt += *p
					}
				}
			}
			perVector(b, len(lengths))
		})
	}
}

func perElement(b *testing.B, elements int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/element")
}

func perVector(b *testing.B, vectors int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(vectors), "ns/vector")
}
