package flat_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// TestBuilderFullAtEveryLimit builds a tree with every limit, from one byte to the size of the
// tree. For each limit that is too small, Finish returns ErrFull, and the Builder can be used
// again.
func TestBuilderFullAtEveryLimit(t *testing.T) {
	doc := "doc"
	build := func(b *exprflat.Builder) (exprflat.Tree, error) {
		e := b.Num(1)
		for i := range 5 {
			e = b.Call("f"+strconv.Itoa(i), []exprflat.Expr{e, b.Var("x"), b.Var("y")}, &doc)
		}
		return b.Finish(e)
	}
	want := must(build(exprflat.NewBuilder(flat.BuilderOptions{})))
	need := int64(0)
	for limit := int64(1); ; limit++ {
		b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: limit})
		tree, err := build(b)
		if err == nil {
			need = limit
			if tree.String() != want.String() {
				t.Errorf("the tree at the limit is %v", tree)
			}
			break
		}
		if !errors.Is(err, flat.ErrFull) || tree.Flat() != nil || b.Err() != nil {
			t.Fatalf("limit %d: %v, tree %v, then %v", limit, err, tree, b.Err())
		}
		if limit > 1000 {
			t.Fatal("never enough")
		}
	}
	// 3 + 10*2 + 5*6 words; 5 + 2 + 5 strings of 5*2 + 2 + 5*3 bytes.
	if want := int64(4*53 + 4*12 + 27); need != want {
		t.Errorf("the tree needs a limit of %d bytes, want %d", need, want)
	}
	b := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: 30})
	for range 10 {
		b.Num(1)
	}
	if !errors.Is(b.Err(), flat.ErrFull) || !b.Num(1).IsNil() || !b.Call("f", nil, nil).IsNil() {
		t.Error("a full builder builds on")
	}
	b.Reset()
	if b.Err() != nil || b.Num(1).IsNil() {
		t.Error("a builder stays full after Reset")
	}
}

func TestBuilderRefuses(t *testing.T) {
	b, other := exprflat.NewBuilder(flat.BuilderOptions{}), exprflat.NewBuilder(flat.BuilderOptions{})
	num := b.Num(1)
	b.Bin(expr.Add, num, exprflat.Expr{})
	finished := must(other.Finish(other.Num(2)))
	wide := exprflat.NewBuilder(flat.BuilderOptions{})
	wide.Num(0)
	since := ", returned by this Builder since it began the tree; found "
	for want, use := range map[string]func(){
		"exprflat.Builder.Bin: want nil or a node as a child" + since + "Num #4 of another tree": func() { b.Bin(expr.Add, wide.Num(1), exprflat.Expr{}) },
		"exprflat.Builder.Call: want nil or a node as a child" + since + "Num #1 of another tree, or of one that is finished": func() {
			other.Call("f", []exprflat.Expr{finished.Root()}, nil)
		},
		"found Num #1, which has a parent already; use it once, or say flat:share":                                       func() { b.Bin(expr.Add, num, exprflat.Expr{}) },
		"exprflat.Builder.Finish: want nil or one of Num, Var, Bin, Call as the root" + since + "Num #1 of another tree": func() { b.Finish(finished.Root()) },
		"found Num #1, which has a parent":                      func() { b.Finish(num) },
		"exprflat.NewBuilder: an option is negative":            func() { exprflat.NewBuilder(flat.BuilderOptions{Nodes: -1}) },
		"flat.Tree.CloneInto: a tree cannot be copied into its": func() { finished.CloneInto(finished) },
	} {
		mustPanic(t, want, use)
	}
}

// A Builder that knows the size of the tree in advance allocates only a few times. A Builder that
// reuses the memory of another tree allocates only what the new tree keeps.
func TestBuilderAllocations(t *testing.T) {
	const nodes = 10_000
	build := func(b *exprflat.Builder) exprflat.Tree {
		e := b.Num(0)
		for range nodes / 2 {
			e = b.Bin(expr.Add, e, b.Var("x"))
		}
		return must(b.Finish(e))
	}
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: nodes + 1, TextBytes: 100})
	if n := testing.AllocsPerRun(10, func() { build(b) }); n > 10 {
		t.Errorf("%v allocations for a tree", n)
	}
	if n := testing.AllocsPerRun(10, func() { b.Reuse(build(b)) }); n > 8 {
		t.Errorf("%v allocations for a tree in the memory of another", n)
	}
	tree := build(b)
	old := tree.Clone()
	if n := testing.AllocsPerRun(10, func() { old = tree.CloneInto(old) }); n > 1 {
		t.Errorf("%v allocations for a copy into the memory of another", n)
	}
	if perNode := float64(tree.NumBytes()) / float64(tree.NumNodes()); perNode > 12 {
		t.Errorf("%.1f bytes a node, want at most 12", perNode)
	}
}

func TestInternedStringsAreKeptOnce(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	var args []exprflat.Expr
	args = slices.Grow(args, 10_000)
	for i := range 10_000 {
		args = append(args, b.Var("name"+strconv.Itoa(i%1000)))
	}
	tree := must(b.Finish(b.Call(strings.Repeat("f", 100), args, nil)))
	var dump strings.Builder
	tree.Dump(&dump)
	if !strings.Contains(dump.String(), " 1001 strings of ") {
		t.Errorf("%.100s, want 1001 strings", dump.String())
	}
	for i := range args {
		if got, want := tree.Root().AsCall().Arg(i).AsVar().Name(), "name"+strconv.Itoa(i%1000); got != want {
			t.Fatalf("argument %d is %s, want %s", i, got, want)
		}
	}
}
