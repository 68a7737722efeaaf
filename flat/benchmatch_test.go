package flat_test

import (
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/forty"
	"github.com/coppice-go/coppice/flat/internal/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/six"
	"github.com/coppice-go/coppice/flat/internal/cases/sixflat"
)

// BenchmarkMatch measures a switch on the variant of a node, with views and with pointers, for sum
// types of six and of forty variants.
func BenchmarkMatch(b *testing.B) {
	small, large := sixflat.NewBuilder(flat.BuilderOptions{}), fortyflat.NewBuilder(flat.BuilderOptions{})
	of6 := must(small.Finish(small.Pow(small.Num(1), small.Var("x"))))
	of40 := must(large.Finish(large.Op37(large.Num(1), large.Var("x"))))
	b.Run("variants=6/form=views", func(b *testing.B) {
		b.ReportAllocs()
		e := of6.Root()
		for b.Loop() {
			switch e.View().(type) {
			case *sixflat.Num, *sixflat.Var, *sixflat.Call:
				b.Fatal("another variant")
			case *sixflat.Pow:
			}
		}
	})
	b.Run("variants=6/form=pointers", func(b *testing.B) {
		b.ReportAllocs()
		var e six.Expr = &six.Pow{}
		for b.Loop() {
			switch e.(type) {
			case *six.Num, *six.Var, *six.Call:
				b.Fatal("another variant")
			case *six.Pow:
			}
		}
	})
	b.Run("variants=40/form=views", func(b *testing.B) {
		b.ReportAllocs()
		e := of40.Root()
		for b.Loop() {
			switch e.View().(type) {
			case *fortyflat.Num, *fortyflat.Var, *fortyflat.Call:
				b.Fatal("another variant")
			case *fortyflat.Op37:
			}
		}
	})
	b.Run("variants=40/form=pointers", func(b *testing.B) {
		b.ReportAllocs()
		var e forty.Expr = &forty.Op37{}
		for b.Loop() {
			switch e.(type) {
			case *forty.Num, *forty.Var, *forty.Call:
				b.Fatal("another variant")
			case *forty.Op37:
			}
		}
	})
}
