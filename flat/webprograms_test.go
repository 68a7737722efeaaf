package flat_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
)

// A webProgram applies the same changes to a tree and to its model.
type webProgram struct {
	program
	t      testing.TB
	b      *web2flat.Builder
	tree   web2flat.Tree
	root   *webNode
	nodes  []web2flat.Node
	model  []*webNode
	begun  bool // the Builder edits the tree
	made   int
	forest *forest.Writer[web2flat.Tree]
	added  []string
}

// pick returns the index of a node of the given kind, or -1 for nil. If kind is 0, the node may be
// of any kind.
func (p *webProgram) pick(kind web2flat.Kind) int {
	if p.next(6) == 0 || len(p.nodes) == 0 {
		return -1
	}
	i := len(p.nodes) - 1 - p.next(len(p.nodes))
	for range p.nodes {
		if kind == 0 || p.model[i].kind == kind {
			return i
		}
		i = (i + 1) % len(p.nodes)
	}
	return -1
}

func (p *webProgram) at(i int) (web2flat.Node, *webNode) {
	if i < 0 {
		return web2flat.Node{}, nil
	}
	return p.nodes[i], p.model[i]
}

// webBelow reports whether m is n or a descendant of n.
func webBelow(m, n *webNode, seen map[*webNode]bool) bool {
	if m == n {
		return true
	}
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	for _, c := range n.children {
		if c != nil && webBelow(m, c, seen) {
			return true
		}
	}
	return false
}

// build adds a node. Some of its children and links are set immediately, and others later by
// setters.
func (p *webProgram) build() {
	name := strings.Repeat("ab", p.next(4))
	switch p.next(3) {
	case 0:
		on, mOn := p.at(p.pick(web2flat.KindWeb))
		up, mUp := p.at(p.pick(0))
		n := p.b.Knot(web2flat.KnotFields{Name: name, On: on.AsWeb(), Up: up, Prec: p.next(32) - 16, Rank: int8(p.next(8) - 4)})
		p.add(n, &webNode{kind: web2flat.KindKnot, name: name, links: []*webNode{mOn, mUp}})
	case 1:
		in, m := p.at(p.pick(web2flat.KindHole))
		p.add(p.b.Hole(in.AsHole()), &webNode{kind: web2flat.KindHole, links: []*webNode{m}})
	default:
		v := web2flat.WebFields{Kids: make([]web2flat.Node, p.next(4)), Spots: make([]web2flat.SpotFields, p.next(3)), Uses: make([]web2flat.Knot, p.next(3)),
			Last: p.spot(), Holes: make([]web2flat.Hole, p.next(3))}
		kid, mKid := p.at(p.pick(0))
		if len(v.Kids) > 0 {
			v.Kids[0] = kid
		}
		for i := range v.Spots {
			v.Spots[i] = p.spot()
		}
		n := p.b.Web(v)
		children, links := webPlaces(n)
		m := &webNode{kind: web2flat.KindWeb, children: make([]*webNode, len(children)), links: make([]*webNode, len(links))}
		if len(v.Kids) > 0 {
			m.children[0] = mKid
		}
		p.add(n, m)
	}
}

func (p *webProgram) spot() web2flat.SpotFields {
	s := web2flat.SpotFields{Many: make([]web2flat.Node, p.next(3)), Holds: make([]web2flat.Node, p.next(3)), Marks: make([]web2flat.MarkFields, p.next(3)), More: make([]web2flat.MarkFields, p.next(2))}
	for i := range s.Marks {
		s.Marks[i].Also = make([]web2flat.Web, p.next(3))
	}
	return s
}

func (p *webProgram) add(n web2flat.Node, m *webNode) {
	_, links := webPlaces(n)
	for _, l := range links {
		m.accept = append(m.accept, l.kind)
	}
	p.nodes, p.model = append(p.nodes, n), append(p.model, m)
}

// set sets a child or, if link is true, a link.
func (p *webProgram) set(link bool) {
	i := p.pick(0)
	n, m := p.at(i)
	if m == nil {
		return
	}
	places, links := webPlaces(n)
	model := m.children
	if link {
		places, model = links, m.links
	}
	if len(places) != len(model) {
		p.t.Fatalf("%v has %d places, want %d", n, len(places), len(model))
	}
	if len(places) == 0 {
		return
	}
	k := p.next(len(places))
	c, mc := p.at(p.pick(places[k].kind))
	done := false
	p.try(p.t, func() {
		places[k].set(c)
		done = true
	})
	cycle := !link && mc != nil && webBelow(m, mc, map[*webNode]bool{})
	switch {
	case done && cycle:
		p.t.Fatalf("a cycle is accepted: %v below %v", n, c)
	case !done && link, !done && p.begun && !cycle:
		p.t.Fatalf("a setter refuses %v below %v", c, n)
	}
	if done {
		p.made++
		model[k] = mc
	}
}

