package flat_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// A rule changes nodes of one variant. It has a function for flat trees, and an equivalent one for
// pointers. N is the view of the variant, and M is a pointer to its struct.
type rule[N, M any] struct {
	flat  func(b *exprflat.Builder, n N) exprflat.Expr
	model func(n M) expr.Expr
}

var numRules = []rule[exprflat.Num, *expr.Num]{
	{},
	{func(_ *exprflat.Builder, n exprflat.Num) exprflat.Expr { return n.AsExpr() },
		func(n *expr.Num) expr.Expr { return n }},
	{func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr { return b.Num(n.Value() + 1) },
		func(n *expr.Num) expr.Expr { return &expr.Num{Value: n.Value + 1} }},
	{func(_ *exprflat.Builder, n exprflat.Num) exprflat.Expr { n.SetValue(-n.Value()); return n.AsExpr() },
		func(n *expr.Num) expr.Expr { n.Value = -n.Value; return n }},
	{func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr {
		if n.Value() < 0 {
			return exprflat.Expr{}
		}
		return b.Var("positive")
	}, func(n *expr.Num) expr.Expr {
		if n.Value < 0 {
			return nil
		}
		return &expr.Var{Name: "positive"}
	}},
}

var varRules = []rule[exprflat.Var, *expr.Var]{
	{},
	{func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return b.Var(n.Name() + "'") },
		func(n *expr.Var) expr.Expr { return &expr.Var{Name: n.Name + "'"} }},
	{func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return b.Bin(expr.Add, b.Num(1), n.AsExpr()) },
		func(n *expr.Var) expr.Expr { return &expr.Bin{Op: expr.Add, L: &expr.Num{Value: 1}, R: n} }},
	{func(_ *exprflat.Builder, n exprflat.Var) exprflat.Expr {
		n.SetName("set" + n.Name())
		return n.AsExpr()
	},
		func(n *expr.Var) expr.Expr { n.Name = "set" + n.Name; return n }},
}

var binRules = []rule[exprflat.Bin, *expr.Bin]{
	{},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // fold constants
		if n.L().Kind() != exprflat.KindNum || n.R().Kind() != exprflat.KindNum {
			return n.AsExpr()
		}
		return b.Num(n.L().AsNum().Value() + n.R().AsNum().Value())
	}, func(n *expr.Bin) expr.Expr {
		l, isL := n.L.(*expr.Num)
		r, isR := n.R.(*expr.Num)
		if !isL || !isR {
			return n
		}
		return &expr.Num{Value: l.Value + r.Value}
	}},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return b.Bin(n.Op(), n.R(), n.L()) },
		func(n *expr.Bin) expr.Expr { return &expr.Bin{Op: n.Op, L: n.R, R: n.L} }},
	{func(_ *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return n.R() },
		func(n *expr.Bin) expr.Expr { return n.R }},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // use a grandchild
		if n.L().Kind() != exprflat.KindBin {
			return n.AsExpr()
		}
		return b.Bin(n.Op()+1, n.R(), n.L().AsBin().R())
	}, func(n *expr.Bin) expr.Expr {
		l, is := n.L.(*expr.Bin)
		if !is {
			return n
		}
		return &expr.Bin{Op: n.Op + 1, L: n.R, R: l.R}
	}},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // add an unused node
		b.Call("unused", []exprflat.Expr{b.Num(1)}, nil)
		n.SetOp(n.Op() + 1)
		return n.AsExpr()
	}, func(n *expr.Bin) expr.Expr { n.Op++; return n }},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		return b.Call("bin", []exprflat.Expr{n.L(), b.Var("between"), n.R()}, nil)
	}, func(n *expr.Bin) expr.Expr {
		return &expr.Call{Fn: "bin", Args: []expr.Expr{n.L, &expr.Var{Name: "between"}, n.R}}
	}},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // add unused nodes with the same children
		unused := b.Bin(n.Op(), n.L(), n.AsExpr())
		for range 3 {
			unused = b.Call("unused", []exprflat.Expr{n.L(), unused, n.R(), unused}, nil)
		}
		return n.AsExpr()
	}, func(n *expr.Bin) expr.Expr { return n }},
	{func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { // call setters before and after a child gets another parent
		l, r := n.L(), n.R()
		n.SetL(r)
		n.SetR(exprflat.Expr{})
		made := b.Bin(n.Op(), l, exprflat.Expr{})
		made.AsBin().SetR(n.AsExpr())
		if r.Kind() == exprflat.KindBin {
			n.SetL(r.AsBin().L())
		}
		return made
	}, func(n *expr.Bin) expr.Expr {
		l, r := n.L, n.R
		n.L, n.R = r, nil
		if r, is := r.(*expr.Bin); is {
			n.L = r.L
		}
		return &expr.Bin{Op: n.Op, L: l, R: n}
	}},
}

var callRules = []rule[exprflat.Call, *expr.Call]{
	{},
	{func(_ *exprflat.Builder, n exprflat.Call) exprflat.Expr { // return the last child
		if n.NumArgs() == 0 {
			return n.AsExpr()
		}
		return n.Arg(n.NumArgs() - 1)
	}, func(n *expr.Call) expr.Expr {
		if len(n.Args) == 0 {
			return n
		}
		return n.Args[len(n.Args)-1]
	}},
	{func(b *exprflat.Builder, n exprflat.Call) exprflat.Expr { // drop nil arguments
		var args []exprflat.Expr
		for arg := range n.Args {
			if !arg.IsNil() {
				args = append(args, arg)
			}
		}
		doc := "a list of 2^32 or fewer"
		return b.Call(n.Fn(), args, &doc)
	}, func(n *expr.Call) expr.Expr {
		var args []expr.Expr
		for _, arg := range n.Args {
			if arg != nil {
				args = append(args, arg)
			}
		}
		doc := "a list of 2^32 or fewer"
		return &expr.Call{Fn: n.Fn, Args: args, Doc: &doc}
	}},
	{func(b *exprflat.Builder, n exprflat.Call) exprflat.Expr { // build a chain
		var sum exprflat.Expr
		for arg := range n.Args {
			sum = b.Bin(expr.Sub, sum, arg)
		}
		return sum
	}, func(n *expr.Call) expr.Expr {
		var sum expr.Expr
		for _, arg := range n.Args {
			sum = &expr.Bin{Op: expr.Sub, L: sum, R: arg}
		}
		return sum
	}},
}

