package forest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// many writes a forest with the given number of trees and returns its path. Each tree has four
// nodes and a 16-byte name.
func many(b *testing.B, trees int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "forest")
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	builder := exprflat.NewBuilder(flat.BuilderOptions{})
	for i := range trees {
		tree := must(builder.Finish(builder.Call("f", []exprflat.Expr{builder.Var(name(i % 1000)), builder.Num(float64(i)), builder.Num(1)}, nil)))
		check(b, w.Add(fmt.Sprintf("corpus/%09d", i), tree))
		builder.Reuse(tree)
	}
	check(b, w.Close())
	return path
}

// BenchmarkOpen measures Open, which takes time in proportion to the number of trees but reads none
// of them.
func BenchmarkOpen(b *testing.B) {
	for _, trees := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("trees=%d", trees), func(b *testing.B) {
			path := many(b, trees)
			b.ResetTimer()
			for range b.N {
				check(b, must(forest.Open[exprflat.Tree](path, flat.LoadLimits{})).Close())
			}
			b.ReportMetric(float64(must(os.Stat(path)).Size())/float64(trees), "B/tree")
		})
	}
}

// BenchmarkAt measures the first use of a tree, which verifies its checksum and validates it, and
// later uses, which do not.
func BenchmarkAt(b *testing.B) {
	const trees = 100_000
	path := many(b, trees)
	b.Run("op=first", func(b *testing.B) {
		for done := 0; done < b.N; {
			b.StopTimer()
			r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
			must(r.At(0)) // checks the strings of the first segment
			b.StartTimer()
			for i := 1; i < trees && done < b.N; i++ {
				must(r.At(i))
				done++
			}
			b.StopTimer()
			check(b, r.Close())
			b.StartTimer()
		}
	})
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	for i := range trees {
		must(r.At(i))
	}
	b.Run("op=again", func(b *testing.B) {
		for i := range b.N {
			must(r.At(i % trees))
		}
	})
	r.Lookup("")
	b.Run("op=lookup", func(b *testing.B) {
		for i := range b.N {
			r.Lookup(r.Name(i % trees))
		}
	})
}

// BenchmarkAdd measures Add, which hashes the strings of a tree, copies the tree, and writes and
// syncs each segment.
func BenchmarkAdd(b *testing.B) {
	builder := exprflat.NewBuilder(flat.BuilderOptions{})
	var all []exprflat.Expr
	all = slices.Grow(all, 1000)
	for i := range 1000 {
		all = append(all, builder.Bin(0, builder.Var(name(i%100)), builder.Num(1)))
	}
	tree := must(builder.Finish(builder.Call("f", all, nil)))
	w := must(forest.Create[exprflat.Tree](filepath.Join(b.TempDir(), "forest"), forest.Options{}))
	b.ResetTimer()
	for range b.N {
		check(b, w.Add("tree", tree))
	}
	check(b, w.Close())
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tree.NumNodes()), "ns/node")
}