// finish ends the tree, compares all its representations with the model, and continues with one of
// them.
func (p *webProgram) finish() {
	root, m := p.at(p.pick(web2flat.KindWeb))
	if root.Kind() != web2flat.KindWeb {
		root, m = web2flat.Node{}, nil
	}
	p.tree, p.root = must(p.b.Finish(root.AsWeb())), m
	p.begun = false
	p.compare("the tree", p.tree)
	p.tables(p.tree)
	p.compare("its clone", p.tree.Clone())
	compact := p.tree.Compact()
	p.compare("its canonical form", compact)
	p.tables(compact)
	p.compare("a file", must(web2flat.Load(fileOf(compact.Flat()), flat.LoadLimits{})))
	b := web2flat.NewBuilder(flat.BuilderOptions{})
	p.compare("its copy by Rewrite", must(b.Rewrite(p.tree, web2flat.Rewriter{})))
	ordered := false
	p.try(p.t, func() {
		p.compare("its own file", must(web2flat.Load(fileOf(p.tree.Flat()), flat.LoadLimits{})))
		ordered = true
	})
	added := false
	p.try(p.t, func() {
		if err := p.forest.Add(fmt.Sprint(len(p.added)), p.tree); err != nil {
			p.t.Fatal(err)
		}
		added = true
	})
	if added != ordered {
		p.t.Fatalf("WriteTo accepts the tree: %v; the forest: %v", ordered, added)
	}
	if added {
		p.added = append(p.added, describeModel(p.root))
	}
	p.convert()
	switch p.next(6) {
	case 0:
		p.tree = compact
	case 1:
		p.tree = p.tree.CloneInto(compact)
	case 2:
		p.tree = must(web2flat.Load(fileOf(compact.Flat()), flat.LoadLimits{}))
	case 3:
		p.rewrite()
	}
	p.learn()
}

// convert converts the tree to pointers and back. A node that is stored by value becomes a separate
// copy for each parent, and cannot be nil. Trees in which such a node is shared or nil are
// therefore not compared.
func (p *webProgram) convert() {
	x, err := web2flat.ToTree(p.tree, flat.LoadLimits{})
	if err != nil {
		p.t.Fatal(err)
	}
	again := must(web2flat.FromTree(x, flat.LoadLimits{}))
	parents := map[web2flat.Any]int{}
	same := true
	for _, n := range p.nodesOf(p.tree.Root().AsNode()) {
		children, _ := webPlaces(n)
		for _, c := range children {
			child := c.get()
			parents[child.AsAny()]++
			same = same && (c.kind == 0 || !child.IsNil()) && (child.Kind() == web2flat.KindWeb || parents[child.AsAny()] == 1 || child.IsNil())
		}
	}
	if same {
		p.compare("what pointers say", again)
	}
}

// nodesOf returns n and its descendants in preorder, each of them once.
func (p *webProgram) nodesOf(n web2flat.Node) (all []web2flat.Node) {
	met := map[web2flat.Node]bool{}
	var visit func(n web2flat.Node)
	visit = func(n web2flat.Node) {
		if n.IsNil() || met[n] {
			return
		}
		met[n] = true
		all = append(all, n)
		children, _ := webPlaces(n)
		for _, c := range children {
			visit(c.get())
		}
	}
	visit(n)
	return all
}

func (p *webProgram) compare(what string, tree web2flat.Tree) {
	p.t.Helper()
	if got, want := describeWeb(tree.Root().AsNode()), describeModel(p.root); got != want {
		p.t.Fatalf("%s is\n%swant\n%s", what, got, want)
	}
}

// tables checks the numbering, a side table, the parents and the strings of a tree.
func (p *webProgram) tables(tree web2flat.Tree) {
	numbers, names := tree.Numbers(), tree.Strings()
	parents, table := tree.Parents(numbers), web2flat.NewSideTable[int](numbers)
	if numbers.Len() != tree.NumNodes() {
		p.t.Fatalf("%d numbers of %d nodes", numbers.Len(), tree.NumNodes())
	}
	for i, n := range p.nodesOf(tree.Root().AsNode()) {
		*table.At(n.AsAny()) += i + 1
		if n.Kind() == web2flat.KindKnot {
			if name := n.AsKnot().Name(); names.Text(n.AsKnot().NameNumber(names)) != name {
				p.t.Fatalf("%v has another name", n)
			}
		}
		above := parents.Of(n.AsAny())
		if above.IsNil() && i == 0 {
			continue
		}
		children, _ := webPlaces(above.AsNode())
		if !slices.ContainsFunc(children, func(c webPlace) bool { return c.get() == n }) {
			p.t.Fatalf("%v has the parent %v", n, above)
		}
	}
	for i, n := range p.nodesOf(tree.Root().AsNode()) {
		if table.Of(n.AsAny()) != i+1 {
			p.t.Fatalf("two nodes have the number %d", numbers.Of(n.AsAny()))
		}
	}
}

