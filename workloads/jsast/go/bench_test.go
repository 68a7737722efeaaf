package main

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/jsast/source"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// BenchmarkFold compares a pass that folds fifteen constants, or all, over the parser's pointers,
// and over the flat tree by a copy and in the memory of the tree. Each pass gets a tree of its own,
// which is made while the clock stands. The copy and the pass in place find the same memory: the
// Builder keeps that of the result before.
//
//	GOWORK=off go test -run '^$' -bench Fold -benchtime 20x -count 5
func BenchmarkFold(b *testing.B) {
	text := source.Module(12)
	f := flatForm{}
	if err := f.build(module(b, text), len(text)); err != nil {
		b.Fatal(err)
	}
	tree := f.tree.Compact()
	for _, folds := range []struct {
		name string
		most int
	}{{"15", 15}, {"all", math.MaxInt}} {
		b.Run(fmt.Sprintf("folds=%s/form=pointers", folds.name), func(b *testing.B) {
			pass := folder{most: folds.most}
			for range b.N {
				b.StopTimer()
				ast := module(b, text)
				pass.folds = 0
				runtime.GC() // which would run beside the pass
				b.StartTimer()
				pass.list(ast.List)
			}
			report(b, tree, pass.folds)
		})
		for _, form := range []struct {
			name string
			run  func(*syntaxflat.Builder, syntaxflat.Tree, syntaxflat.Rewriter) (syntaxflat.Tree, error)
		}{{"copy", (*syntaxflat.Builder).Rewrite}, {"in-place", (*syntaxflat.Builder).RewriteInPlace}} {
			b.Run(fmt.Sprintf("folds=%s/form=%s", folds.name, form.name), func(b *testing.B) {
				builder := syntaxflat.NewBuilder(flat.BuilderOptions{})
				last, done := tree.Clone(), 0
				for range b.N {
					b.StopTimer()
					builder.Reuse(last)
					own := tree.Clone()
					done = 0
					runtime.GC()
					b.StartTimer()
					next, err := form.run(builder, own, foldingPass(&done, folds.most))
					if err != nil {
						b.Fatal(err)
					}
					last = next
				}
				report(b, tree, done)
			})
		}
	}
}

func module(b *testing.B, text []byte) *js.AST {
	b.Helper()
	ast, err := js.Parse(parse.NewInputBytes(append([]byte(nil), text...)), js.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return ast
}

func report(b *testing.B, tree syntaxflat.Tree, folds int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tree.NumNodes()), "ns/node")
	b.ReportMetric(float64(folds), "folds/op")
	b.ReportMetric(float64(tree.NumNodes()), "nodes")
}
