package flat_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// An editor applies a program of edits to a tree and, at the same time, to a model of the tree that
// consists of pointers. The model determines which edits must be rejected: those that would give a
// node a second parent, and those that would make a cycle.
type editor struct {
	program
	t      testing.TB
	b      *exprflat.Builder
	tree   exprflat.Tree
	nodes  []exprflat.Expr
	model  []expr.Expr // the models of the nodes
	parent map[expr.Expr]expr.Expr
	root   expr.Expr
	open   bool
	made   int // number of accepted edits
}

// add records a node and its model.
func (e *editor) add(n exprflat.Expr, m expr.Expr) {
	e.nodes, e.model = append(e.nodes, n), append(e.model, m)
}

// pick returns the index of a node, or -1 for nil. It prefers recent nodes.
func (e *editor) pick() int {
	if e.next(8) == 0 {
		return -1
	}
	recent := len(e.nodes)
	if e.next(3) == 0 {
		recent = min(recent, 5)
	}
	return len(e.nodes) - 1 - e.next(recent)
}

// orphan is like pick, but prefers nodes without a parent.
func (e *editor) orphan() int {
	i := e.pick()
	for range 4 * e.next(4) {
		if i < 0 || e.free(e.model[i]) {
			break
		}
		i = (i + 7) % len(e.nodes)
	}
	return i
}

func (e *editor) at(i int) (exprflat.Expr, expr.Expr) {
	if i < 0 {
		return exprflat.Expr{}, nil
	}
	return e.nodes[i], e.model[i]
}

// above reports whether m is n or an ancestor of n.
func (e *editor) above(m, n expr.Expr) bool {
	for ; n != nil; n = e.parent[n] {
		if m == n {
			return true
		}
	}
	return false
}

// free reports whether m is nil or has no parent.
func (e *editor) free(m expr.Expr) bool { return m == nil || e.parent[m] == nil }

// refusedIf calls f, and reports whether it panicked. The test fails if the result differs from
// must.
func (e *editor) refusedIf(must bool, what string, f func()) bool {
	e.t.Helper()
	refused := true
	e.try(e.t, func() {
		f()
		refused = false
	})
	if refused != must {
		e.t.Fatalf("%s: refused is %v, want %v; %v", what, refused, must, e.tree)
	}
	if !refused {
		e.made++
	}
	return refused
}

// set calls a setter of the parent node, which replaces one of its children.
func (e *editor) set(parent, child int) {
	n, m := e.at(parent)
	c, mc := e.at(child)
	var place *expr.Expr
	var set func(exprflat.Expr)
	switch m := m.(type) {
	case *expr.Bin:
		place, set = &m.L, n.AsBin().SetL
		if e.next(2) == 0 {
			place, set = &m.R, n.AsBin().SetR
		}
	case *expr.Call:
		if len(m.Args) == 0 {
			return
		}
		i := e.next(len(m.Args))
		place, set = &m.Args[i], func(c exprflat.Expr) { n.AsCall().SetArg(i, c) }
	default:
		return
	}
	if mc != nil && mc == *place {
		return
	}
	if e.refusedIf(!e.free(mc) || mc != nil && e.above(mc, m), "a setter", func() { set(c) }) {
		return
	}
	if *place != nil {
		delete(e.parent, *place)
	}
	if *place = mc; mc != nil {
		e.parent[mc] = m
	}
}

// replace calls Tree.Replace, which puts one node into the position of another, whatever the type
// of the parent.
func (e *editor) replace() {
	old, now := e.pick(), e.orphan()
	if old < 0 || old == now {
		return
	}
	n, m := e.at(old)
	c, mc := e.at(now)
	parent, has := e.parent[m], false
	refused := e.refusedIf(parent != nil && (!e.free(mc) || mc != nil && e.above(mc, parent)), "Replace", func() {
		has = e.tree.Replace(n.AsAny(), c.AsAny())
	})
	if !refused && has != (parent != nil) {
		e.t.Fatalf("Replace of %v is %v, and its parent is %v", n, has, parent)
	}
	if refused || parent == nil {
		return
	}
	delete(e.parent, m)
	if *placeOf(parent, m) = mc; mc != nil {
		e.parent[mc] = parent
	}
}

