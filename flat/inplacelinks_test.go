package flat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/links"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// webVisits contains functions for all variants of web2, a schema that has flat:share and links in
// every variant.
type webVisits struct {
	*visits[web2flat.Node]
	t testing.TB
}

func (v *webVisits) rewriter(mask int) (r web2flat.Rewriter) {
	if mask&1 != 0 {
		r.Web = func(b *web2flat.Builder, n web2flat.Web) web2flat.Node { return v.visit(b, n.AsNode()) }
	}
	if mask&2 != 0 {
		r.Knot = func(b *web2flat.Builder, n web2flat.Knot) web2flat.Node { return v.visit(b, n.AsNode()) }
	}
	if mask&4 != 0 {
		r.Hole = func(b *web2flat.Builder, n web2flat.Hole) web2flat.Node { return v.visit(b, n.AsNode()) }
	}
	return r
}

// visit logs a node and all nodes that it refers to, and returns a replacement for the node.
func (v *webVisits) visit(b *web2flat.Builder, n web2flat.Node) web2flat.Node {
	fmt.Fprint(&v.log, "\n", n.Kind())
	v.look(n)
	for range v.next(3) {
		v.set(v.pick())
	}
	switch v.next(10) {
	case 0:
		return web2flat.Node{}
	case 1:
		made := b.Knot(web2flat.KnotFields{Name: "new", Up: v.pick()})
		v.attempt(v.t, "On", func() { made.AsKnot().SetOn(n.AsWeb()) })
		return v.meet(made)
	case 2:
		made := b.Web(web2flat.WebFields{Kids: []web2flat.Node{v.pick(), n}, Back: v.pick(), Last: web2flat.SpotFields{Many: []web2flat.Node{n}}})
		return v.meet(made)
	case 3:
		return v.meet(b.Hole(web2flat.Hole{}))
	case 4:
		return v.pick()
	}
	return n
}

// look logs the children and links of a node, and the links of its children.
func (v *webVisits) look(n web2flat.Node) {
	v.meet(n)
	children, links := webPlaces(n)
	for _, c := range children {
		kid := v.meet(c.get())
		_, below := webPlaces(kid)
		for _, l := range below {
			v.meet(l.get())
		}
	}
	for _, l := range links {
		v.meet(l.get())
	}
}

// set changes a child or a link of a node.
func (v *webVisits) set(n web2flat.Node) {
	places, links := webPlaces(n)
	if v.next(3) > 0 {
		places = links
	}
	if len(places) > 0 {
		place, to := places[v.next(len(places))], v.pick()
		v.attempt(v.t, "set", func() { place.set(to) })
	}
}

// runWebPasses runs a pass that is determined by text, once with a copy and once in place, and
// compares the results.
func runWebPasses(t testing.TB, text []byte, tried *tried) {
	build := &webProgram{program: program{text: text[:len(text)/2]}, t: t, b: web2flat.NewBuilder(flat.BuilderOptions{})}
	for len(build.text) > 0 {
		switch build.next(3) {
		case 0:
			build.build()
		case 1:
			build.set(true)
		default:
			build.set(false)
		}
	}
	kids := build.nodes[max(0, len(build.nodes)-10):]
	root := build.b.Web(web2flat.WebFields{Kids: kids, Uses: make([]web2flat.Knot, 2)})
	b, source := build.b, must(build.b.Finish(root.AsWeb()))
	p := program{text: text[len(text)/2:]}
	mask := 1 + p.next(7)
	checkInPlace(t, p.text, source.Flat(), flatLoad(web2flat.Load), tried, func(v *visits[web2flat.Node], inPlace bool) (*flat.Tree, error) {
		pass := (&webVisits{v, t}).rewriter(mask)
		tree, err := either(inPlace, b.RewriteInPlace, b.Rewrite)(source, pass)
		return tree.Flat(), err
	})
}

// TestRewriteInPlaceOfWebs verifies that a pass over a graph with links has the same result in
// place as with a copy. The nodes have several parents, links lead forward and backward, and the
// functions of the pass set links.
func TestRewriteInPlaceOfWebs(t *testing.T) {
	runPasses(t, 4000, 100, 300, runWebPasses)
}

// linkVisits contains functions for the variants of links, a schema in which each node has one
// parent.
type linkVisits struct {
	*visits[linksflat.Any]
	t testing.TB
}

func (v *linkVisits) rewriter(mask int) (r linksflat.Rewriter) {
	if mask&1 != 0 {
		r.Use = func(b *linksflat.Builder, n linksflat.Use) linksflat.Node { return v.use(b, n) }
	}
	if mask&2 != 0 {
		r.Group = func(b *linksflat.Builder, n linksflat.Group) linksflat.Node { return v.group(b, n) }
	}
	if mask&4 != 0 {
		r.Var = func(b *linksflat.Builder, n linksflat.Var) linksflat.Var { return v.variable(b, n) }
	}
	if mask&8 != 0 {
		r.Scope = func(b *linksflat.Builder, n linksflat.Scope) linksflat.Scope { return v.scope(b, n) }
	}
	return r
}

