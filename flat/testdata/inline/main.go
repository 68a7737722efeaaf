// Program inline has calls that the compiler must inline.
package main

import (
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

func main() {
	println(loops(exprflat.Tree{}), small(exprflat.Expr{}), large(fortyflat.Expr{}), words(everyflat.Node{}), numbers(narrowflat.Node{}))
}

func small(e exprflat.Expr) float64 {
	switch e.Kind() {
	case exprflat.KindNum:
		return e.AsNum().Value()
	case exprflat.KindBin:
		bin := e.AsBin()
		return small(bin.L()) + small(bin.R()) + float64(bin.Op())
	case exprflat.KindCall:
		call := e.AsCall()
		sum := 0.0
		for i := range call.NumArgs() {
			sum += small(call.Arg(i))
		}
		return sum
	}
	return 0
}

func loops(t exprflat.Tree) (n int) {
	for e := range t.All {
		n += int(e.Kind())
	}
	for e := range t.Root().Preorder {
		n += int(e.Kind())
	}
	for e := range t.Root().Postorder {
		n += int(e.Kind())
	}
	numbers, strings := t.Numbers(), t.Strings()
	table, parents := exprflat.NewSideTable[int](numbers), t.Parents(numbers)
	for e := range t.Root().AsCall().Args {
		table.Set(e.AsAny(), numbers.Of(e.AsAny())+table.Of(parents.Of(e.AsAny())))
		n += e.AsVar().NameNumber(strings)
	}
	return n
}

func large(e fortyflat.Expr) float64 {
	if e.Kind() == fortyflat.KindOp37 {
		return large(e.AsOp37().L())
	}
	return 0
}

func words(n everyflat.Node) int {
	s := n.AsScalars()
	if s.B() && !n.IsNil() {
		return int(s.I8()) + int(s.U16()) + int(s.I64()) + int(s.F32())
	}
	return n.AsInline().Pair().Value().AsFull().NumList()
}

func numbers(n narrowflat.Node) int {
	if n.Kind() == narrowflat.KindIdent {
		return int(n.AsIdent().At())
	}
	return int(n.AsMove().Back()) + int(n.AsMove().From())
}
