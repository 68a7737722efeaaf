package sheet

import (
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// BenchmarkSheet measures parsing and evaluating sheets of the corpus, without HTTP.
func BenchmarkSheet(b *testing.B) {
	prices := catalog.New().Price
	sheets := corpus.First(64)
	var answer []byte
	run := func(b *testing.B, a *arena.Arena, i int) {
		s := &sheets[i%len(sheets)]
		var source string
		if a == nil {
			source = string(s.Source)
		} else {
			source = a.String(s.Source)
		}
		parsed, err := Parse(a, source)
		if err != nil {
			b.Fatal(err)
		}
		if answer, err = parsed.AppendAnswer(answer[:0], prices); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("alloc=goheap", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			run(b, nil, i)
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		b.ReportAllocs()
		var a arena.Arena
		for i := 0; b.Loop(); i++ {
			run(b, &a, i)
			a.Reset()
		}
		b.ReportMetric(float64(a.Stats().Size), "held-B")
	})
}

// These variables keep the compiler from eliminating the results, and from knowing the value of
// heap.
var (
	sink *binary
	heap *arena.Arena // always nil, but the compiler cannot know that
)

// BenchmarkSeam compares Alloc with New followed by an assignment and, for a nil arena, with &T{}.
func BenchmarkSeam(b *testing.B) {
	const nodes = 1000
	var a arena.Arena
	for _, c := range []struct {
		name string
		one  func()
	}{
		{"alloc=goheap/way=direct", func() { sink = &binary{1, '+', sink, nil} }},
		{"alloc=goheap/way=New", func() { n := arena.New[binary](heap); *n = binary{1, '+', sink, nil}; sink = n }},
		{"alloc=goheap/way=Put", func() { sink = arena.Alloc(heap, binary{1, '+', sink, nil}) }},
		{"alloc=arena/way=New", func() { n := arena.New[binary](&a); *n = binary{1, '+', sink, nil}; sink = n }},
		{"alloc=arena/way=Put", func() { sink = arena.Alloc(&a, binary{1, '+', sink, nil}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				sink = nil
				for range nodes {
					c.one()
				}
				a.Reset()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
		})
	}
}