// rewrite replaces each knot whose name has two letters by a new one, and each web whose first
// child is a web by that child.
func (p *webProgram) rewrite() {
	memo, copies := map[*webNode]*webNode{}, map[*webNode]*webNode{}
	var visit func(m *webNode) *webNode
	visit = func(m *webNode) *webNode {
		if m == nil || copies[m] != nil {
			return memo[m]
		}
		n := &webNode{kind: m.kind, name: m.name, links: make([]*webNode, len(m.links)), accept: m.accept}
		copies[m] = n
		for _, c := range m.children {
			n.children = append(n.children, visit(c))
		}
		memo[m] = n
		switch {
		case m.kind == web2flat.KindKnot && len(m.name) == 2:
			memo[m] = &webNode{kind: m.kind, name: "new", links: make([]*webNode, 2), accept: m.accept}
		case m.kind == web2flat.KindWeb && n.children[0] != nil && n.children[0].kind == web2flat.KindWeb:
			memo[m] = n.children[0]
		}
		return memo[m]
	}
	p.root = visit(p.root)
	for m, n := range copies {
		for i, l := range m.links {
			if to := memo[l]; to != nil && (m.accept[i] == 0 || m.accept[i] == to.kind) {
				n.links[i] = to
			}
		}
	}
	pass := web2flat.Rewriter{
		Knot: func(b *web2flat.Builder, n web2flat.Knot) web2flat.Node {
			if len(n.Name()) == 2 {
				return b.Knot(web2flat.KnotFields{Name: "new"})
			}
			return n.AsNode()
		},
		Web: func(b *web2flat.Builder, n web2flat.Web) web2flat.Node {
			if kids, _ := webPlaces(n.AsNode()); kids[0].get().Kind() == web2flat.KindWeb {
				return kids[0].get()
			}
			return n.AsNode()
		},
	}
	if p.next(2) == 0 {
		p.tree = must(p.b.RewriteInPlace(p.tree, pass))
		p.compare("what is rewritten in place", p.tree.Compact())
		return // links to unreachable nodes remain until Compact
	}
	p.tree = must(p.b.Rewrite(p.tree, pass))
	p.compare("what is rewritten", p.tree)
	mustLoad(p.t, web2flat.Load, p.tree.Flat())
}

// learn records the nodes of the tree, and forgets all others.
func (p *webProgram) learn() {
	p.nodes, p.model = nil, nil
	met := map[*webNode]bool{}
	var visit func(n web2flat.Node, m *webNode)
	visit = func(n web2flat.Node, m *webNode) {
		if m == nil || met[m] {
			return
		}
		met[m] = true
		p.nodes, p.model = append(p.nodes, n), append(p.model, m)
		children, _ := webPlaces(n)
		for i, c := range m.children {
			visit(children[i].get(), c)
		}
	}
	visit(p.tree.Root().AsNode(), p.root)
	for _, m := range p.model { // drop the links to nodes that are not in the tree
		for i, l := range m.links {
			if !met[l] {
				m.links[i] = nil
			}
		}
	}
}

// runWebs runs a program, and returns the numbers of accepted and rejected changes.
func runWebs(t testing.TB, text []byte) (made, refused int) {
	path := filepath.Join(t.TempDir(), "forest")
	p := &webProgram{program: program{text: text}, t: t, b: web2flat.NewBuilder(flat.BuilderOptions{}), forest: must(forest.Create[web2flat.Tree](path, forest.Options{}))}
	for len(p.text) > 0 {
		switch p.next(12) {
		case 0:
			p.finish()
			if p.next(3) == 0 { // call a setter before Edit
				p.set(p.next(2) == 0)
			}
			p.b.Edit(p.tree)
			p.begun = true
		case 1, 2, 3:
			p.build()
		case 4, 5, 6, 7:
			p.set(true)
		default:
			p.set(false)
		}
	}
	p.finish()
	if err := p.forest.Close(); err != nil {
		t.Fatal(err)
	}
	r := must(forest.Open[web2flat.Tree](path, flat.LoadLimits{}))
	for i, want := range p.added {
		tree := must(r.At(i))
		for what, tree := range map[string]web2flat.Tree{"stored": tree, "cloned": tree.Clone(), "compact": tree.Compact()} {
			if got := describeWeb(tree.Root().AsNode()); got != want {
				t.Fatalf("a tree of the forest, %s, is\n%swant\n%s", what, got, want)
			}
			p.tables(tree)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return p.made, p.refused
}

// TestWebsAgainstModel builds, edits, rewrites and converts graphs with links, stores them in a
// forest, and compares them with a model.
func TestWebsAgainstModel(t *testing.T) {
	made, refused := 0, 0
	programs := uint64(300)
	if testing.Short() {
		programs = 60
	}
	for seed := range programs {
		m, r := runWebs(t, randomText(seed, 300))
		made += m
		refused += r
	}
	t.Logf("%d changes, %d refused", made, refused)
	if made < 10*int(programs) || refused < int(programs) {
		t.Errorf("%d changes, and %d that were refused: the programs try little", made, refused)
	}
}

func FuzzWebs(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(randomText(seed, 100))
	}
	f.Fuzz(func(t *testing.T, text []byte) { runWebs(t, text) })
}
