package flat_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// A visits is the state of a rewriting pass whose functions act as a random program determines. T
// is a handle of any node.
type visits[T comparable] struct {
	program
	nodes []T // each node seen so far, once; the first is nil
	known map[T]int
	log   strings.Builder // what the functions have seen
}

func newVisits[T comparable](text []byte) *visits[T] {
	var none T
	return &visits[T]{program: program{text: text}, nodes: []T{none}, known: map[T]int{none: 0}}
}

// meet records a node and logs its index.
func (v *visits[T]) meet(n T) T {
	if _, met := v.known[n]; !met {
		v.known[n] = len(v.nodes)
		v.nodes = append(v.nodes, n)
	}
	fmt.Fprint(&v.log, " ", v.known[n])
	return n
}

// pick returns one of the recorded nodes, usually a recent one.
func (v *visits[T]) pick() T {
	recent := len(v.nodes)
	if v.next(4) > 0 {
		recent = min(recent, 5)
	}
	return v.nodes[len(v.nodes)-1-v.next(recent)]
}

// attempt makes a call that may be rejected, and logs whether it was accepted.
func (v *visits[T]) attempt(t testing.TB, what string, f func()) {
	before := v.refused
	v.try(t, f)
	fmt.Fprint(&v.log, " ", what, v.refused == before)
}

// An outcome is the result of a pass that must be equal in place and with a copy.
type outcome struct{ log, panicked, canonical string }

var indexInText = regexp.MustCompile(`#\d+`)

// outcomeOf runs a pass and returns its outcome. It also returns the tree, unless the pass
// panicked.
func outcomeOf[V comparable](v *visits[V], pass func() (*flat.Tree, error)) (o outcome, tree *flat.Tree) {
	defer func() {
		if p := recover(); p != nil {
			o.log, o.panicked = v.log.String(), strings.ReplaceAll(indexInText.ReplaceAllString(fmt.Sprint(p), "#"), "RewriteInPlace", "Rewrite")
		}
	}()
	tree = must(pass())
	return outcome{v.log.String(), "", string(fileOf(tree.Compact()))}, tree
}

// checkInPlace fails the test unless a pass has the same outcome in place as with a copy. It adds
// the outcome to tried.
func checkInPlace[V comparable](t testing.TB, text []byte, source *flat.Tree, load func([]byte, flat.LoadLimits) (*flat.Tree, error),
	tried *tried, pass func(v *visits[V], inPlace bool) (*flat.Tree, error)) {
	t.Helper()
	before, canonical := source.String(), string(fileOf(source.Compact()))
	var got, want outcome
	var tree *flat.Tree
	for _, inPlace := range []bool{false, true} {
		v := newVisits[V](text)
		if inPlace {
			got, tree = outcomeOf(v, func() (*flat.Tree, error) { return pass(v, true) })
		} else {
			want, _ = outcomeOf(v, func() (*flat.Tree, error) { return pass(v, false) })
		}
	}
	if got != want {
		t.Fatalf("%x: of %s, the pass in place says and sees\n%q\n%s\nwith a copy it is\n%q\n%s", text, before, got.panicked, got.log, want.panicked, want.log)
	}
	tried.count(got, canonical)
	if got.panicked != "" {
		return
	}
	limits := flat.LoadLimits{MaxWalk: math.MaxInt}
	if again, err := load([]byte(got.canonical), limits); err != nil || string(fileOf(tree.Clone().Compact())) != got.canonical || again.NumNodes() > tree.NumNodes() {
		t.Fatalf("%x: %v became %v: %v", text, before, tree, err)
	}
	if file, written := tryFile(tree); written {
		if again, err := load(file, limits); err != nil || string(fileOf(again.Compact())) != got.canonical {
			t.Fatalf("%x: %v became %v: %v", text, before, tree, err)
		}
	}
}

// A tried counts what the random programs tried, to verify that they cover enough cases.
type tried struct{ programs, visits, accepted, changed, refused int }

