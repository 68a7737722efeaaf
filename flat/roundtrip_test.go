package flat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// A failure stands in for a testing.T and records the first failure that RoundTrip reports.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Fatalf(format string, args ...any) {
	if f.text == "" {
		f.text = fmt.Sprintf(format, args...)
	}
}

// exprTrips contains the functions of package exprflat that RoundTrip calls.
type exprTrips = flatimpl.RoundTripper[expr.Expr, exprflat.Tree, flat.LoadLimits]

// RoundTrip, which tests each generated package, detects every kind of wrong conversion.
func TestRoundTripNotices(t *testing.T) {
	good := exprTrips{
		Variants: []any{(*expr.Num)(nil), (*expr.Var)(nil)}, FromTree: exprflat.FromTree, ToTree: exprflat.ToTree, Load: exprflat.Load,
		Walks: walksByTables,
	}
	for want, breakIt := range map[string]func(*exprTrips){
		"": func(*exprTrips) {},
		"the built tree differs from the pointers": func(p *exprTrips) {
			p.ToTree = func(exprflat.Tree, flat.LoadLimits) (expr.Expr, error) { return &expr.Num{Value: 0.1}, nil }
		},
		"a loaded tree is written as other bytes": func(p *exprTrips) {
			p.Load = func([]byte, flat.LoadLimits) (exprflat.Tree, error) { return sumOfTwo() }
		},
		"Preorder yields": func(p *exprTrips) {
			p.Walks = func(t exprflat.Tree, most int) flatimpl.Walks {
				w := walksByTables(t, most)
				w.Preorder = nil
				return w
			}
		},
		"All yields": func(p *exprTrips) {
			p.Walks = func(t exprflat.Tree, most int) flatimpl.Walks {
				w := walksByTables(t, most)
				w.All = append(w.All, flatimpl.Node{})
				return w
			}
		},
	} {
		p, f := good, &failure{}
		breakIt(&p)
		flatimpl.RoundTrip(f, p)
		if !strings.Contains(f.text, want) || want == "" && f.text != "" {
			t.Errorf("it says %q, want %q", f.text, want)
		}
	}
}

// walksByTables performs the traversals with the functions of package flatimpl that generated code
// calls for kinds without a case of their own.
func walksByTables(tree exprflat.Tree, most int) flatimpl.Walks {
	t := (*flatimpl.Tree)(tree.Flat())
	w := flatimpl.Walks{Tree: t}
	for n := t.First(); !n.IsNil() && (most == 0 || len(w.All) < most); n = n.Next() {
		w.All = append(w.All, n)
	}
	var todo flatimpl.Stack
	for n, top := t.Root(), uint(0); !n.IsNil() && (most == 0 || len(w.Preorder) < most); {
		w.Preorder = append(w.Preorder, n)
		top = todo.PushChildren(top, n)
		n, top = todo.Pop(n, top)
	}
	var path flatimpl.Path
	for n, top := t.Root(), uint(0); most == 0 || len(w.Postorder) < most; {
		if n, top = flatimpl.Postorder(&path, n, top, nextByTables); n.IsNil() {
			break
		}
		w.Postorder = append(w.Postorder, n)
	}
	return w
}

// nextByTables takes one step of a postorder traversal.
func nextByTables(path *flatimpl.Path, n flatimpl.Node, top uint) (flatimpl.Node, uint) {
	i := path.Take(top)
	if i == 0 {
		if top = path.Resume(n, top); top == 0 || path.IsReady(top) {
			return n.At(path.Ready(top)), top - 1
		}
		i = path.Take(top)
	}
	top = path.PutChildren(top-1, n.At(uint32(i)))
	return flatimpl.Postorder(path, n, top, nextByTables)
}

// sumOfTwo returns a tree with three nodes.
func sumOfTwo() (exprflat.Tree, error) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	return b.Finish(b.Bin(expr.Add, b.Num(1), b.Num(2)))
}