// A pass contains, for each variant, the index of a rule.
type pass struct{ num, var_, bin, call int }

func passOf(n uint64) pass {
	take := func(rules int) int {
		i := int(n % uint64(rules))
		n /= uint64(rules)
		return i
	}
	return pass{take(len(numRules)), take(len(varRules)), take(len(binRules)), take(len(callRules))}
}

// passes is the number of different passes.
var passes = uint64(len(numRules) * len(varRules) * len(binRules) * len(callRules))

func (p pass) rewriter() exprflat.Rewriter {
	return exprflat.Rewriter{Num: numRules[p.num].flat, Var: varRules[p.var_].flat, Bin: binRules[p.bin].flat, Call: callRules[p.call].flat}
}

// model applies the pass to a tree of pointers, which it modifies, and returns the new root.
func (p pass) model(e expr.Expr) expr.Expr {
	switch e := e.(type) {
	case *expr.Num:
		return apply(numRules[p.num].model, e)
	case *expr.Var:
		return apply(varRules[p.var_].model, e)
	case *expr.Bin:
		e.L, e.R = p.model(e.L), p.model(e.R)
		return apply(binRules[p.bin].model, e)
	case *expr.Call:
		for i, arg := range e.Args {
			e.Args[i] = p.model(arg)
		}
		return apply(callRules[p.call].model, e)
	default:
		return nil
	}
}

func apply[M expr.Expr](f func(M) expr.Expr, n M) expr.Expr {
	if f == nil {
		return n
	}
	return f(n)
}

// scrambled builds a tree whose records are in random order, with unused records between them.
// Children still precede their parents.
func scrambled(r *rand.Rand, b *exprflat.Builder, e expr.Expr) exprflat.Expr {
	if r.IntN(4) == 0 {
		b.Call("unused", []exprflat.Expr{b.Var("unused")}, nil)
	}
	switch e := e.(type) {
	case *expr.Num:
		return b.Num(e.Value)
	case *expr.Var:
		return b.Var(e.Name)
	case *expr.Bin:
		if r.IntN(2) == 0 {
			right := scrambled(r, b, e.R)
			return b.Bin(e.Op, scrambled(r, b, e.L), right)
		}
		left := scrambled(r, b, e.L)
		return b.Bin(e.Op, left, scrambled(r, b, e.R))
	case *expr.Call:
		args := make([]exprflat.Expr, len(e.Args))
		for _, i := range r.Perm(len(args)) {
			args[i] = scrambled(r, b, e.Args[i])
		}
		return b.Call(e.Fn, args, e.Doc)
	default:
		return exprflat.Expr{}
	}
}

// variants lists the variants of package expr.
var variants = []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)}

// checkRewrite applies two passes to a random tree, once as a flat tree and once as pointers, and
// compares the results.
func checkRewrite(t *testing.T, b *exprflat.Builder, seed, first, second uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	model := random.Tree[expr.Expr](r, int(seed%60), variants)
	tree := must(exprflat.FromTree(model, flat.LoadLimits{}))
	switch seed % 4 {
	case 0:
		tree = must(b.Finish(scrambled(r, b, model)))
	case 1:
		tree = must(exprflat.Load(fileOf(must(b.Finish(scrambled(r, b, model))).Flat()), flat.LoadLimits{}))
	}
	for i, n := range []uint64{first, second} {
		p := passOf(n % passes)
		before := fileOf(tree.Flat())
		model = p.model(model)
		next, err := b.Rewrite(tree, p.rewriter())
		if err != nil {
			t.Fatalf("tree %d, pass %+v: %v", seed, p, err)
		}
		got := must(exprflat.ToTree(next, flat.LoadLimits{}))
		if !reflect.DeepEqual(got, model) {
			t.Fatalf("tree %d, pass %d, %+v: %v became\n%v, want\n%v", seed, i, p, tree, next, must(exprflat.FromTree(model, flat.LoadLimits{})))
		}
		if !bytes.Equal(before, fileOf(tree.Flat())) {
			t.Fatalf("tree %d, pass %+v: the old tree has changed", seed, p)
		}
		reachable := 0
		for range next.Root().Preorder {
			reachable++
		}
		loaded, err := exprflat.Load(fileOf(next.Flat()), flat.LoadLimits{})
		if err != nil || loaded.NumNodes() != reachable || next.NumNodes() != reachable {
			t.Fatalf("tree %d, pass %+v: %d nodes, %d of them reachable; Load: %v", seed, p, next.NumNodes(), reachable, err)
		}
		if seed%3 != 0 {
			b.Reuse(tree)
		}
		tree = next
	}
}

// Every pass has the same effect on a flat tree as on a tree of pointers.
func TestRewriteAgainstModel(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	trees := uint64(8)
	if testing.Short() {
		trees = 2
	}
	for first := range passes {
		for k := range trees {
			seed := first*8 + k
			checkRewrite(t, b, seed, first, seed*2654435761)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3))
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	f.Fuzz(func(t *testing.T, seed, first, second uint64) {
		for k := range uint64(16) {
			checkRewrite(t, b, seed+k, first+k*31, second+k*17)
		}
	})
}
