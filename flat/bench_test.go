package flat_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// These benchmarks compare a flat tree with a pointer tree of the same schema, in one run. The
// trees are expressions with about a million nodes, or with about a thousand, which fit in the
// first-level cache. One of eight inner nodes is a call with three arguments. Half of the leaves
// are numbers, and half are variables.

// bigDepth and smallDepth are the depths of the trees with about a million and about a thousand
// nodes.
const (
	bigDepth   = 18
	smallDepth = 8
)

var names = []string{"x", "y", "width", "height", "i", "total"}

func pointers(depth int, seed uint32) expr.Expr {
	seed = seed*1664525 + 1013904223
	switch {
	case depth == 0 && seed>>16&1 == 0:
		return &expr.Num{Value: float64(seed >> 20)}
	case depth == 0:
		return &expr.Var{Name: names[seed>>16%uint32(len(names))]}
	case seed>>24&7 == 0:
		args := make([]expr.Expr, 3)
		for i := range args {
			args[i] = pointers(depth-1, seed+uint32(i))
		}
		return &expr.Call{Fn: "f", Args: args}
	default:
		return &expr.Bin{Op: expr.Op(seed >> 16 & 3), L: pointers(depth-1, seed+1), R: pointers(depth-1, seed+2)}
	}
}

func words(b *exprflat.Builder, depth int, seed uint32) exprflat.Expr {
	seed = seed*1664525 + 1013904223
	switch {
	case depth == 0 && seed>>16&1 == 0:
		return b.Num(float64(seed >> 20))
	case depth == 0:
		return b.Var(names[seed>>16%uint32(len(names))])
	case seed>>24&7 == 0:
		var args [3]exprflat.Expr
		for i := range args {
			args[i] = words(b, depth-1, seed+uint32(i))
		}
		return b.Call("f", args[:], nil)
	default:
		return b.Bin(expr.Op(seed>>16&3), words(b, depth-1, seed+1), words(b, depth-1, seed+2))
	}
}

func buildFlat(depth int) exprflat.Tree {
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: 5 << depth})
	t, err := b.Finish(words(b, depth, 1))
	if err != nil {
		panic(err)
	}
	return t
}

func sumPointers(e expr.Expr) float64 {
	switch e := e.(type) {
	case *expr.Num:
		return e.Value
	case *expr.Bin:
		return sumPointers(e.L) + sumPointers(e.R)
	case *expr.Call:
		sum := 0.0
		for _, a := range e.Args {
			sum += sumPointers(a)
		}
		return sum
	default:
		return 1
	}
}

func sumKinds(e exprflat.Expr) float64 {
	switch e.Kind() {
	case exprflat.KindNum:
		return e.AsNum().Value()
	case exprflat.KindBin:
		bin := e.AsBin()
		return sumKinds(bin.L()) + sumKinds(bin.R())
	case exprflat.KindCall:
		sum := 0.0
		for a := range e.AsCall().Args {
			sum += sumKinds(a)
		}
		return sum
	default:
		return 1
	}
}

func sumViews(e exprflat.Expr) float64 {
	switch e := e.View().(type) {
	case *exprflat.Num:
		return e.Value()
	case *exprflat.Bin:
		return sumViews(e.L()) + sumViews(e.R())
	case *exprflat.Call:
		sum := 0.0
		for a := range e.Args {
			sum += sumViews(a)
		}
		return sum
	default:
		return 1
	}
}

func sumAll(t exprflat.Tree) float64 {
	sum := 0.0
	for n := range t.All {
		switch n.Kind() {
		case exprflat.KindNum:
			sum += n.AsNum().Value()
		case exprflat.KindVar:
			sum++
		}
	}
	return sum
}

func sumPreorder(t exprflat.Tree) float64 {
	sum := 0.0
	for n := range t.Root().Preorder {
		switch n.Kind() {
		case exprflat.KindNum:
			sum += n.AsNum().Value()
		case exprflat.KindVar:
			sum++
		}
	}
	return sum
}

func sumPostorder(t exprflat.Tree) float64 {
	sum := 0.0
	for n := range t.Root().Postorder {
		switch n.Kind() {
		case exprflat.KindNum:
			sum += n.AsNum().Value()
		case exprflat.KindVar:
			sum++
		}
	}
	return sum
}

// orderPointers is a typical hand-written iterator: postorder if after is true, and otherwise
// preorder.
func orderPointers(e expr.Expr, after bool, yield func(expr.Expr) bool) bool {
	if !after && !yield(e) {
		return false
	}
	switch e := e.(type) {
	case *expr.Bin:
		if !orderPointers(e.L, after, yield) || !orderPointers(e.R, after, yield) {
			return false
		}
	case *expr.Call:
		for _, a := range e.Args {
			if !orderPointers(a, after, yield) {
				return false
			}
		}
	}
	return !after || yield(e)
}

func sumOrderPointers(root expr.Expr, after bool) float64 {
	sum := 0.0
	orderPointers(root, after, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Num:
			sum += e.Value
		case *expr.Var:
			sum++
		}
		return true
	})
	return sum
}

func sumFold(t exprflat.Tree) float64 {
	return exprflat.Fold(t, func(n exprflat.Any, done exprflat.Results[float64]) float64 {
		switch n.Kind() {
		case exprflat.KindNum:
			return n.AsNum().Value()
		case exprflat.KindBin:
			bin := n.AsBin()
			return done.Of(bin.L().AsAny()) + done.Of(bin.R().AsAny())
		case exprflat.KindCall:
			sum := 0.0
			for a := range n.AsCall().Args {
				sum += done.Of(a.AsAny())
			}
			return sum
		default:
			return 1
		}
	})
}

