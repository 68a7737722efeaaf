package flat_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// BenchmarkBeside sets and then reads a value for each node, in preorder. The values are in a map
// with pointers as keys, in a map with handles as keys, or in a side table. The time includes
// creating the map or the table and numbering the nodes.
func BenchmarkBeside(b *testing.B) {
	for _, depth := range []int{smallDepth, bigDepth} {
		p, t := pointers(depth, 1), buildFlat(depth)
		nodes := t.NumNodes()
		run := func(form string, pass func() int) {
			b.Run(fmt.Sprintf("nodes=%d/form=%s", nodes, form), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := pass(); got != nodes {
						b.Fatalf("%d values, want %d", got, nodes)
					}
				}
				perNode(b, nodes)
			})
		}
		run("pointers-map", func() (sum int) {
			beside := make(map[expr.Expr]int32, nodes)
			orderPointers(p, false, func(e expr.Expr) bool { beside[e] = 1; return true })
			orderPointers(p, false, func(e expr.Expr) bool { sum += int(beside[e]); return true })
			return sum
		})
		run("map", func() (sum int) {
			beside := make(map[exprflat.Any]int32, nodes)
			for n := range t.Root().Preorder {
				beside[n] = 1
			}
			for n := range t.Root().Preorder {
				sum += int(beside[n])
			}
			return sum
		})
		run("table", func() (sum int) {
			beside := exprflat.NewSideTable[int32](t.Numbers())
			for n := range t.Root().Preorder {
				beside.Set(n, 1)
			}
			for n := range t.Root().Preorder {
				sum += int(beside.Of(n))
			}
			return sum
		})
	}
}

// BenchmarkTables measures Numbers and Parents, each of which visits all nodes once.
func BenchmarkTables(b *testing.B) {
	t := buildFlat(bigDepth)
	numbers := t.Numbers()
	for name, pass := range map[string]func(){
		"numbers": func() { sink = t.Numbers() },
		"parents": func() { sink = t.Parents(numbers) },
	} {
		b.Run("op="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pass()
			}
			perNode(b, t.NumNodes())
		})
	}
}