func (s *tried) count(o outcome, before string) {
	s.programs++
	s.visits += strings.Count(o.log, "\n")
	s.refused += strings.Count(o.log, "false")
	if o.panicked == "" {
		s.accepted++
		if o.canonical != before {
			s.changed++
		}
	}
}

// check fails the test if the random programs covered too few cases.
func (s *tried) check(t *testing.T) {
	t.Logf("%+v", *s)
	if s.visits < 4*s.programs || s.accepted < s.programs/4 || s.changed < s.programs/4 || s.refused < s.programs/20 {
		t.Errorf("the programs try little: %+v", *s)
	}
}

// tryFile returns the encoded tree, if WriteTo accepts the tree.
func tryFile(tree *flat.Tree) (file []byte, written bool) {
	defer func() { recover() }()
	var out bytes.Buffer
	if _, err := tree.WriteTo(&out); err != nil {
		panic(err)
	}
	return out.Bytes(), true
}

// exprVisits provides rewriting functions for all variants of expr.
type exprVisits struct {
	*visits[exprflat.Expr]
	t     testing.TB
	loose []exprflat.Expr // nodes that were removed from their parents and may be reused
}

func (v *exprVisits) rewriter(mask int) (r exprflat.Rewriter) {
	if mask&1 != 0 {
		r.Num = func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr { return v.visit(b, n.AsExpr(), n.Value()) }
	}
	if mask&2 != 0 {
		r.Var = func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return v.visit(b, n.AsExpr(), n.Name()) }
	}
	if mask&4 != 0 {
		r.Bin = func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr { return v.visit(b, n.AsExpr(), n.Op()) }
	}
	if mask&8 != 0 {
		r.Call = func(b *exprflat.Builder, n exprflat.Call) exprflat.Expr { return v.visit(b, n.AsExpr(), n.Fn()) }
	}
	return r
}

// childrenOf returns the children of a node and a setter for each of them.
func childrenOf(n exprflat.Expr) (all []exprflat.Expr, set []func(exprflat.Expr)) {
	switch n.Kind() {
	case exprflat.KindBin:
		bin := n.AsBin()
		return []exprflat.Expr{bin.L(), bin.R()}, []func(exprflat.Expr){bin.SetL, bin.SetR}
	case exprflat.KindCall:
		call := n.AsCall()
		for i := range call.NumArgs() {
			all, set = append(all, call.Arg(i)), append(set, func(c exprflat.Expr) { call.SetArg(i, c) })
		}
	}
	return all, set
}

// visit logs a node, its value and its children, and returns its replacement. Most of its actions
// use each node at most once.
func (v *exprVisits) visit(b *exprflat.Builder, n exprflat.Expr, value any) exprflat.Expr {
	fmt.Fprintf(&v.log, "\n%v %v", n.Kind(), value)
	v.meet(n)
	kids, set := childrenOf(n)
	for _, kid := range kids {
		v.meet(kid)
	}
	what := v.next(16)
	switch {
	case what == 1:
		v.loose = append(v.loose, n)
		return exprflat.Expr{}
	case what == 2:
		return b.Num(float64(v.next(256)))
	case what == 3:
		return b.Bin(7, n, b.Var("wrapped"))
	case what == 4:
		return b.Call("wrapped", []exprflat.Expr{{}, b.Call("again", []exprflat.Expr{n}, nil)}, nil)
	case what == 5 && len(v.loose) > 0:
		return b.Bin(8, v.takeLoose(), n)
	case what == 6:
		b.Call("unused", []exprflat.Expr{b.Num(1), n}, nil)
	case what == 7:
		v.misuse(b)
		return v.pick()
	case what >= 8 && len(kids) > 0:
		return v.change(b, n, kids, set, what)
	}
	return n
}

