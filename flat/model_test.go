package flat_test

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// expressions generates trees of pointers up to the given depth.
func expressions(depth int) *rapid.Generator[expr.Expr] {
	return rapid.Custom(func(t *rapid.T) expr.Expr {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 && kind > 2 {
			kind = 2
		}
		switch kind {
		case 0:
			return nil
		case 1:
			return &expr.Num{Value: float64(rapid.Int32().Draw(t, "value"))}
		case 2:
			return &expr.Var{Name: rapid.String().Draw(t, "name")}
		case 3:
			op := expr.Op(rapid.Uint8().Draw(t, "op"))
			return &expr.Bin{Op: op, L: expressions(depth-1).Draw(t, "l"), R: expressions(depth-1).Draw(t, "r")}
		default:
			c := &expr.Call{Fn: rapid.String().Draw(t, "fn"), Doc: rapid.Ptr(rapid.String(), true).Draw(t, "doc")}
			if args := rapid.SliceOfN(expressions(depth-1), 0, 5).Draw(t, "args"); len(args) > 0 {
				c.Args = args
			}
			return c
		}
	})
}

// TestTreeAgainstModel verifies that a random sequence of changes has the same effect on a flat
// tree as on a tree of pointers.
func TestTreeAgainstModel(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		model := expressions(4).Draw(t, "tree")
		tree := must(exprflat.FromTree(model, flat.LoadLimits{}))
		for range rapid.IntRange(0, 10).Draw(t, "changes") {
			var nodes []exprflat.Any
			for n := range tree.Root().Preorder {
				nodes = append(nodes, n)
			}
			if len(nodes) > 0 {
				i := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
				change(t, nodes[i], modelNodes(model)[i])
			}
			switch rapid.IntRange(0, 4).Draw(t, "then") {
			case 0:
				tree = tree.Compact()
			case 1:
				tree = tree.CloneInto(tree.Clone())
			case 2:
				tree = must(exprflat.Load(fileOf(tree.Flat()), flat.LoadLimits{}))
			}
		}
		got := must(exprflat.ToTree(tree, flat.LoadLimits{}))
		if !reflect.DeepEqual(got, model) {
			t.Fatalf("the tree is %v", tree)
		}
		rebuilt := must(exprflat.FromTree(model, flat.LoadLimits{}))
		if !bytes.Equal(fileOf(rebuilt.Compact().Flat()), fileOf(tree.Compact().Flat())) {
			t.Fatalf("equal trees have other bytes: %v", tree)
		}
	})
}

// modelNodes returns the nodes of the model, in preorder.
func modelNodes(e expr.Expr) []expr.Expr {
	if e == nil {
		return nil
	}
	nodes := []expr.Expr{e}
	switch e := e.(type) {
	case *expr.Bin:
		nodes = append(append(nodes, modelNodes(e.L)...), modelNodes(e.R)...)
	case *expr.Call:
		for _, a := range e.Args {
			nodes = append(nodes, modelNodes(a)...)
		}
	}
	return nodes
}

// change makes the same change to a node of the flat tree and to the node of the model.
func change(t *rapid.T, n exprflat.Any, model expr.Expr) {
	switch m := model.(type) {
	case *expr.Num:
		m.Value = float64(rapid.Int32().Draw(t, "value"))
		n.AsNum().SetValue(m.Value)
	case *expr.Var:
		m.Name = rapid.String().Draw(t, "name")
		n.AsVar().SetName(m.Name)
	case *expr.Bin:
		bin := n.AsBin()
		l, r := bin.L(), bin.R()
		m.L, m.R = m.R, m.L
		bin.SetL(exprflat.Expr{})
		bin.SetR(l)
		bin.SetL(r)
	case *expr.Call:
		call := n.AsCall()
		m.Doc = rapid.Ptr(rapid.String(), true).Draw(t, "doc")
		call.SetDoc(m.Doc)
		if len(m.Args) > 0 {
			i := rapid.IntRange(0, len(m.Args)-1).Draw(t, "argument")
			m.Args[i] = nil
			call.SetArg(i, exprflat.Expr{})
		}
	}
}