// copyPointers is a typical hand-written deep copy.
func copyPointers(e expr.Expr) expr.Expr {
	switch e := e.(type) {
	case *expr.Num:
		c := *e
		return &c
	case *expr.Var:
		c := *e
		return &c
	case *expr.Bin:
		return &expr.Bin{Op: e.Op, L: copyPointers(e.L), R: copyPointers(e.R)}
	case *expr.Call:
		c := &expr.Call{Fn: e.Fn, Doc: e.Doc, Args: make([]expr.Expr, len(e.Args))}
		for i, a := range e.Args {
			c.Args[i] = copyPointers(a)
		}
		return c
	default:
		return nil
	}
}

// perNode reports the time per operation, divided by the number of nodes in the tree.
func perNode(b *testing.B, nodes int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}

var sink any

func BenchmarkBuild(b *testing.B) {
	nodes := buildFlat(bigDepth).NumNodes()
	b.Run("form=pointers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink = pointers(bigDepth, 1)
		}
		sink = nil
		perNode(b, nodes)
	})
	b.Run("form=flat", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink = buildFlat(bigDepth)
		}
		perNode(b, nodes)
	})
	b.Run("form=reused", func(b *testing.B) {
		b.ReportAllocs()
		builder := exprflat.NewBuilder(flat.BuilderOptions{Nodes: 5 << bigDepth})
		for b.Loop() {
			t, err := builder.Finish(words(builder, bigDepth, 1))
			if err != nil {
				b.Fatal(err)
			}
			builder.Reuse(t)
		}
		perNode(b, nodes)
	})
}

// BenchmarkBuildSums builds nodes with a field that accepts only some kinds, so that the kind of
// each child must be checked.
func BenchmarkBuildSums(b *testing.B) {
	const nodes = 10_000
	builder := everyflat.NewBuilder(flat.BuilderOptions{Nodes: nodes})
	build := func(b *testing.B, child func() everyflat.Leaf) {
		for b.Loop() {
			root := builder.Null()
			for range nodes / 2 {
				root = builder.Value(child())
			}
			builder.Reuse(must(builder.Finish(root)))
		}
		perNode(b, nodes)
	}
	b.Run("child=some", func(b *testing.B) { build(b, func() everyflat.Leaf { return builder.Null().AsLeaf() }) })
	b.Run("child=nil", func(b *testing.B) {
		build(b, func() everyflat.Leaf { builder.Null(); return everyflat.Leaf{} })
	})
}

func BenchmarkWalk(b *testing.B) {
	for _, depth := range []int{smallDepth, bigDepth} {
		p, t := pointers(depth, 1), buildFlat(depth)
		nodes := t.NumNodes()
		for _, way := range []struct {
			name string
			walk func() float64
		}{
			{"pointers", func() float64 { return sumPointers(p) }},
			{"pointers-preorder", func() float64 { return sumOrderPointers(p, false) }},
			{"pointers-postorder", func() float64 { return sumOrderPointers(p, true) }},
			{"kinds", func() float64 { return sumKinds(t.Root()) }},
			{"views", func() float64 { return sumViews(t.Root()) }},
			{"all", func() float64 { return sumAll(t) }},
			{"preorder", func() float64 { return sumPreorder(t) }},
			{"postorder", func() float64 { return sumPostorder(t) }},
			{"fold", func() float64 { return sumFold(t) }},
		} {
			b.Run(fmt.Sprintf("nodes=%d/form=%s", nodes, way.name), func(b *testing.B) {
				b.ReportAllocs()
				want := sumPointers(p)
				for b.Loop() {
					if got := way.walk(); got != want {
						b.Fatalf("got %v, want %v", got, want)
					}
				}
				perNode(b, nodes)
			})
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	p, t := pointers(bigDepth, 1), buildFlat(bigDepth)
	b.Run("form=pointers", func(b *testing.B) {
		for b.Loop() {
			sink = copyPointers(p)
		}
		sink = nil
		perNode(b, t.NumNodes())
	})
	b.Run("form=flat", func(b *testing.B) {
		for b.Loop() {
			sink = t.Clone()
		}
		perNode(b, t.NumNodes())
	})
	b.Run("form=into", func(b *testing.B) {
		old := t.Clone()
		for b.Loop() {
			old = t.CloneInto(old)
		}
		perNode(b, t.NumNodes())
	})
}

func BenchmarkLoad(b *testing.B) {
	t := buildFlat(bigDepth)
	var file bytes.Buffer
	if _, err := t.WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	b.Run("op=load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := exprflat.Load(file.Bytes(), flat.LoadLimits{}); err != nil {
				b.Fatal(err)
			}
		}
		perNode(b, t.NumNodes())
		b.ReportMetric(float64(file.Len())/float64(t.NumNodes()), "B/node")
	})
	b.Run("op=read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := exprflat.Read(bytes.NewReader(file.Bytes()), flat.LoadLimits{}); err != nil {
				b.Fatal(err)
			}
		}
		perNode(b, t.NumNodes())
	})
	b.Run("op=compact", func(b *testing.B) {
		for b.Loop() {
			sink = t.Compact()
		}
		perNode(b, t.NumNodes())
	})
}