func (v *exprVisits) takeLoose() exprflat.Expr {
	last := len(v.loose) - 1
	n := v.loose[last]
	v.loose = v.loose[:last]
	return n
}

// change modifies or replaces a node that has children.
func (v *exprVisits) change(b *exprflat.Builder, n exprflat.Expr, kids []exprflat.Expr, set []func(exprflat.Expr), what int) exprflat.Expr {
	i := v.next(len(kids))
	switch what {
	case 8, 9: // keep one child; the others may be reused later
		if what == 9 {
			v.loose = append(v.loose, kids[:i]...)
		}
		return kids[i]
	case 10:
		return b.Call("again", kids, nil)
	case 11: // set the children in reverse order
		for k := range kids {
			set[k](kids[len(kids)-1-k])
		}
	case 12:
		set[i](exprflat.Expr{})
		v.loose = append(v.loose, kids[i])
	case 13:
		if len(v.loose) > 0 {
			v.loose = append(v.loose, kids[i])
			loose := v.takeLoose()
			v.attempt(v.t, "set", func() { set[i](loose) })
		}
	case 14: // move a grandchild up
		grandchildren, _ := childrenOf(kids[i])
		if len(grandchildren) > 0 {
			return b.Bin(9, grandchildren[v.next(len(grandchildren))], b.Num(2))
		}
	case 15: // a new node takes a child of n, and n becomes its child
		made := b.Bin(6, exprflat.Expr{}, kids[i])
		set[i](exprflat.Expr{})
		v.attempt(v.t, "set", func() { made.AsBin().SetL(n) })
		return made
	}
	return n
}

// misuse puts a random node at a random position, which may be rejected.
func (v *exprVisits) misuse(b *exprflat.Builder) {
	for range v.next(3) {
		_, set := childrenOf(v.pick())
		if len(set) == 0 {
			v.attempt(v.t, "make", func() { v.meet(b.Bin(3, v.pick(), v.pick())) })
			continue
		}
		i, child := v.next(len(set)), v.pick()
		v.attempt(v.t, "set", func() { set[i](child) })
	}
}

// runExprPasses compares a pass in place with the same pass on a copy. The program text determines
// the tree and the pass.
func runExprPasses(t testing.TB, text []byte, tried *tried) {
	p := program{text: text}
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	r := rand.New(rand.NewPCG(uint64(p.next(256)), 19))
	model := random.Tree[expr.Expr](r, p.next(40), variants)
	for range 4 { // take the largest of five, because many are small
		if other := random.Tree[expr.Expr](r, p.next(40), variants); len(modelNodes(other)) > len(modelNodes(model)) {
			model = other
		}
	}
	source := must(exprflat.FromTree(model, flat.LoadLimits{}))
	how, mask := p.next(5), 1+p.next(15)
	switch how {
	case 0:
		source = must(b.Finish(scrambled(r, b, model)))
	case 1:
		source = must(exprflat.Load(fileOf(must(b.Finish(scrambled(r, b, model))).Flat()), flat.LoadLimits{}))
	case 2: // edited
		b.Edit(source)
		source = must(b.Finish(foldInPlace(b, source.Root())))
	case 3: // changed by setters
		if source.Root().Kind() == exprflat.KindBin {
			source.Root().AsBin().SetL(exprflat.Expr{})
		}
	}
	text = p.text
	checkInPlace(t, text, source.Flat(), flatLoad(exprflat.Load), tried, func(v *visits[exprflat.Expr], inPlace bool) (*flat.Tree, error) {
		pass := (&exprVisits{visits: v, t: t}).rewriter(mask)
		tree, err := either(inPlace, b.RewriteInPlace, b.Rewrite)(source, pass)
		return tree.Flat(), err
	})
}

// flatLoad adapts load to return a tree without its schema.
func flatLoad[T interface{ Flat() *flat.Tree }](load func([]byte, flat.LoadLimits) (T, error)) func([]byte, flat.LoadLimits) (*flat.Tree, error) {
	return func(data []byte, limits flat.LoadLimits) (*flat.Tree, error) {
		tree, err := load(data, limits)
		return tree.Flat(), err
	}
}