// placeOf returns the address of the field or element of parent that refers to child.
func placeOf(parent, child expr.Expr) *expr.Expr {
	switch parent := parent.(type) {
	case *expr.Bin:
		if parent.L == child {
			return &parent.L
		}
		return &parent.R
	case *expr.Call:
		return &parent.Args[slices.Index(parent.Args, child)]
	default:
		return nil
	}
}

// build adds a node. It prefers children that have no parent.
func (e *editor) build() {
	switch e.next(4) {
	case 0:
		v := float64(e.next(256))
		e.add(e.b.Num(v), &expr.Num{Value: v})
	case 1:
		e.add(e.b.Var("v"), &expr.Var{Name: "v"})
	case 2:
		l, ml := e.at(e.orphan())
		r, mr := e.at(e.orphan())
		var made exprflat.Expr
		if e.refusedIf(!e.free(ml) || !e.free(mr) || ml != nil && ml == mr, "Bin", func() { made = e.b.Bin(1, l, r) }) {
			return
		}
		m := &expr.Bin{Op: 1, L: ml, R: mr}
		e.adopt(made, m, ml, mr)
	case 3:
		a, ma := e.at(e.orphan())
		var made exprflat.Expr
		if e.refusedIf(!e.free(ma), "Call", func() { made = e.b.Call("f", []exprflat.Expr{{}, a}, nil) }) {
			return
		}
		e.adopt(made, &expr.Call{Fn: "f", Args: []expr.Expr{nil, ma}}, ma)
	}
}

func (e *editor) adopt(n exprflat.Expr, m expr.Expr, children ...expr.Expr) {
	e.add(n, m)
	for _, c := range children {
		if c != nil {
			e.parent[c] = m
		}
	}
}

// wrap inserts a new node between a binary expression and its left operand.
func (e *editor) wrap() {
	n, m := e.at(e.pick())
	bin, is := m.(*expr.Bin)
	if !is {
		return
	}
	l := n.AsBin().L()
	n.AsBin().SetL(exprflat.Expr{})
	around := e.b.Bin(2, exprflat.Expr{}, l)
	n.AsBin().SetL(around)
	w := &expr.Bin{Op: 2, R: bin.L}
	if bin.L != nil {
		e.parent[bin.L] = w
	}
	bin.L, e.parent[w] = w, bin
	e.add(around, w)
	e.made++
}

// finish ends the edit, and compares all representations of the tree with the model.
func (e *editor) finish() {
	r := e.pick()
	root, m := e.at(r)
	if m == nil || e.parent[m] != nil {
		root, m = e.tree.Root(), e.root
	}
	if e.parent[m] != nil { // the old root is below a new node that is not in the tree yet
		for m = e.root; e.parent[m] != nil; m = e.parent[m] {
		}
		for i := range e.model {
			if e.model[i] == m {
				root = e.nodes[i]
			}
		}
	}
	same := e.tree
	e.tree = must(e.b.Finish(root))
	if e.tree != same {
		e.t.Fatal("Finish returns another tree")
	}
	e.root, e.open = m, false
	e.compare("the edited tree", e.tree)
	e.compare("its clone", e.tree.Clone())
	e.compare("its canonical form", e.tree.Compact())
	mustLoad(e.t, exprflat.Load, e.tree.Compact().Flat())
	e.compare("its copy by Rewrite", must(exprflat.NewBuilder(flat.BuilderOptions{}).Rewrite(e.tree, exprflat.Rewriter{})))
	ordered := len(forward(e.tree.Flat())) == 0
	wrote := false
	e.try(e.t, func() {
		mustLoad(e.t, exprflat.Load, e.tree.Flat())
		wrote = true
	})
	if wrote && !ordered {
		e.t.Fatalf("%v is written, with references that lead forward", e.tree)
	}
	visited := 0
	e.try(e.t, func() {
		for range e.tree.All {
			visited++
		}
	})
	if wrote != (visited == e.tree.NumNodes()) {
		e.t.Fatalf("All yields %d of %d nodes", visited, e.tree.NumNodes())
	}
}

