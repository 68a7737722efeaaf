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

// BenchmarkFold measures a pass that folds fifteen constants, or all of them. It compares the pass
// over the parser's pointers with passes over a flat tree: by copying, and in place. Each iteration
// gets its own tree, which is made while the timer is stopped. Copying and in-place passes have the
// same memory available, because the Builder keeps the memory of the previous result.
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
				runtime.GC() // a collection must not run during the pass
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