func (v *linkVisits) use(b *linksflat.Builder, n linksflat.Use) linksflat.Node {
	fmt.Fprint(&v.log, "\nuse")
	v.meet(n.AsAny())
	v.meet(n.Var().AsAny())
	switch v.next(6) {
	case 0:
		return linksflat.Node{}
	case 1:
		made := b.Use(n.Var())
		v.meet(made.AsAny())
		return made
	case 2:
		return b.Group(linksflat.Scope{}, []linksflat.Use{n, {}}, [2]linksflat.Node{n.AsNode()}, []linksflat.Node{n.AsNode()})
	case 3:
		v.attempt(v.t, "SetVar", func() { n.SetVar(v.pick().AsVar()) })
	}
	return n.AsNode()
}

func (v *linkVisits) group(b *linksflat.Builder, n linksflat.Group) linksflat.Node {
	fmt.Fprint(&v.log, "\ngroup")
	v.meet(n.AsAny())
	for use := range n.Uses {
		v.meet(use.AsAny())
	}
	v.meet(n.PairAt(0).AsAny())
	v.meet(n.PairAt(1).AsAny())
	var items []linksflat.Node
	for item := range n.Items {
		v.meet(item.AsAny())
		items = append(items, item)
	}
	switch what := v.next(6); {
	case what == 0 && len(items) > 0:
		return items[v.next(len(items))]
	case what == 1:
		return b.Group(n.Scope(), uses(n), [2]linksflat.Node{n.PairAt(1), n.AsNode()}, items)
	case what == 2:
		v.attempt(v.t, "SetPair", func() { n.SetPairAt(0, v.pick().AsNode()) })
	case what == 3 && n.NumUses() > 0:
		v.attempt(v.t, "SetUse", func() { n.SetUse(0, v.pick().AsUse()) })
	}
	return n.AsNode()
}

func uses(n linksflat.Group) (all []linksflat.Use) {
	for use := range n.Uses {
		all = append(all, use)
	}
	return all
}

func (v *linkVisits) variable(b *linksflat.Builder, n linksflat.Var) linksflat.Var {
	fmt.Fprint(&v.log, "\nvar", n.Name())
	v.meet(n.AsAny())
	v.meet(n.Of().AsAny())
	v.meet(n.First().AsAny())
	switch v.next(5) {
	case 0:
		return b.Var(n.Name()+"'", n.Of(), n.First())
	case 1:
		return linksflat.Var{}
	case 2:
		v.attempt(v.t, "SetFirst", func() { n.SetFirst(v.pick().AsNode()) })
	case 3:
		made := b.Var("new", linksflat.Scope{}, n.First())
		made.SetOf(n.Of())
		return made
	}
	return n
}

func (v *linkVisits) scope(b *linksflat.Builder, n linksflat.Scope) linksflat.Scope {
	fmt.Fprint(&v.log, "\nscope")
	v.meet(n.AsAny())
	v.meet(n.Up().AsAny())
	v.meet(n.Last().Node().AsAny())
	for mark := range n.Marks {
		v.meet(mark.Node().AsAny())
		for used := range mark.Vars {
			v.meet(used.AsAny())
		}
	}
	switch v.next(5) {
	case 0:
		return b.Scope(linksflat.ScopeFields{Up: n, Inner: n, Last: linksflat.MarkFields{Node: n.Last().Node()}})
	case 1:
		v.attempt(v.t, "SetNode", func() { n.Last().SetNode(v.pick().AsNode()) })
	case 2:
		v.attempt(v.t, "SetUp", func() { v.pick().AsScope().SetUp(n) })
	}
	return n
}

// runLinkPasses runs a pass that is determined by text, once with a copy and once in place, and
// compares the results.
func runLinkPasses(t testing.TB, text []byte, tried *tried) {
	p := program{text: text}
	x := random.Tree[*links.Scope](rand.New(rand.NewPCG(uint64(p.next(256)), 27)), p.next(50), linkVariants)
	if x == nil {
		x = linkedScopes()
	}
	source := must(linksflat.FromTree(x, flat.LoadLimits{}))
	if p.next(3) == 0 && source.Root().NumBody() > 0 { // makes nodes unreachable to which links lead
		source.Root().SetBodyAt(0, linksflat.Node{})
	}
	b, mask := linksflat.NewBuilder(flat.BuilderOptions{}), 1+p.next(15)
	checkInPlace(t, p.text, source.Flat(), flatLoad(linksflat.Load), tried, func(v *visits[linksflat.Any], inPlace bool) (*flat.Tree, error) {
		pass := (&linkVisits{v, t}).rewriter(mask)
		tree, err := either(inPlace, b.RewriteInPlace, b.Rewrite)(source, pass)
		return tree.Flat(), err
	})
}

// TestRewriteInPlaceOfLinks verifies that a pass over a tree with links has the same result in
// place as with a copy.
func TestRewriteInPlaceOfLinks(t *testing.T) {
	runPasses(t, 6000, 20, 100, runLinkPasses)
}

// TestRewriteInPlaceOfEveryPlace verifies that references and links are handled correctly in place
// in every position of a record in which they may occur.
func TestRewriteInPlaceOfEveryPlace(t *testing.T) {
	files := valid()
	for name, data := range randomFiles() {
		files[name] = data
	}
	compared := 0
	for name, data := range files {
		want := crossPass(name, data, false)
		if want == nil {
			continue
		}
		compared++
		if got := crossPass(name, data, true); string(fileOf(got.Compact())) != string(fileOf(want.Compact())) {
			t.Errorf("%s: in place it is\n%v\nwant\n%v", name, got, want)
		}
	}
	if compared < 80 {
		t.Errorf("%d trees are compared", compared)
	}
}
