package slab_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/slab"
)

// sink prevents the compiler from eliminating allocations.
var sink *node

// BenchmarkNew allocates values one at a time, with a Reset after each phase. It compares New with
// plain new.
func BenchmarkNew(b *testing.B) {
	for _, phase := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("alloc=new/phase=%d", phase), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range phase {
					sink = new(node)
				}
			}
			perValue(b, phase)
		})
		b.Run(fmt.Sprintf("alloc=slab/phase=%d", phase), func(b *testing.B) {
			b.ReportAllocs()
			var s slab.Slab[node]
			for b.Loop() {
				for range phase {
					sink = s.New()
				}
				s.Reset()
			}
			perValue(b, phase)
		})
	}
}

// BenchmarkMake allocates n values at a time, in phases of about 10,000 values.
func BenchmarkMake(b *testing.B) {
	for _, n := range []int{2, 8, 32, 1000} {
		const phase = 10_000
		b.Run(fmt.Sprintf("alloc=slab/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var s slab.Slab[node]
			for b.Loop() {
				for made := 0; made < phase; made += n {
					sink = &s.Make(n)[0]
				}
				s.Reset()
			}
			perValue(b, (phase+n-1)/n*n)
		})
	}
}

func perValue(b *testing.B, values int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(values), "ns/value")
}