// foldInPlace edits an expression so that children come after their parents in the buffer.
func foldInPlace(b *exprflat.Builder, e exprflat.Expr) exprflat.Expr {
	if e.Kind() != exprflat.KindBin {
		return e
	}
	if l := foldInPlace(b, e.AsBin().L()); l != e.AsBin().L() {
		e.AsBin().SetL(l)
	}
	e.AsBin().SetR(b.Num(3))
	return e
}

// A random pass has the same effect in place as with a copy: it sees the same nodes, the same calls
// are rejected, and the resulting trees are equal.
func TestRewriteInPlaceIsRewrite(t *testing.T) {
	runPasses(t, 20000, 20, 100, runExprPasses)
}

// runPasses calls run for random programs of least to least+more-1 bytes. In short mode, it runs a
// tenth of them.
func runPasses(t *testing.T, programs, least, more uint64, run func(t testing.TB, text []byte, tried *tried)) {
	if testing.Short() {
		programs /= 10
	}
	var tried tried
	for seed := range programs {
		run(t, randomText(seed, int(least+seed%more)), &tried)
	}
	tried.check(t)
}

func FuzzRewriteInPlace(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(seed, 100))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var tried tried
		runExprPasses(t, text, &tried)
		runWebPasses(t, text, &tried)
		runLinkPasses(t, text, &tried)
	})
}

// A rewriting function may return a node that it has also placed below another new node, provided
// that the latter is not used.
func TestRewriteReturnsWhatWasWrapped(t *testing.T) {
	for name, rewrite := range map[string]func(*exprflat.Builder, exprflat.Tree, exprflat.Rewriter) (exprflat.Tree, error){
		"Rewrite": (*exprflat.Builder).Rewrite, "RewriteInPlace": (*exprflat.Builder).RewriteInPlace,
	} {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		wrap := exprflat.Rewriter{Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			x := b.Num(7)
			b.Bin(expr.Mul, x, n.AsExpr())
			return x
		}}
		next := must(rewrite(b, must(b.Finish(b.Bin(expr.Add, b.Num(1), b.Num(2)))), wrap)).Compact()
		if got, nodes := next.String(), next.NumNodes(); got != "Num{Value: 7}" || nodes != 1 {
			t.Errorf("%s: %d nodes, %s", name, nodes, got)
		}
		wrap.Bin = func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
			x := b.Num(7)
			return b.Call("f", []exprflat.Expr{x, b.Bin(expr.Mul, x, n.AsExpr())}, nil)
		}
		tree := must(b.Finish(b.Bin(expr.Add, b.Num(1), b.Num(2))))
		mustPanic(t, "each node once", func() { rewrite(b, tree, wrap) })
	}
}

// Every pass in place has the same effect on a flat tree as on pointers. This includes the second
// pass, which finds children after their parents in the buffer.
func TestRewriteInPlaceAgainstModel(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for first := range passes {
		r := rand.New(rand.NewPCG(first, 23))
		model := random.Tree[expr.Expr](r, int(first%60), variants)
		tree := must(exprflat.FromTree(model, flat.LoadLimits{}))
		if first%2 == 0 {
			tree = must(b.Finish(scrambled(r, b, model)))
		}
		for i, n := range []uint64{first, first * 2654435761} {
			p := passOf(n % passes)
			model = p.model(model)
			next := must(b.RewriteInPlace(tree, p.rewriter()))
			if got := must(exprflat.ToTree(next, flat.LoadLimits{})); !reflect.DeepEqual(got, model) {
				t.Fatalf("tree %d, pass %d, %+v: it became\n%v, want\n%v", first, i, p, next, must(exprflat.FromTree(model, flat.LoadLimits{})))
			}
			tree = next
		}
	}
}