func (e *editor) compare(what string, tree exprflat.Tree) {
	e.t.Helper()
	got := must(exprflat.ToTree(tree, flat.LoadLimits{}))
	if !reflect.DeepEqual(got, e.root) {
		e.t.Fatalf("%s is %v, want %v", what, tree, must(exprflat.FromTree(e.root, flat.LoadLimits{})))
	}
}

// runEdits runs a program, and returns the numbers of accepted and rejected edits.
func runEdits(t testing.TB, text []byte) (made, refused int) {
	e := &editor{program: program{text: text}, t: t, b: exprflat.NewBuilder(flat.BuilderOptions{}), parent: map[expr.Expr]expr.Expr{}}
	r := rand.New(rand.NewPCG(uint64(e.next(256)), 3))
	e.root = random.Tree[expr.Expr](r, 10+e.next(40), variants)
	switch e.next(4) {
	case 0:
		e.tree = must(e.b.Finish(scrambled(r, e.b, e.root)))
	case 1:
		e.tree = must(exprflat.Load(fileOf(must(exprflat.FromTree(e.root, flat.LoadLimits{})).Flat()), flat.LoadLimits{}))
	case 2:
		e.tree = must(e.b.Rewrite(must(exprflat.FromTree(e.root, flat.LoadLimits{})), exprflat.Rewriter{}))
	case 3:
		pass := passOf(uint64(e.next(256)) * 2654435761 % passes)
		e.tree = must(e.b.RewriteInPlace(must(exprflat.FromTree(e.root, flat.LoadLimits{})), pass.rewriter()))
		e.root = pass.model(e.root)
	}
	e.learn(e.tree.Root(), e.root)
	for len(e.text) > 0 {
		if !e.open {
			e.b.Edit(e.tree)
			e.open = true
		}
		switch e.next(16) {
		case 0:
			e.finish()
		case 1, 2, 3:
			e.build()
		case 4, 5:
			e.wrap()
		case 6, 7:
			e.replace()
		default:
			if p := e.pick(); p >= 0 {
				e.set(p, e.orphan())
			}
		}
	}
	if e.open {
		e.finish()
	}
	return e.made, e.refused
}

// learn records a node and its descendants, with their models.
func (e *editor) learn(n exprflat.Expr, m expr.Expr) {
	if m == nil {
		return
	}
	e.add(n, m)
	switch m := m.(type) {
	case *expr.Bin:
		e.learnChild(n.AsBin().L(), m.L, m)
		e.learnChild(n.AsBin().R(), m.R, m)
	case *expr.Call:
		for i, arg := range m.Args {
			e.learnChild(n.AsCall().Arg(i), arg, m)
		}
	}
}

func (e *editor) learnChild(n exprflat.Expr, m, parent expr.Expr) {
	if m != nil {
		e.parent[m] = parent
		e.learn(n, m)
	}
}

func TestEditAgainstModel(t *testing.T) {
	made, refused := 0, 0
	programs := uint64(2000)
	if testing.Short() {
		programs = 300
	}
	for seed := range programs {
		m, r := runEdits(t, randomText(seed, 400))
		made += m
		refused += r
	}
	t.Logf("%d edits, %d refused", made, refused)
	if made < 8*int(programs) || refused < 8*int(programs) {
		t.Errorf("%d edits, and %d that were refused: the programs try little", made, refused)
	}
}

// randomText returns a program that consists of random bytes.
func randomText(seed uint64, length int) []byte {
	r := rand.New(rand.NewPCG(seed, 15))
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	return text
}

func FuzzEdit(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(seed, 100))
	}
	f.Fuzz(func(t *testing.T, text []byte) { runEdits(t, text) })
}
